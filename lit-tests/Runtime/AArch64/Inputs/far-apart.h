// A library whose probed functions lie in the middle of 320 MiB of used address space
// (far-apart.places). The instruction B reaches 128 MiB. Code and data alternate, so
// the file has several segments and stays small. The including file defines UNPROBED.
__attribute__((used, section(".r1"))) static const int r1 = 1;
__attribute__((used, section(".r2"))) static const int r2 = 1;
UNPROBED __attribute__((section(".near"))) void near(void) {}
UNPROBED __attribute__((section(".far"))) void far(void) {}
UNPROBED __attribute__((section(".high"))) void high(void) {}
#define PROBED __attribute__((section(".probed"), noinline))
