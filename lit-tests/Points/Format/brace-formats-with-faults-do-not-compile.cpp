// A {} format with a fault does not compile, and the message names the fault.
// RUN: %python %S/Inputs/try-formats.py 20 %tprt_include %s "%plain_clangxx" | FileCheck %s
// CHECK: formats
// CHECK: {{^}}0 surprises

check_braces("{", "i")            // fails: tprt_format_has_a_brace_without_its_partner
check_braces("{:5", "i")          // fails: tprt_format_has_a_brace_without_its_partner
check_braces("}", "")             // fails: tprt_format_has_a_brace_without_its_partner
check_braces("{}}", "i")          // fails: tprt_format_has_a_brace_without_its_partner
check_braces("{{}", "i")          // fails: tprt_format_has_a_brace_without_its_partner
check_braces("{:q}", "i")         // fails: tprt_format_has_an_unknown_specification
check_braces("{x}", "i")          // fails: tprt_format_has_an_unknown_specification
check_braces("{:.}", "d")         // fails: tprt_format_has_an_unknown_specification
check_braces("{00}", "i")         // fails: tprt_format_has_an_unknown_specification
check_braces("{:5 }", "i")        // fails: tprt_format_has_an_unknown_specification
check_braces("{:00005}", "i")     // fails: tprt_format_has_an_unknown_specification
check_braces("{:{}}", "ii")       // fails: tprt_format_must_not_take_a_width_from_an_argument
check_braces("{:.{}}", "di")      // fails: tprt_format_must_not_take_a_width_from_an_argument
check_braces("{:L}", "d")         // fails: tprt_format_must_not_depend_on_the_locale
check_braces("{}", "")            // fails: tprt_format_has_more_replacement_fields_than_arguments
check_braces("{} {}", "i")        // fails: tprt_format_has_more_replacement_fields_than_arguments
check_braces("{1}", "i")          // fails: tprt_format_has_more_replacement_fields_than_arguments
check_braces("{99999999999}", "i") // fails: tprt_format_has_more_replacement_fields_than_arguments
check_braces("text", "i")         // fails: tprt_format_leaves_an_argument_out
check_braces("{}", "ii")          // fails: tprt_format_leaves_an_argument_out
check_braces("{1}", "ii")         // fails: tprt_format_leaves_an_argument_out
check_braces("{} {0}", "ii")      // fails: tprt_format_mixes_numbered_and_unnumbered_fields
check_braces("{0} {}", "ii")      // fails: tprt_format_mixes_numbered_and_unnumbered_fields
check_braces("{:d}", "z")         // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:s}", "i")         // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:f}", "i")         // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:x}", "d")         // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:.2}", "i")        // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:+}", "z")         // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:05}", "z")        // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:#}", "b")         // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:c}", "b")         // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:x}", "p")         // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:+c}", "i")        // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("{:.2?}", "z")       // fails: tprt_format_specification_does_not_fit_its_argument
check_braces("a\0b", "")          // fails: tprt_format_contains_a_zero_byte
