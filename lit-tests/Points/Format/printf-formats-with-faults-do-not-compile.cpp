// A printf format with a fault does not compile, and the message names the fault.
// RUN: %python %S/Inputs/try-formats.py 17 %tprt_include %s "%plain_clangxx" | FileCheck %s
// CHECK: formats
// CHECK: {{^}}0 surprises

check_printf("%n", "p")           // fails: tprt_format_must_not_have_percent_n
check_printf("%ln", "p")          // fails: tprt_format_must_not_have_percent_n
check_printf("%*d", "ii")         // fails: tprt_format_must_not_take_a_width_from_an_argument
check_printf("%-*d", "ii")        // fails: tprt_format_must_not_take_a_width_from_an_argument
check_printf("%*s", "iz")         // fails: tprt_format_must_not_take_a_width_from_an_argument
check_printf("%1$d", "i")         // fails: tprt_format_must_not_have_positional_conversions
check_printf("%1$*2$d", "ii")     // fails: tprt_format_must_not
check_printf("%.*1$f", "id")      // fails: tprt_format_must_not_have_positional_conversions
check_printf("%ls", "z")          // fails: tprt_format_must_not_have_wide_characters_or_long_double
check_printf("%lc", "i")          // fails: tprt_format_must_not_have_wide_characters_or_long_double
check_printf("%S", "z")           // fails: tprt_format_must_not_have_wide_characters_or_long_double
check_printf("%Lf", "d")          // fails: tprt_format_must_not_have_wide_characters_or_long_double
check_printf("%", "")             // fails: tprt_format_ends_inside_a_conversion
check_printf("%-5.", "i")         // fails: tprt_format_ends_inside_a_conversion
check_printf("%l", "l")           // fails: tprt_format_ends_inside_a_conversion
check_printf("%k", "i")           // fails: tprt_format_has_an_unknown_conversion
check_printf("%m", "")            // fails: tprt_format_has_an_unknown_conversion
check_printf("%5%", "")           // fails: tprt_format_has_an_unknown_conversion
check_printf("%hs", "z")          // fails: tprt_format_has_an_unknown_conversion
check_printf("%.-5d", "i")        // fails: tprt_format_has_an_unknown_conversion
check_printf("%d", "")            // fails: tprt_format_has_more_conversions_than_arguments
check_printf("%d %s", "i")        // fails: tprt_format_has_more_conversions_than_arguments
check_printf("%.*s", "i")         // fails: tprt_format_has_more_conversions_than_arguments
check_printf("text", "i")         // fails: tprt_format_has_fewer_conversions_than_arguments
check_printf("%d", "iz")          // fails: tprt_format_has_fewer_conversions_than_arguments
check_printf("%s", "i")           // fails: tprt_format_conversion_does_not_fit_its_argument
check_printf("%d", "z")           // fails: tprt_format_conversion_does_not_fit_its_argument
check_printf("%d", "d")           // fails: tprt_format_conversion_does_not_fit_its_argument
check_printf("%f", "i")           // fails: tprt_format_conversion_does_not_fit_its_argument
check_printf("%x", "p")           // fails: tprt_format_conversion_does_not_fit_its_argument
check_printf("%p", "l")           // fails: tprt_format_conversion_does_not_fit_its_argument
check_printf("%p", "v")           // fails: tprt_format_conversion_does_not_fit_its_argument
check_printf("%.*s", "zz")        // fails: tprt_format_precision_is_an_argument_that_is_no_int
check_printf("%.*s", "lz")        // fails: tprt_format_precision_is_an_argument_that_is_no_int
check_printf("a\0b", "")          // fails: tprt_format_contains_a_zero_byte
