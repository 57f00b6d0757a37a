"""`replay --in-process` computes and prints the same, in this process and in no other."""

import signal
import unittest

from program import ProgramTest, failing_tick, row

SESSIONS = {
    "skirmish": "--sim skirmish --config units=20 --ticks 60",
    "spring": "--sim spring --ticks 60",
    "faulty": "--sim ./faulty.so --ticks 40",
}
FAULTY = "replay faulty.isotick --sim ./faulty.so"


class InProcess(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in SESSIONS.items():
            cls.record(f"{name}.isotick", options)
        cls.record("leak.isotick", "--sim control:alpha --config units=20 --ticks 60")

    def agrees(self, code, command):
        there = self.ends(code, command)
        here = self.ends(code, f"{command} --in-process")
        self.assertEqual((here.out, here.err), (there.out, there.err), command)
        return here

    def test_it_prints_what_a_worker_does(self):
        for name, options in SESSIONS.items():
            replay = f"replay {name}.isotick {options[:options.index(' --ticks')]}"
            replay = replay.partition(" --config")[0]
            for looking in ("", "--print ''", "--schedule '22ms, 3ms'", "--until 20 --json"):
                self.agrees(0, f"{replay} {looking}")

    def test_it_can_be_watched(self):
        self.agrees(0, "replay spring.isotick --watch body.position")
        self.agrees(0, f"{FAULTY} --watch counter --print inputs")

    def test_it_leaves_the_same_state(self):
        self.ends(0, "replay skirmish.isotick --state there.state")
        self.ends(0, "replay skirmish.isotick --state here.state --in-process")
        self.assertEqual(self.content("here.state"), self.content("there.state"))

    def test_what_the_simulation_prints_stays_out_of_the_results(self):
        quiet = self.ends(0, FAULTY)
        run = self.ends(0, f"{FAULTY} --environment fault=print --in-process")
        self.assertEqual(run.out, quiet.out)
        self.assertTrue(run.err.startswith("tick 0 of the simulation\n"), run.err)
        self.assertTrue(run.err.endswith("tick 39 of the simulation\n"), run.err)

    def test_a_divergence_is_neither_confirmed_nor_explained(self):
        run = self.ends(1, "replay leak.isotick --schedule 144hz --in-process -v",
                        "DIVERGED  at tick")
        self.assertEqual(row(run.out, "confirmed"), "no")
        self.assertEqual(row(run.out, "why"),
                         "not looked for: that takes other processes (without --in-process)")
        there = self.ends(1, "replay leak.isotick --schedule 144hz -v")
        for name in ("recorded", "computed"):
            self.assertEqual(row(run.out, name), row(there.out, name))
        self.assertEqual(failing_tick(run.out), failing_tick(there.out))

    def test_a_crash_is_this_processs_own(self):
        run = self.ends(-signal.SIGABRT, f"{FAULTY} --environment fault=abort --in-process")
        self.assertEqual(run.out, "")

    def test_a_throw_is_a_verdict(self):
        self.agrees(5, f"{FAULTY} --environment fault=throw --watch counter")

    def test_nothing_limits_it(self):
        for option in ("--timeout 5", "--memory-limit 100", "--sim-a spring", "--fields all"):
            self.refuses(f"{FAULTY} --in-process {option}",
                         f"{option.split()[0]} excludes --in-process")

    def test_mistakes_are_the_same(self):
        for mistake in ("replay faulty.isotick", "replay spring.isotick --sim skirmish",
                        "replay faulty.isotick --sim ./none.so"):
            self.assertEqual(self.isotick(f"{mistake} --in-process"), self.isotick(mistake))


if __name__ == "__main__":
    unittest.main()
