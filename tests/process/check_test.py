"""`isotick sims --check`: good clients pass, and each sin against the protocol is named by exactly
the check that is meant for it."""

import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "program"))

from host import is_gone, python_command as python  # noqa: E402
from program import ProgramTest, some  # noqa: E402

IMPATIENT = "--timeout 2"
AT_A_TIME = 3  # a check mostly waits
SINS = {
    "prints-first": "hello", "other-version": "hello",
    "nameless-part": "create", "twin-parts": "create",
    "hashes-too-many": "step", "answers-twice": "step", "names-checkpoints-at-length": "step",
    "hash-changes": "hash-twice",
    "names-change": "names",
    "refuses-most-players": "players",
    "refuses-long-inputs": "inputs",
    "answers-backwards": "batch", "drops-requests": "batch",
    "needs-whole-reads": "pieces",
    "dislikes-longer": "appended", "reads-appended": "appended",
    "dies-at-unknown-verbs": "unknown-verb", "fails-unknown-verbs": "unknown-verb",
    "pads-short-requests": "too-short",
    "believes-counts": "false-counts",
    "creates-twice": "wrong-order", "greets-twice": "wrong-order",
    "takes-no-inputs": "step-inputs", "takes-few-inputs": "step-inputs",
    "takes-many-inputs": "step-inputs", "takes-long-inputs": "step-inputs",
    "takes-any-tick": "step-times", "takes-any-dt": "step-times",
    "divides-by-zero": "step-times", "takes-another-dt": "step-times",
    "takes-any-alpha": "alphas",
    "proposes-for-anybody": "no-player",
    "goes-on-after-failure": "after-failure",
    "any-hello": "wrong-hello",
    "dies-at-bad-settings": "settings",
    "begin-frame-changes": "begin-frame", "dies-at-negative-frames": "begin-frame",
    "render-changes": "render",
    "fields-of-another-kind": "fields", "fields-change": "fields",
    "save-changes": "save",
    "forgets": "load",
    "dies-at-bad-snapshots": "bad-snapshot",
    "proposes-anything": "propose", "proposes-too-much": "propose", "proposing-changes": "propose",
    "describes-no-json": "describe", "composes-otherwise": "describe",
    "dies-at-bad-words": "hostile-inputs", "describes-anything": "hostile-inputs",
    "outlives-stdin": "end", "ends-with-1": "end", "writes-at-end": "end",
    "ends-well-when-cut-off": "cut-off",
    "ignores-sizes": "sizes", "takes-long-requests": "sizes",
    "process-in-hash": "same-again",
}


class CheckTest(ProgramTest):
    def checked(self, simulation, options="", code=0):
        """The report, and the names of the checks that failed."""
        report = self.read_json(code, f"sims --check {simulation} {options}")
        failed = [check["name"] for check in report["checks"] if check["outcome"] == "failed"]
        self.assertEqual(report["failed"], len(failed))
        return report, failed

    def left_out(self, report):
        return {check["name"] for check in report["checks"] if check["outcome"] == "left-out"}


class GoodOnes(CheckTest):
    def passes(self, simulation, *left_out, options=""):
        report, failed = self.checked(simulation, options)
        self.assertEqual(failed, [])
        self.assertEqual(self.left_out(report), set(left_out))

    def test_in_python_pass(self):
        words = ("describe", "hostile-inputs")
        snapshots = ("save", "load", "bad-snapshot", "fields", "note-writes")
        frames, proposals = ("begin-frame", "render", "alphas"), ("propose", "no-player")
        for program, left_out in some((
                ("counter_sim.py", (*frames, *proposals, *words, *snapshots)),
                ("spring_sim.py", ("begin-frame",)), ("faulty_sim.py", ()),
                ("trivial_sim.py", (*proposals, *words)), ("leaky_sim.py", (*frames, *words))), 2):
            self.passes(python(program), *left_out,
                        options="--config order=sorted" if program == "leaky_sim.py" else "")

    def test_that_are_built_in_pass(self):
        self.passes("skirmish", "note-writes")
        self.passes("spring", "begin-frame", "note-writes")
        self.passes("./pile.so", "begin-frame", "note-writes")

    def test_that_are_plugins_pass(self):
        self.passes("./faulty.so", "describe", "hostile-inputs", "note-writes")

    def test_without_a_sin_pass(self):
        self.passes("exec:./sinful", "note-writes")


