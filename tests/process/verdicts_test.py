"""What a process does wrong is a verdict with its tick, never a hang; and no process is left."""

import os
import re
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "program"))

from host import HERE, command_of, is_gone, python_command  # noqa: E402
from program import ProgramTest, row, some  # noqa: E402

TIMEOUT = "--timeout 2"  # time enough when it is busy
NO_ANSWER = "its process wrote something to stdout that is not an answer: "
GONE = {
    "exit": "its process ended with exit code 3",
    "segfault": "its process was killed by signal 11 (Segmentation fault)",
    "raise": "RuntimeError: planted",
    "garbage": NO_ANSWER + "bytes c8 c9 ca cb cc; ",
    "text": NO_ANSWER + "'tick of the simulation'; ",
    "huge": NO_ANSWER + "bytes ff ff ff ff 00; ",
    "status": NO_ANSWER + "bytes 01 00 00 00 09; ",
    "half": "its process ended with exit code 0; before that it wrote something "
            "that is not an answer: bytes 01 00 00",
    "close": "its process ",
}


def sim(program, *arguments):
    return f"--sim {python_command(program, *arguments)}"


class Faults(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", f"{sim('faulty_sim.py')} --ticks 200 --seed 3")

    def with_fault(self, fault, verb="step", at=137, command="replay s.isotick"):
        return (f"{command} {sim('faulty_sim.py')} --environment fault={fault} "
                f"--environment in={verb} --environment at={at} {TIMEOUT}")

    def reason(self, verdict, *how, **more):
        run = self.ends(5, self.with_fault(*how, **more), f"\n{verdict}")
        return row(run.out, "reason"), run

    def test_none_is_identical(self):
        self.ends(0, self.with_fault(""), "IDENTICAL")
        self.ends(0, self.with_fault("", command="verify s.isotick --schedule 45hz"), "IDENTICAL")

    def test_that_end_a_process_are_crashes_with_their_tick(self):
        for fault, what in some(GONE.items(), 4):
            with self.subTest(fault):
                reason, _ = self.reason("CRASHED", fault)
                self.assertTrue(reason.startswith(f"tick 137: step failed: {what}"), reason)

    def test_that_verify_meets_are_the_same(self):
        for fault in ("exit", "text"):
            reason, run = self.reason("CRASHED", fault, command="verify s.isotick --schedule 45hz")
            self.assertTrue(reason.startswith(f"tick 137: step failed: {GONE[fault]}"), reason)
            self.assertIn("0 of 1 trials identical", run.out)

    def test_that_hang_time_out_at_their_tick(self):
        for fault, command in some((("hang", "replay s.isotick"),
                                    ("hang", "verify s.isotick --schedule 45hz"),
                                    ("child", "replay s.isotick")), 2):
            with self.subTest(fault, command=command):
                reason, _ = self.reason("TIMED-OUT", fault, command=command)
                self.assertEqual(reason, "no progress for 2000 ms in step of tick 137")

    def test_in_other_verbs_are_placed(self):
        for verb, crashed, hung in some((
                ("begin_frame", "begin_frame failed: ", "in begin_frame, before tick 138"),
                ("render", "render failed: ", "in render after tick 137"),
                ("hash", "hash failed: ", "in hash after tick 137"),
                ("create", "create failed: ", "in create, before tick 0")), 2):
            with self.subTest(verb):
                reason, _ = self.reason("CRASHED", "exit", verb)
                self.assertTrue(reason.startswith(crashed + GONE["exit"]), reason)
                self.assertTrue(verb == "create" or reason.endswith(hung), reason)
                reason, _ = self.reason("TIMED-OUT", "hang", verb)
                self.assertEqual(reason, f"no progress for 2000 ms {hung}")

    def test_of_too_many_hashes_are_crashes(self):
        reason, _ = self.reason("CRASHED", "hashes", "hash")
        self.assertIn("24 bytes of hashes; 2 parts take 8 each", reason)

    def test_of_answering_twice_are_seen_in_the_next_hash(self):
        reason, _ = self.reason("CRASHED", "twice")
        self.assertEqual(reason, "hash failed: its process answered with 0 bytes of hashes; 2 "
                                 "parts take 8 each, in hash after tick 137")

    def test_of_hostile_checkpoints_are_crashes(self):
        for fault, says in (
                ("long", "named a checkpoint in 10240 bytes; 1000 are the most"),
                ("many", "named 1001 checkpoints in a step; 1000 are the most"),
                ("million", "answered a step with 5000005 bytes; 1048576 are the most"),
                ("bytes", r"named a checkpoint in bytes that are not UTF-8, or have a zero: "
                          r"'a\xff'"),
                ("zero", r"named a checkpoint in bytes that are not UTF-8, or have a zero: "
                         r"'a\u0000b'"),
                ("cut", "named checkpoints in an answer that ends too early")):
            with self.subTest(fault):
                run = self.ends(5, self.with_fault(f"names={fault}") + "0",  # a timeout of 20 s
                                "\nCRASHED")
                self.assertEqual(row(run.out, "reason"),
                                 f"tick 137: step failed: its process {says}")

    def test_of_longer_answers_than_specified_are_none(self):
        self.ends(0, self.with_fault("hashes"), "IDENTICAL")

    def test_come_with_what_the_process_wrote_to_stderr(self):
        _, run = self.reason("CRASHED", "raise")
        self.assertIn("  | RuntimeError: planted\n", run.err)
        self.assertNotIn("Traceback", run.out)

    def test_of_never_ending_do_not_hold_a_trial_up(self):
        self.ends(0, self.with_fault("deaf") + "0", "IDENTICAL")  # a timeout of 20 s

    def test_leave_no_process(self):
        for command in some(("replay s.isotick", "record --ticks 200 --force -o other.isotick"), 1):
            for fault in ("child", "hang", "deaf"):
                with self.subTest(fault, command=command):
                    mark = f"mark=of-{fault}-{os.getpid()}"
                    self.isotick(f"{command} {sim('faulty_sim.py', mark)} {TIMEOUT} "
                                 f"--environment fault={fault} --environment at=137")
                    self.are_gone(mark)

    def test_of_a_child_leave_no_child(self):
        _, run = self.reason("TIMED-OUT", "child")
        children = re.findall(r"^  \| (\d+)$", run.err, re.M)
        self.assertTrue(children)
        for child in children:
            self.assertTrue(is_gone(child), child)

    def are_gone(self, mark):
        """A killed process may take a moment until nobody sees it."""
        deadline = time.monotonic() + 2
        while found := [name for name in os.listdir("/proc") if name.isdigit()
                        and mark in command_of(name)]:
            self.assertLess(time.monotonic(), deadline, found)
            time.sleep(0.05)


class Starts(ProgramTest):
    def refuses_command(self, command, says):
        self.refuses(f"record -o x.isotick --sim '{command}'", says)
        self.assertFalse(self.path("x.isotick").exists())

    def test_of_a_command_that_does_not_exist_are_mistakes(self):
        run = self.ends(2, "record -o x.isotick --sim exec:./no-such-program",
                        "there is no such command")
        self.assertIn("the simulation printed:\n  | ", run.err)  # by the shell

    def test_that_fail_are_shown_with_what_was_printed(self):
        dying = f"exec:{sys.executable} -c \"import no_such_module\""
        for command in ("record -o x.isotick --sim", "sims"):
            run = self.ends(2, f"{command} '{dying}'", "ended with exit code 1")
            self.assertIn("\n  | ModuleNotFoundError: No module named 'no_such_module'\n", run.err)
            self.assertIn("(isotick sims --check tries all of it)", run.err)

    def test_of_a_program_that_speaks_no_protocol_are_mistakes(self):
        self.refuses_command("exec:echo hello, world", "not an answer: 'hello, world'")
        self.refuses_command("exec:true", "ended with exit code 0")

    def test_that_print_before_they_serve_are_told_where_to_print(self):
        unbuffered = f"exec:PYTHONUNBUFFERED=1 {sys.executable} -B {HERE / 'awkward_sim.py'}"
        run = self.ends(2, f"record -o x.isotick --sim '{unbuffered}'", "'printed before serve'")
        self.assertEqual(run.out, "")
        # Before the error there may be what the process says to being hung up on.
        error = run.err.splitlines()[-1]
        self.assertTrue(error.startswith("isotick: error: "), run.err)
        self.assertTrue(error.endswith("write everything else to stderr"), run.err)
        self.assertFalse(self.path("x.isotick").exists())


class Reach(ProgramTest):
    """Checkpoints that a process says its steps have passed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.process = sim("faulty_sim.py")
        cls.served = "--sim 'exec:isotick serve --sim skirmish'"
        cls.record("s.isotick", f"{cls.process} --ticks 110")
        cls.record("battle.isotick", "--sim skirmish --config units=60 --ticks 60")

    def test_what_is_reached_is_identical(self):
        self.ends(0, f"verify s.isotick {self.process} --trials 2 --must-reach 'tick 10' "
                  "--must-reach 'tick 100'", "IDENTICAL")
        self.ends(0, f"verify battle.isotick {self.served} --trials 6 --must-reach orders "
                  "--must-reach movement", "IDENTICAL")

    def never_reaches_boss(self, recording, simulation, passed):
        run = self.ends(4, f"verify {recording} {simulation} --trials 2 --must-reach boss",
                        "INCONCLUSIVE")
        self.assertIn(f"never reached 'boss': it passed {passed}", " ".join(run.out.split()))

    def test_what_is_not_reached_is_inconclusive(self):
        self.never_reaches_boss("s.isotick", self.process, "tick 10, tick 100")
        self.never_reaches_boss("battle.isotick", self.served, "orders, production, movement")

    def test_what_each_recording_reaches_is_told(self):
        self.path("corpus").mkdir()
        self.record("corpus/s.isotick", f"{self.process} --ticks 20")
        listed = self.read_json(0, f"corpus corpus --replay {self.process}")["recordings"]
        self.assertEqual([one["exercises"]["checkpoints"] for one in listed], [["tick 10"]])


class Simulations(ProgramTest):
    def test_the_spring_is_identical(self):
        self.record("spring.isotick", f"{sim('spring_sim.py')} --ticks 300")
        self.ends(0, f"verify spring.isotick {sim('spring_sim.py')} --trials 4", "IDENTICAL")

    def test_the_village_with_a_set_is_nondeterministic_and_its_fields_are_named(self):
        village = sim("leaky_sim.py")
        self.record("set.isotick", f"{village} --ticks 120 --config order=set")
        run = self.ends(1, f"verify set.isotick {village} --trials 3", "NONDETERMINISTIC")
        self.assertRegex(run.out, r'villagers(\["[a-z]+"\]|\[\*\])\.|queue')
        self.assertIn("run A → run B", run.out)

    def test_the_village_that_is_sorted_is_identical(self):
        village = sim("leaky_sim.py")
        self.record("sorted.isotick", f"{village} --ticks 120 --config order=sorted")
        self.ends(0, f"verify sorted.isotick {village} --trials 4", "IDENTICAL")


class Served(ProgramTest):
    """What isotick serves is what it runs itself."""

    @staticmethod
    def served(simulation):
        return f"--sim 'exec:isotick serve --sim {simulation}'"

    def test_replays_what_the_built_in_recorded(self):
        self.record("s.isotick", "--sim skirmish --config units=60 --ticks 300")
        for schedule in ("60hz", "45hz", "mix(seed=3)"):
            here = self.ends(0, f"replay s.isotick --schedule '{schedule}'").out
            there = self.ends(0, f"replay s.isotick --schedule '{schedule}' "
                              f"{self.served('skirmish')}").out
            self.assertEqual(there, here)

    def test_diverges_as_the_built_in_does(self):
        for control in ("long-frame", "render-random"):
            with self.subTest(control):
                name = f"control:{control}"
                self.record(f"{control}.isotick", f"--sim {name} --config units=60 --ticks 100")
                command = f"replay {control}.isotick --schedule '40x16.667ms, 101.4ms, 1ms'"
                here = self.ends(1, command, "DIVERGED").out
                there = self.ends(1, f"{command} {self.served(name)}", "DIVERGED").out
                self.assertIn("\n  differs in  units (", here)
                self.assertEqual(without_command(there), without_command(here))


def without_command(report):
    """All rows but the one that says how to run it again, and with which simulation, and those
    that tell of the states at checkpoints and of writes, which no process shows."""
    return re.sub(r"\n  (reproduce|when|look at|written by|comes from) [^\n]*(\n {14}[^\n]*)*",
                  "", report)


if __name__ == "__main__":
    unittest.main()
