-- The demo's script: recursion, closures, strings, tables, sorting, a metatable.
-- Its result is one line that depends on all of it.

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local function sieve(limit)
  local composite, count = {}, 0
  for i = 2, limit do
    if not composite[i] then
      count = count + 1
      for j = i * i, limit, i do composite[j] = true end
    end
  end
  return count
end

local function words(n)
  local seen, list, x = {}, {}, 42
  for _ = 1, n do
    x = (x * 1103515245 + 12345) % 2147483648
    local word = string.format("w%04x", (x // 65536) % 4096)
    seen[word] = (seen[word] or 0) + 1
    if seen[word] == 1 then list[#list + 1] = word end
  end
  table.sort(list, function(a, b)
    if seen[a] ~= seen[b] then return seen[a] > seen[b] end
    return a < b
  end)
  return table.concat(list, ",", 1, 5)
end

local Vector = {}
Vector.__index = Vector
Vector.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y + b.y }, Vector) end

local sum = setmetatable({ x = 0, y = 0 }, Vector)
for i = 1, 50000 do
  sum = sum + setmetatable({ x = i, y = -i }, Vector)
end

local replaced, count = string.gsub(string.rep("sled stub slot ", 400), "s(%w+)", "<%1>")
return string.format("fib %d, primes %d, words %s, vector %d/%d, gsub %d/%d",
  fib(27), sieve(200000), words(30000), sum.x, sum.y, count, #replaced)