class BadOnes(CheckTest):
    def test_are_named_by_the_check_that_is_meant_for_them(self):
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            ran = {sin: pool.submit(self.checked, f"'exec:./sinful {sin}'", IMPATIENT, 1)
                   for sin in some(SINS, 10)}
        for sin, done in ran.items():
            with self.subTest(sin):
                check = SINS[sin]
                report, failed = done.result()
                self.assertEqual(failed, [check])
                for found in report["checks"]:
                    if found["name"] == check:
                        self.assertTrue(found["came"] and found["advice"])

    def fails(self, check, *arguments, says):
        report, failed = self.checked(python("faulty_sim.py", *arguments), IMPATIENT, 1)
        self.assertEqual(failed, [check], arguments)
        for text in says:
            self.assertIn(text, str(report))

    def test_that_go_wrong_in_a_step_are_named_with_the_tick(self):
        for fault, says in some((
                ("hang", "did not answer within 2000 ms"), ("exit", "ended with exit code 3"),
                ("segfault", "killed by signal 11"), ("raise", "RuntimeError: planted"),
                ("close", "its process "), ("half", "that is not an answer"),
                ("garbage", "to stdout that is not an answer"), ("status", "not an answer"),
                ("text", "'tick of the simulation"), ("huge", "not an answer"),
                ("child", "2000 ms")), 4):
            with self.subTest(fault):
                self.fails("step", f"fault={fault}", "in=step", "at=20",
                           says=("tick 20: to step", says))

    def test_that_go_wrong_in_other_verbs_are_named(self):
        for verb, check in some((("hello", "hello"), ("create", "create"), ("hash", "step"),
                                 ("begin_frame", "begin-frame"), ("render", "render"),
                                 ("visit_fields", "fields"), ("save", "save"),
                                 ("propose_input", "propose")), 2):
            with self.subTest(verb):
                self.fails(check, "fault=exit", f"in={verb}", "at=20", says=["exit code 3"])

    def test_a_log_of_writes_that_is_none_is_named(self):
        self.fails("note-writes", "fault=hashes", "in=note_writes", "at=20",
                   says=["at tick 20, ", "a verb that changes no state"])

    def test_that_differ_between_processes_are_named_with_the_tick(self):
        report, failed = self.checked(python("leaky_sim.py"), code=1)
        self.assertEqual(failed, ["same-again"])
        self.assertRegex(str(report), "at tick [0-9]+, another hash of '")
        self.assertIn("load", self.left_out(report))


class Commands(CheckTest):
    def test_that_do_not_exist_cannot_be_checked(self):
        run = self.ends(5, "sims --check exec:./no-such-program", "there is no such command")
        self.assertEqual(run.out, "")

    def test_need_a_simulation_to_check(self):
        self.refuses("sims --check sprong", "unknown simulation 'sprong'")
        self.refuses("sims --timeout 3", "--timeout")
        self.refuses("sims --check spring --timeout 0", "--timeout")
        self.refuses("sims spring --check spring", "--check")

    def test_show_what_a_process_wrote_to_stderr(self):
        run = self.ends(1, f"sims --check {python('faulty_sim.py', 'fault=raise')}")
        self.assertIn("check step printed:\n  | Traceback", run.err)
        self.assertIn("  FAIL  step ", run.out)
        self.assertNotIn("Traceback", run.out)

    def test_print_the_same_bytes_each_time(self):
        command = "sims --check exec:./sinful"
        self.assertEqual(self.ends(0, command).out, self.ends(0, command).out)

    def test_leave_no_process_behind(self):
        run = self.isotick(f"sims --check {python('faulty_sim.py', 'fault=child')} --timeout 1")
        child = int(run.err.partition("printed:\n  | ")[2].split()[0])
        self.assertTrue(is_gone(child))


if __name__ == "__main__":
    unittest.main()
