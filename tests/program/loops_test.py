"""Every loop of the literature: listed, tried by verify, named in what reproduces a divergence."""

import os
import re
import unittest

from program import ProgramTest, failing_tick, row, some

CONSTANT = ("accumulator", "threaded", "clock", "canonical", "reversible", "whole-ticks",
            "substeps", "fixed", "milliseconds", "accumulator-double", "clock-double", "turns")
CHANGING = ("variable", "semi-fixed", "ranged", "growing")


class Loops(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("spring.isotick", "--sim spring --ticks 600")
        cls.record("battle.isotick", "--sim skirmish --config units=60 --ticks 300")
        cls.record("leak.isotick", "--sim control:long-frame --config units=60 --ticks 300")
        cls.record("faulty.isotick", "--sim ./faulty.so --ticks 60")

    def test_are_listed_and_described(self):
        listed = self.ends(0, "loops").out
        names = re.findall(r"^  (\S+)", listed, re.MULTILINE)
        self.assertEqual(names, [*CONSTANT, *CHANGING])
        for name in names:
            described = self.ends(0, f"loops {name}").out
            self.assertEqual(described.splitlines()[0], name)
            self.assertIn(row(described, "summary"), listed)
            self.assertEqual(row(described, "dt").split()[0],
                             "constant:" if name in CONSTANT else "changes:")

    def test_are_described_to_machines(self):
        listed = self.read_json(0, "loops")["loops"]
        self.assertEqual([loop["name"] for loop in listed if loop["constant_dt"]], [*CONSTANT])
        [one] = self.read_json(0, "loops threaded")["loops"]
        self.assertTrue(one["own_thread"])
        self.assertIn(one, listed)

    def test_that_do_not_exist_are_answered_with_those_that_do(self):
        for command in ("loops sprong", "verify spring.isotick --loop sprong",
                        "record --sim spring -o new.isotick --loop sprong"):
            run = self.refuses(command, "at column 1: expected a loop")
            for name in (*CONSTANT, *CHANGING):
                self.assertIn(name, run.err)

    def test_all_of_constant_dt_keep_the_bits(self):
        for recording in ("spring", "battle"):
            run = self.ends(0, f"verify {recording}.isotick --loop all --trials 50 -v",
                            "IDENTICAL  50 of 50 trials identical")
            self.assertEqual(row(run.out, "loops").split(", "), [*CONSTANT])

    def test_all_are_tried_however_few_trials_there_are(self):
        self.ends(0, "verify spring.isotick --loop all --trials 1",
                  f"{len(CONSTANT) + 1} of {len(CONSTANT) + 1} trials identical")

    def test_all_leaves_out_what_needs_snapshots_where_there_are_none(self):
        self.record("tanks.isotick", "--sim ./tanks_plain.so --ticks 60")
        report = self.read_json(0, "verify tanks.isotick --sim ./tanks_plain.so --loop all "
                                   "--trials 1")
        self.assertEqual(report["recordings"][0]["loops"],
                         [name for name in CONSTANT if name != "reversible"])

    def test_all_find_a_leak_and_name_the_loop_that_provoked_it(self):
        report = self.read_json(1, "verify leak.isotick --loop all --trials 120")
        failures = report["recordings"][0]["failures"]
        loops = {failure["loop"] for failure in failures}
        self.assertGreater(len(loops), 8, loops)
        for failure in some(failures, 6):
            tick = failure["divergence"]["computed"]["ticks_done"] - 1
            again = self.shell(failure["reproduce"])
            self.assertEqual(again.out.splitlines()[-1], f"DIVERGED  at tick {tick}", failure)

    def test_each_of_constant_dt_keeps_the_bits(self):
        for name in some(CONSTANT, 4):
            with self.subTest(name):
                self.ends(0, f"verify spring.isotick --loop {name} --trials 12", "IDENTICAL")
                self.ends(0, f"replay battle.isotick --loop {name} --schedule 'mix(seed=1)'",
                          "IDENTICAL")

    def test_each_of_constant_dt_keeps_the_bits_of_a_process(self):
        for name in some(CONSTANT, 4):
            with self.subTest(name):
                self.ends(0, "replay battle.isotick --sim 'exec:isotick serve --sim skirmish' "
                             f"--loop {name} --schedule '30xnominal, -200ms, mix(seed=1)'",
                          "IDENTICAL")

    def test_each_that_changes_dt_is_caught_and_reproduced(self):
        for name in CHANGING:
            with self.subTest(name):
                run = self.ends(1, f"verify spring.isotick --loop {name} --trials 10 -v",
                                "DIVERGED")
                tick = failing_tick(run.out)
                self.assertIn("it varies dt", row(run.out, "why"))
                self.assertEqual(row(run.out, "loop"), name)
                self.assertLessEqual(row(run.out, "schedule").count(","), 2, run.out)
                again = self.shell(row(run.out, "reproduce") + " -v")
                self.assertEqual(again.code, 1, again)
                self.assertEqual(again.out.splitlines()[-1], f"DIVERGED  at {tick}")
                self.assertEqual(row(again.out, "computed"), row(run.out, "computed"))

    def test_that_change_dt_are_refused_where_that_is_not_accepted(self):
        says = "changes dt, but faulty does not declare that it accepts a changing dt"
        for name in CHANGING:
            with self.subTest(name):
                options = f"--sim ./faulty.so --loop {name}"
                for command in ("verify faulty.isotick", "replay faulty.isotick",
                                "replay faulty.isotick --in-process", "record -o new.isotick"):
                    self.refuses(f"{command} {options}", f"the loop {name} {says}")
                self.assertFalse(self.path("new.isotick").exists())

    def test_options_of_one_loop_make_no_sense_for_all(self):
        for option in ("--time-scale 2", "--start-phase 1/2", "--most-ticks 4",
                       "--longest-frame none"):
            self.refuses(f"verify spring.isotick --loop all {option}",
                         "--loop all takes no option of a single loop")
        for command in ("replay spring.isotick", "record --sim spring -o new.isotick"):
            self.refuses(f"{command} --loop all", "not 'all'")

    def test_options_that_a_loop_does_not_have_are_refused(self):
        self.refuses("replay spring.isotick --loop fixed --most-ticks 4",
                     "--most-ticks: the loop fixed has no option most-ticks")
        self.refuses("replay spring.isotick --loop 'fixed(most-ticks=4)'", "--loop: ")

    def test_options_stand_beside_the_loop_or_in_its_parentheses(self):
        beside = self.ends(1, "verify leak.isotick --trials 6 --perturb none --most-ticks 4 "
                              "--time-scale 2")
        within = self.ends(1, "verify leak.isotick --trials 6 --perturb none "
                              "--loop 'accumulator(most-ticks=4, time-scale=2)'")
        self.assertEqual(beside.out, within.out)
        self.assertIn("--loop 'accumulator(most-ticks=4, time-scale=2/1)'",
                      row(beside.out, "reproduce"))

    def test_that_drove_a_session_are_noted_in_it(self):
        made = self.ends(0, "record --sim spring --ticks 60 -o whole.isotick --loop milliseconds")
        self.assertEqual(row(made.out, "loop"), "milliseconds")
        self.assertEqual(self.read_json(0, "inspect whole.isotick")["notes"]["isotick.loop"],
                         "milliseconds")
        loop = "accumulator(most-ticks=4, debt=kept)"
        self.record("owing.isotick", f"--sim spring --ticks 60 --loop '{loop}'")
        self.assertEqual(self.read_json(0, "inspect owing.isotick")["notes"]["isotick.loop"], loop)

    def test_that_change_dt_are_recorded_with_it(self):
        driven = "--loop variable --schedule 'jitter(60hz, 3ms, seed=1)'"
        self.record("paced.isotick", f"--sim spring --ticks 120 {driven}")
        self.assertIn("120 of 120 ticks have one of their own",
                      row(self.ends(0, "inspect paced.isotick").out, "dt"))
        self.ends(0, "verify paced.isotick --trials 20", "IDENTICAL")
        self.ends(0, "verify paced.isotick --trials 20 --loop all", "IDENTICAL")
        self.ends(0, f"replay paced.isotick {driven}", "IDENTICAL")
        self.ends(1, "replay paced.isotick --loop variable", "DIVERGED  at tick 0")


class GoingBack(ProgramTest):
    """A loop that goes back in time, through snapshots that do not hold all of the state."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("f.isotick", "--sim fault:stale-cache --ticks 400")
        cls.record("clean.isotick", "--sim skirmish --ticks 400")
        cls.record("short.isotick", "--sim skirmish --ticks 12")

    VERIFY = "--loop reversible --trials 40 --seed 1 --audit none --perturb none"

    def test_is_explained_and_shrunk(self):
        run = self.ends(1, f"verify f.isotick {self.VERIFY} -v", "DIVERGED")
        self.assertRegex(row(run.out, "schedule"), r"^(\d+xnominal, )?-\d+ms, 1xnominal$")
        self.assertRegex(row(run.out, "why"),
                         r"^loading a snapshot: frame \d+ took -\d+ms instead of 16\.666666ms, so "
                         r"the loop went back \d+ ticks?, and what had run up to tick \d+ left "
                         "something behind; 8 of 8 reruns with it fail, 0 of 8 without$")
        self.assertIn("what save leaves out", row(run.out, "look at"))
        self.assertRegex(row(run.out, "shrunk"), r"^in \d+ trials from .*, which diverged at tick")
        self.assertIn("; first run → this one", row(run.out, "differs in"))
        back = re.match(r"tick (\d+).*; its first run was as recorded, then the loop went back "
                        r"from tick (\d+) and ran it again", row(run.out, "when"))
        tick, later = (int(number) for number in back.groups())
        self.assertGreaterEqual(later, tick)
        for command in (row(run.out, "reproduce"), f"{row(run.out, 'reproduce')} --until {tick}"):
            again = self.shell(f"{command} -v")
            self.assertEqual(again.code, 1, again)
            self.assertEqual(again.out.splitlines()[-1], f"DIVERGED  at tick {tick}")
            for what in ("recorded", "computed", "when", "why", "schedule"):
                self.assertEqual(row(again.out, what), row(run.out, what))

    def test_is_told_to_machines(self):
        failures = self.read_json(1, f"verify f.isotick {self.VERIFY}")["recordings"][0]["failures"]
        explanation = next(each["explanation"] for each in failures if each["explanation"])
        self.assertGreaterEqual(explanation["rerun"]["back_from_tick"], explanation["tick"])
        self.assertGreater(explanation["provoking"][0]["back"], 0)
        self.assertTrue(explanation["fields"])

    def test_keeps_the_bits_of_a_clean_simulation(self):
        run = self.ends(0, f"verify clean.isotick {self.VERIFY} -v", "IDENTICAL  40 of 40")
        self.assertRegex(row(run.out, "state loads"),
                         r"^[\d,]+, \d to \d\d ticks back, \d+% of ticks run again$")
        run = self.ends(0, "replay clean.isotick --loop reversible -v "
                           "--schedule '300x(9xnominal, -133ms)'", "IDENTICAL")
        self.assertRegex(row(run.out, "state loads"),
                         r"^\d+, 7 to 8 ticks back, \d+% of ticks run again$")

    def test_that_never_happened_proves_nothing(self):
        run = self.ends(4, f"verify short.isotick {self.VERIFY} -v", "INCONCLUSIVE")
        self.assertEqual(row(run.out, "state loads"), "none")
        self.assertIn("no state was ever loaded", row(run.out, "reason"))
        self.ends(4, "verify clean.isotick --loop reversible --schedule nominal --trials 3",
                  "no state was ever loaded, so going back was not tried")
        run = self.ends(0, "replay clean.isotick --loop reversible -v", "IDENTICAL")
        self.assertEqual(row(run.out, "state loads"), "none")

    def test_until_a_tick_waits_for_its_last_time(self):
        back = "--loop reversible --schedule '20xnominal, -133ms, nominal'"
        self.ends(0, f"replay f.isotick {back} --until 11", "IDENTICAL")
        self.ends(1, f"replay f.isotick {back} --until 12", "DIVERGED  at tick 12")
        run = self.ends(0, f"replay clean.isotick {back} --until 12", "IDENTICAL")
        self.assertEqual(row(run.out, "compared").split(" in ")[0], "21 hashes")

    def test_is_minimized_to_what_still_fails(self):
        self.ends(0, "minimize f.isotick -o small.isotick --loop reversible --trials 40 --seed 1")
        self.ends(1, "verify small.isotick --trials 2", "\n  when        tick 0")


class LargeStates(ProgramTest):
    """A loop that goes back keeps as many of them as there is room for."""

    def test_are_gone_back_through_within_the_memory_limit(self):
        self.record("bulky.isotick", "--sim ./bulky.so --config mib=20 --inputs none --ticks 40")
        back = ("replay bulky.isotick --sim ./bulky.so --loop reversible "
                "--schedule '20xnominal, -100ms'")
        for limit in (0, 4096, 200):
            with self.subTest(limit):
                run = self.ends(0, f"{back} --memory-limit {limit}", "IDENTICAL")
                self.assertGreater(int(row(run.out, "compared").split()[0]), 40)
        if "ISOTICK_WITHOUT_MEMORY_LIMIT" not in os.environ:
            self.ends(4, f"{back} --memory-limit 30",
                      "not even one fits: raise --memory-limit")


if __name__ == "__main__":
    unittest.main()
