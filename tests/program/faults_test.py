"""Exit code 5: a simulation that ends its process, throws, hangs, or eats its stack or memory."""

import os
import unittest

from program import ProgramTest, row

FAULTS = {
    "abort": "killed by signal 6 (Aborted) in step of tick 20",
    "segfault": "killed by signal 11 (Segmentation fault) in step of tick 20",
    "stack": "killed by signal 11 (Segmentation fault) in step of tick 20",
    "kill": "killed by signal 9 (Killed) in step of tick 20, and before that when it was run "
            "first: does it kill itself or its parent, or is memory running out?",
    "exit": "ended its process with exit code 0 in step of tick 20",
    "throw": "tick 20: step failed: planted",
    "throw-int": "tick 20: step failed: an exception that is not a std::exception",
    "hang": "no progress for 2000 ms in step of tick 20",
    "memory": "tick 20: step failed: std::bad_alloc",
}
PLACES = {
    "create": "in create, before tick 0",
    "begin_frame": "in begin_frame, before tick 21",
    "hash": "in hash after tick 20",
    "render": "in render after tick 20",
}
LIMITS = {"hang": "--timeout 2", "memory": "--memory-limit 600"}  # time enough when it is busy


class Faults(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim ./faulty.so --ticks 60")
        cls.faults = dict(FAULTS)
        if "ISOTICK_WITHOUT_MEMORY_LIMIT" in os.environ:  # sanitizers need all the memory there is
            del cls.faults["memory"]

    @staticmethod
    def with_fault(fault, call="step"):
        return (f"--sim ./faulty.so --environment fault={fault} --environment in={call} "
                f"{LIMITS.get(fault, '')}")

    def test_replay_ends_with_the_fault_and_its_tick(self):
        for fault, reason in self.faults.items():
            verdict = "TIMED-OUT" if fault == "hang" else "CRASHED"
            run = self.ends(5, f"replay s.isotick {self.with_fault(fault)}", f"\n{verdict}\n")
            self.assertEqual(row(run.out, "reason"), reason)

    def test_verify_ends_with_the_fault_and_its_tick(self):
        for fault, reason in self.faults.items():
            verdict = "TIMED-OUT" if fault == "hang" else "CRASHED"
            run = self.ends(5, f"verify s.isotick --trials 4 {self.with_fault(fault)}",
                            f"\n{verdict}  0 of 1 trials identical\n")
            self.assertEqual(row(run.out, "reason"), reason)

    def test_record_ends_with_the_fault_and_its_tick(self):
        for fault, reason in self.faults.items():
            name = f"{fault}.isotick"
            run = self.ends(5, f"record --ticks 60 -o {name} {self.with_fault(fault)}",
                            f"isotick: error: {reason}\n")
            self.assertEqual(run.out, "")
            self.assertIn(f"{name} is left unfinished, with the first 0 ticks", run.err)
            self.ends(4, f"replay {name} --sim ./faulty.so", "no tick's hash was compared")

    def test_every_call_is_named(self):
        for call, place in PLACES.items():
            for fault in ("abort", "throw"):
                options = self.with_fault(fault, call)
                run = self.ends(5, f"replay s.isotick {options}", "\nCRASHED\n")
                self.assertIn(place, row(run.out, "reason"))
                self.ends(5, f"record --ticks 60 --force -o calls.isotick {options}", place)

    def test_who_cuts_itself_off_is_caught_in_the_act(self):
        for fault, reason in (
                ("close-all", "closed file descriptors that isotick needs"),
                ("kill-parent", "its parent process was killed by signal 9 (Killed)")):
            for call, place in {"step": "in step of tick 20", **PLACES}.items():
                if call != "create":
                    run = self.ends(5, f"replay s.isotick {self.with_fault(fault, call)}",
                                    "\nCRASHED\n")
                    self.assertTrue(row(run.out, "reason").startswith(f"{reason} {place}"), run.out)
            run = self.ends(5, f"verify s.isotick --trials 4 {self.with_fault(fault)}",
                            "\nCRASHED  0 of 1 trials identical\n")
            self.assertIn("in step of tick 20", row(run.out, "reason"))

    def test_nothing_is_left_of_a_recording_that_never_began(self):
        run = self.ends(5, f"record -o never.isotick {self.with_fault('abort', 'create')}")
        self.assertIn("no recording was written", run.err)
        self.assertFalse(self.path("never.isotick").exists())

    def test_the_reproducing_command_ends_the_same_way(self):
        for fault, reason in self.faults.items():
            run = self.isotick(f"verify s.isotick --trials 4 {self.with_fault(fault)}")
            again = self.shell(row(run.out, "reproduce"))
            self.assertEqual(again.code, 5, again)
            self.assertEqual(row(again.out, "reason"), reason)

    def test_what_it_prints_never_reaches_stdout(self):
        printing = "--sim ./faulty.so --environment fault=print"
        for command in ("replay s.isotick", "verify s.isotick --trials 4",
                        "record --ticks 40 -o printed.isotick"):
            loud = self.ends(0, f"{command} {printing}")
            self.assertNotIn("of the simulation", loud.out)
            quiet = self.ends(0, f"{command.replace('printed', 'silent')} --sim ./faulty.so")
            self.assertEqual(loud.out.replace("printed.", "silent."), quiet.out)
        loud = self.ends(0, f"replay s.isotick {printing}")
        self.assertIn("the simulation printed:\n  | tick 0 of the simulation\n", loud.err)
        self.assertIn("  | tick 59 of the simulation\n", loud.err)

    def test_a_worker_that_is_killed_once_from_outside_changes_nothing_on_stdout(self):
        for command in ("replay s.isotick", "verify s.isotick --trials 4"):
            usual = self.ends(0, f"{command} --sim ./faulty.so")
            killed = self.ends(0, f"{command} {self.with_fault('kill')} "
                               f"--environment once={command[:6]}")
            self.assertEqual(killed.out, usual.out)
            self.assertEqual(killed.err, "isotick: a worker was killed by signal 9 (Killed) in "
                             "step of tick 20, from outside; its trial runs again in a fresh "
                             "process\n")

    def test_a_crash_that_does_not_happen_again_is_nondeterministic(self):
        run = self.ends(1, f"replay s.isotick {self.with_fault('abort')} --environment once=done",
                        "\nNONDETERMINISTIC\n")
        self.assertEqual(row(run.out, "reason"), f"it crashed ({FAULTS['abort']}); the same trial "
                         "in a fresh process was identical")

    def test_faults_in_json(self):
        report = self.read_json(5, f"replay s.isotick {self.with_fault('abort')}")
        self.assertEqual(report["verdict"], "crashed")
        self.assertEqual(report["reason"], FAULTS["abort"])
        report = self.read_json(5, f"verify s.isotick {self.with_fault('hang')}")
        self.assertEqual(report["verdict"], "timed-out")
        self.assertEqual(report["recordings"][0]["failures"][0]["trial"], 0)


if __name__ == "__main__":
    unittest.main()
