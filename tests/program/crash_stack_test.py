"""Where a simulation crashed or hangs: rows `crashed in` and `hangs in`, and `stack` in JSON."""

import os
import unittest

from program import KNOWS_LINES, PLUGINS, ProgramTest, line_of, row

MISDEEDS = "tests/support/misconduct.cpp"
# The innermost function with a name, and the text of its line.
CRASHES = {
    "abort": ("lambda", '{"abort", '),
    "null": ("call_nothing", "    nothing();"),
    "stack": ("overflow_stack", "frame[0] = static_cast<char>(depth);"),
    "child-crash": ("crash_after_child", "std::abort();  // this process"),
    "double-free": ("free_twice", "std::free(block);  // again"),
}
HAS_SANITIZERS = "ISOTICK_WITHOUT_MEMORY_LIMIT" in os.environ


@unittest.skipUnless(KNOWS_LINES, "nothing here reads debug information")
@unittest.skipIf(HAS_SANITIZERS, "sanitizers handle these signals")
class CrashStack(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim ./faulty.so --ticks 60")

    def fault(self, name, options=""):
        return f"s.isotick --sim ./faulty.so --environment fault={name} {options}"

    def stack(self, name, options=""):
        replayed = self.read_json(5, f"replay {self.fault(name, options)}")
        return [(place["function"], place["line"]) for place in replayed["stack"]]

    def test_the_line_is_named_with_what_led_to_it(self):
        for name, (function, text) in CRASHES.items():
            with self.subTest(name):
                stack = self.stack(name)
                self.assertIn(function, stack[0][0])
                self.assertEqual(stack[0][1], line_of(MISDEEDS, text))
                if name != "stack":
                    self.assertEqual(stack[-1][0], "Faulty::step")

    def test_in_whichever_call(self):
        for call in ("create", "render", "begin_frame"):
            with self.subTest(call):
                stack = self.stack("abort", f"--environment in={call}")
                self.assertEqual(stack[:2], self.stack("abort")[:2])

    def test_a_hang_is_seen_where_it_is(self):
        for name in ("hang", "wait"):
            with self.subTest(name):
                run = self.ends(5, f"replay {self.fault(name, '--timeout 2')}")
                self.assertIn("Faulty::step (faulty.cpp:", row(run.out, "hangs in"))

    def test_each_signal_ends_it_as_before(self):
        """Also where an axis has a handler of its own in front."""
        for number, name in ((4, "Illegal instruction"), (6, "Aborted"), (7, "Bus error"),
                             (8, "Floating point exception"), (11, "Segmentation fault")):
            for varied in ("", "--vary counter=3"):
                with self.subTest(name, varied=varied):
                    options = f"--environment with={number} {varied}"
                    run = self.ends(5, f"replay {self.fault('signal', options)}")
                    self.assertEqual(row(run.out, "reason"),
                                     f"killed by signal {number} ({name}) in step of tick 20")
                    self.assertIn("Faulty::step (faulty.cpp:", row(run.out, "crashed in"))

    def test_a_recursion_is_one_call(self):
        run = self.ends(5, f"replay {self.fault('stack')}")
        line = line_of(MISDEEDS, "overflow_stack(depth + 1)")
        self.assertRegex(row(run.out, "crashed in"),
                         rf"(^|← )overflow_stack \(misconduct.cpp:{line}\), [5-8] times$")

    def test_verify_shows_it_too(self):
        run = self.ends(5, f"verify {self.fault('null')}")
        self.assertTrue(row(run.out, "crashed in").startswith("call_nothing (misconduct.cpp:"),
                        run.out)

    def test_of_what_ends_otherwise_there_is_none(self):
        for name in ("throw", "exit", "kill"):
            with self.subTest(name):
                self.assertEqual(self.stack(name), [])

    def test_a_stripped_plugin_has_offsets(self):
        self.shell(f"strip -o stripped.so {PLUGINS}/libisotick_faulty.so")
        self.record("stripped.isotick", "--sim ./stripped.so --ticks 60")
        run = self.ends(5, "replay stripped.isotick --sim ./stripped.so --environment fault=null")
        self.assertRegex(row(run.out, "crashed in"), r"^stripped\.so\+0x[0-9a-f]+")


if __name__ == "__main__":
    unittest.main()
