// RUN: delta-opt %s --emit=cuda -o - | FileCheck %s --match-full-lines --strict-whitespace

// A line ends inside brackets that closed before the limit was reached, where
// the next bracket has opened another one in their place: lines that follow are
// aligned behind the bracket that is open there, not behind the later one.

cuda.file "line_breaks.cu" {
  cuda.function @closed(%sum: index {cuda.name = "the_sum_of_what_came_before_it"}, %last: index {cuda.name = "the_last_one_that_is_left_over"}, %wide: index {cuda.name = "a_name_that_reaches_beyond_the_limit_of_a_line_together_with_them"}) attributes {internal} {
    %one = cuda.literal 1 : index
    %total = cuda.binary add %sum, %last : index, index -> index
    %object = cuda.call "first"(%one, %total) {pure} : (index, index) -> !cuda.opaque<"Object">
    cuda.method %object "second"(%wide) : !cuda.opaque<"Object"> (index) -> ()
    cuda.return
  }
}
//      CHECK:  first(1,
// CHECK-NEXT:        the_sum_of_what_came_before_it +
// CHECK-NEXT:        the_last_one_that_is_left_over).second(a_name_that_reaches_beyond_the_limit_of_a_line_together_with_them);
