#include <stdio.h>
#include <tprt/tprt.h>

int main(void) { return puts(tprt_version_string()) < 0; }
