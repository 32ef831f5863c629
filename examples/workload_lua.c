/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lua as the demo's workload. This file is linked with a liblua.a that was
 * built with sleds. */
#include "workload.h"

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

#include <stdio.h>

const char workload_name[] = LUA_RELEASE;
const char workload_pattern[] = "lua*";

int workload_run(const char *script, char *result, size_t size) {
  lua_State *state = luaL_newstate();
  if (!state) {
    snprintf(result, size, "out of memory");
    return -1;
  }
  luaL_openlibs(state);
  int failed = luaL_loadfile(state, script) || lua_pcall(state, 0, 1, 0);
  const char *text = luaL_tolstring(state, -1, NULL);
  snprintf(result, size, "%s", text);
  lua_close(state);
  return failed ? -1 : 0;
}
