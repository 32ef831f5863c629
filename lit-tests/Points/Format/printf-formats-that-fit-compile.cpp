// A printf format that fits its arguments compiles, as C++17, with every compiler.
// RUN: %python %S/Inputs/try-formats.py 17 %tprt_include %s "%plain_clangxx" | FileCheck %s
// CHECK: formats
// CHECK: {{^}}0 surprises

check_printf("", "")                                     // compiles
check_printf("no conversion, 100%%", "")                 // compiles
check_printf("%d %i %u %o %x %X %c", "iijjjjc")          // compiles
check_printf("%hhd %hd %ld %lld %jd %zd %td %qd", "asllllll") // compiles
check_printf("%-+ #0'12.7d|%.d|%5.0x", "iij")            // compiles
check_printf("%f %F %e %E %g %G %a %A %lf", "dddddddfd") // compiles
check_printf("%s %s %.5s %-10.3s", "zvzv")               // compiles
check_printf("%.*s|%.*f", "izid")                         // compiles
check_printf("%p %p %20p", "pzp")                        // compiles
check_printf("%d %d %d %d %d %d %d %d %d %d %d %d", "bcahstijlmib") // compiles
