# The demo's script for the small language, used where Lua cannot be had.
fn fib(n) {
  if n < 2 { return n; }
  return fib(n - 1) + fib(n - 2);
}

fn collatz(limit) {
  let best = 0;
  let start = 1;
  while start < limit {
    let n = start;
    let steps = 0;
    while 1 < n {
      if n % 2 == 0 { n = n / 2; } else { n = 3 * n + 1; }
      steps = steps + 1;
    }
    if best < steps { best = steps; }
    start = start + 1;
  }
  return best;
}

return fib(22) * 1000 + collatz(3000);
