-- Uses most of Lua's own library and interpreter, as Debian's source of Lua 5.4 comes
-- without its authors' test suite. It prints what it computes, and two runs print the
-- same.
local rounds = tonumber(arg and arg[1]) or 20
local function check(sum, x) return (sum * 31 + x) % 1000000007 end

local tests = {}
function tests.strings(n)
  local parts, sum = {}, 0
  for i = 1, 400 do parts[#parts + 1] = string.format("%d:%5.2f:%q:%x", i * n, i / 7, "a\n" .. i, i * 77) end
  local text = table.concat(parts, ";")
  for word in text:gmatch("%d+") do sum = check(sum, tonumber(word) % 1000003) end
  text = text:gsub("(%d)(%d)", "%2%1"):reverse():upper()
  for i = 1, #text, 7 do sum = check(sum, text:byte(i)) end
  for _, c in utf8.codes("äöü€😀" .. n) do sum = check(sum, c) end
  local packed = string.pack("<i4dz", n, n / 3, "name")
  local a, b, c = string.unpack("<i4dz", packed)
  return check(sum, a + #c + math.floor(b))
end
function tests.tables(n)
  local t, sum = {}, 0
  for i = 1, 2000 do t[i] = (i * 7919 + n) % 1009 end
  table.sort(t, function(a, b) return a < b end)
  for i = 1, #t, 13 do sum = check(sum, t[i]) end
  for i = 1, 300 do t["k" .. i % 50] = i; table.insert(t, 1 + i % 9, i); table.remove(t, 3) end
  for k, v in pairs(t) do if type(k) == "string" then sum = (sum + v) % 1000003 end end
  return check(sum, select("#", table.unpack(t, 1, 100)))
end
function tests.metamethods(n)
  local V = {}
  V.__index = V
  V.__add = function(a, b) return setmetatable({x = a.x + b.x}, V) end
  V.__eq = function(a, b) return a.x == b.x end
  V.__lt = function(a, b) return a.x < b.x end
  V.__call = function(self, y) return self.x * y end
  V.__concat = function(a, b) return tostring(a.x or a) .. tostring(b.x or b) end
  V.__close = function(self) self.x = -1 end
  local v = setmetatable({x = n}, V)
  for i = 1, 500 do v = v + setmetatable({x = i}, V) end
  do local closed <close> = v + v end
  return v(3) + #(v .. "tail") + (v < v + v and 1 or 0) + (v == v and 1 or 0)
end
function tests.coroutines(n)
  local function numbers(k) return coroutine.wrap(function() for i = 1, k do coroutine.yield(i) end end) end
  local sum = 0
  for i = 1, 40 do for x in numbers(i + n % 5) do sum = check(sum, x) end end
  local co = coroutine.create(function() error({code = n}) end)
  local ok, e = coroutine.resume(co)
  return sum + e.code + (ok and 1 or 0)
end
function tests.errors(n)
  local sum = 0
  for i = 1, 200 do
    local ok, e = pcall(function(x) if x % 3 == 0 then error("three " .. x) end; return nil + x end, i)
    sum = check(sum, #tostring(e):gsub("^.-:%d+: ", ""))
    sum = sum + select("#", xpcall(string.rep, debug.traceback, "x", -1))
  end
  local function deep(k) return k == 0 and error("deep") or 1 + deep(k - 1) end
  return sum + (pcall(deep, 150) and 1 or 0) + (pcall(string.rep, "x", 1 << 40) and 1 or 0)
end
function tests.closures(n)
  local made = {}
  for i = 1, 300 do
    local up = i
    made[i] = function(d) up = up + d; return up, function() return up * 2 end end
  end
  local sum = 0
  for i = 1, 300 do local a, f = made[i](n); sum = check(sum, a + f()) end
  local chunk = load("local a, b = ... ; goto done; a = 1 ; ::done:: return a // b, a % b, a & b, a ~ b, a >> 1, a ^ 2")
  for _, x in ipairs({chunk(1000 + n, 7)}) do sum = check(sum, math.floor(x)) end
  return sum
end
function tests.collection(n)
  local weak = setmetatable({}, {__mode = "k"})
  local gone = 0
  for i = 1, 300 do
    local key = setmetatable({}, {__gc = function() gone = gone + 1 end})
    weak[key] = i
  end
  collectgarbage()
  collectgarbage()
  if n % 2 == 0 then collectgarbage("generational") else collectgarbage("incremental") end
  return gone + (next(weak) and 1 or 0) -- 300, also if a register still holds one key
end
local names = {}
for name in pairs(tests) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  local sum = 0
  for n = 1, rounds do
    local result = tests[name](n)
    if name == "collection" then result = result >= 299 and 300 or result end
    sum = check(sum, result)
  end
  print(name, sum)
end
