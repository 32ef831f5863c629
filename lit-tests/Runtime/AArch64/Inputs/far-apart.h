// A library whose probed functions lie in the middle of 320 MiB of address space that is taken (far-apart.places). The
// instruction B reaches 128 MiB. Code and data come by turns, so that there are several segments: a small file.
// UNPROBED is defined before.
__attribute__((used, section(".r1"))) static const int r1 = 1;
__attribute__((used, section(".r2"))) static const int r2 = 1;
UNPROBED __attribute__((section(".near"))) void near(void) {}
UNPROBED __attribute__((section(".far"))) void far(void) {}
UNPROBED __attribute__((section(".high"))) void high(void) {}
#define PROBED __attribute__((section(".probed"), noinline))
