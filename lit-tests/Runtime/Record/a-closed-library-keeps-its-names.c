// A library that is loaded while a recording is under way is recorded, too. It is kept loaded
// until the recording stops. Loaded again in the next recording it has its names there as well.
//
// RUN: split-file %s %t.d
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -shared -fPIC %t.d/plugin.c -o %t.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -I %S/../Inputs %t.d/main.c -o %t %tprt_flags -ldl
// RUN: rm -f %t.1 %t.2 && %t %t.so %t.1 %t.2
// RUN: %tpctl report %t.1 2>&1 | FileCheck %s
// RUN: %tpctl report %t.2 2>&1 | FileCheck %s
//
// CHECK: 3 {{.*}}in_plugin
// CHECK: none lost

//--- plugin.c
__attribute__((noinline)) void in_plugin(void) { __asm__ volatile(""); }

//--- main.c
#include "record.h"
#include <dlfcn.h>

NO_SLEDS void callPlugin(const char *path) {
  void *plugin = dlopen(path, RTLD_NOW);
  void (*call)(void) = plugin ? (void (*)(void))dlsym(plugin, "in_plugin") : NULL;
  if (!call)
    exit(2);
  mustBeOk(tprt_module_refresh());
  call();
  dlclose(plugin);
}

int main(int count, char **arguments) {
  for (int i = 2; i < count; ++i) {
    startRecording(arguments[i], TPRT_RECORDING_MODE_ALL, 0);
    tprt_selector selector = {.function = "in_plugin", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_AWAIT};
    tprt_recording_add(&selector, NULL, NULL);
    for (int j = 0; j < 3; ++j)
      callPlugin(arguments[1]);
    mustBeOk(tprt_recording_stop());
  }
}
