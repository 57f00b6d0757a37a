"""The scan for functions: what it must count, and what it must not mistake for a function."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "scripts/lib"))

from cpp_functions import UnbalancedBraces, definitions_of, functions_of  # noqa: E402
from tidy_checks import LONGEST_FUNCTION, Tree, function_length  # noqa: E402

BODY = "    ++count;\n" * 41


def found(text):
    return [(f.name, f.line, f.lines) for f in functions_of(text)]


class CountsAsAFunction(unittest.TestCase):
    def assert_one(self, opening, name, closing="}\n", line=1):
        self.assertEqual(found(opening + "\n" + BODY + closing), [(name, line, 41)])

    def test_a_plain_one(self):
        self.assert_one("int f(int a) {", "f")

    def test_one_on_a_single_line_has_none_between_its_braces(self):
        self.assertEqual(found("int f() { return 1; }\n"), [("f", 1, 0)])

    def test_a_member_of_a_class_in_a_namespace(self):
        self.assert_one("namespace a::b {\nclass C final : public D {\n  public:\n"
                        "    int f() const noexcept {", "f", "}\n};\n}\n", line=4)

    def test_a_template_with_a_constraint(self):
        self.assert_one("template <class T, int N = (3 > 2)>\n"
                        "    requires std::integral<T>\nauto f(T a) -> int {", "f")

    def test_a_constructor_with_a_member_list(self):
        self.assert_one("C::C(int a) : a_{a}, b_(a), c_{{1}, 2} {", "C")

    def test_a_constrained_constructor(self):
        self.assert_one("C(int a) requires(!std::default_initializable<T>) {", "C")

    def test_an_operator(self):
        self.assert_one("bool C::operator==(const C& other) const {", "operator==")

    def test_a_test(self):
        self.assert_one("TEST(Subject, BehavesSo) {", "Subject.BehavesSo")

    def test_a_default_argument_in_braces(self):
        self.assert_one("int f(C c = {}, D d = D{1}) {", "f")

    def test_lambdas_and_local_types_count_with_their_function(self):
        self.assertEqual(found("int f() {\n    struct S {\n        int g() {}\n    };\n"
                               "    auto l = [] {\n    };\n}\n"), [("f", 1, 5)])

    def test_braces_in_text_and_comments_do_not_count(self):
        self.assertEqual(found("int f() {\n    g(\"{\", '{', R\"(\n{)\");  // {\n    /* { */\n}\n"),
                         [("f", 1, 3)])

    def test_digit_separators_are_not_quotes(self):
        self.assertEqual(found("int f() {\n    return 1'000'000;\n}\nint g() {\n}\n"),
                         [("f", 1, 1), ("g", 4, 0)])

    def test_branches_of_the_preprocessor_that_open_twice(self):
        self.assertEqual(found("#if A\nint f(int a) {\n#else\nint f() {\n#endif\n}\n"),
                         [("f", 2, 3)])


class IsNoFunction(unittest.TestCase):
    def assert_none(self, opening, closing="};\n"):
        self.assertEqual(found(opening + "\n" + BODY + closing), [])

    def test_a_namespace(self):
        self.assert_none("namespace {", "}\n")

    def test_extern_c(self):
        self.assert_none('extern "C" {', "}\n")

    def test_a_struct_with_attributes_and_bases(self):
        self.assert_none("struct [[nodiscard]] alignas(8) S : A<int(int)>, B {")

    def test_an_enumeration(self):
        self.assert_none("enum class E : unsigned {")

    def test_a_table_of_data(self):
        self.assert_none("constexpr int kTable[] = {")

    def test_a_member_initialised_in_braces(self):
        self.assert_none("static constexpr Info kInfo{")

    def test_a_concept(self):
        self.assert_none("template <class T>\nconcept C = requires(T a) {")

    def test_arguments_of_a_macro(self):
        self.assert_none("INSTANTIATE_TEST_SUITE_P(A, B, Values(C{", "}));\n")


class Definitions(unittest.TestCase):
    def assert_defined(self, text, *expected):
        self.assertEqual([d.name for d in definitions_of(text)], list(expected))

    def test_types_have_their_namespaces(self):
        self.assert_defined("namespace a {\nnamespace b {\nstruct C : D {\n};\n}\n"
                            "enum class [[nodiscard]] E : int {\n};\n}\nunion U {\n};\n",
                            "a::b::C", "a::E", "U")

    def test_a_nested_type_that_is_defined_outside_has_its_full_name(self):
        self.assert_defined("namespace a {\nstruct B::Impl {\n};\n}\n", "a::B::Impl")

    def test_functions_have_their_parameters(self):
        self.assert_defined("template <class T>\nstd::vector<int> f(T a,\n      g(*b)(int)) {\n}\n",
                            "f(T a, g(*b)(int))")

    def test_what_one_file_alone_sees_is_left_out(self):
        self.assert_defined("namespace {\nstruct A {\n};\nnamespace b {\nstruct C {\n};\n}\n}\n"
                            "static int f() {\n}\n")

    def test_members_and_specializations_are_left_out(self):
        self.assert_defined("A::A(int b) : b_(b) {\n}\nint A::f() {\n}\n"
                            "std::function<bool()> A::g() {\n}\nA::operator bool() {\n}\n"
                            "template <>\nstruct Hash<A> {\n    int f() {\n    }\n};\n"
                            "template <>\nstruct std::hash<A> {\n};\n")


class Limits(unittest.TestCase):
    def test_eighty_lines_pass_and_eighty_one_do_not(self):
        tree = Tree("/nowhere")
        for lines, expected in ((80, []), (81, ["function 'f' of 81 lines; at most 80"])):
            tree.lines = {Path("core/src/a.cpp"): ["", "int f() {", *["++a;"] * lines, "}"]}
            self.assertEqual([m for _, line, m in function_length(tree) if line == 2], expected)
        self.assertEqual(LONGEST_FUNCTION, 80)

    def test_python_is_held_to_it_too(self):
        tree = Tree("/nowhere")
        tree.lines = {Path("scripts/a"): ["#!/usr/bin/env python3", "def f():", *["    1"] * 81]}
        self.assertEqual(list(function_length(tree)),
                         [(Path("scripts/a"), 2, "function 'f' of 81 lines; at most 80")])

    def test_a_lost_scan_says_where(self):
        with self.assertRaises(UnbalancedBraces) as lost:
            functions_of("int f() {\n    if (a) {\n}\n")
        self.assertEqual(lost.exception.line, 1)


if __name__ == "__main__":
    unittest.main()
