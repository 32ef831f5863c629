// A {} format that fits its arguments compiles, as C++20, with every compiler.
// RUN: %python %S/Inputs/try-formats.py 20 %tprt_include %s "%plain_clangxx" | FileCheck %s
// CHECK: formats
// CHECK: {{^}}0 surprises

check_braces("", "")                                  // compiles
check_braces("{{}} {{x}}", "")                        // compiles
check_braces("{} {} {} {} {} {}", "bcidpz")           // compiles
check_braces("{0} {2} {1} {0}", "iii")                // compiles
check_braces("{:b}{:#B}{:o}{:x}{:#X}{:d}{:c}", "ijlmsti") // compiles
check_braces("{:*^+#012x}", "i")                      // compiles
check_braces("{:\u00e9<5}", "z")                      // compiles
check_braces("{:a}{:A}{:e}{:E}{:f}{:F}{:g}{:G}{:.3}", "dddddddff") // compiles
check_braces("{:s}{:?}{:.5}{:>10.3s}{:10}", "zvzvz")  // compiles
check_braces("{:s}{:d}{:x}{:?}{:c}{:d}", "bbcccc")    // compiles
check_braces("{:p}{:>20}", "pp")                      // compiles
check_braces("{:0}{:0>5}", "ii")                      // compiles
check_braces("{}{}{}{}{}{}{}{}{}{}{}{}", "bcahstijlmfd") // compiles
