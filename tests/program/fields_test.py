"""The fields of states that differ: in replay and verify, between recordings, between states."""

import re
import unittest

from program import ProgramTest, differing, row


class Fields(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("leak.isotick", "--sim control:alpha --config units=100 --ticks 60")
        cls.record("s.isotick", "--sim skirmish --config units=100 --ticks 60")
        cls.record("old.isotick", "--sim ./faulty.so --ticks 60")
        cls.record("new.isotick", "--sim ./other_build.so --ticks 60")
        cls.record("sparse.isotick", "--sim ./faulty.so --ticks 60 --hash-every 30")
        cls.record("sparse-new.isotick", "--sim ./other_build.so --ticks 60 --hash-every 30")

    def test_a_few_of_each_kind_are_listed_and_all_are_counted(self):
        run = self.ends(1, "replay leak.isotick --schedule 144hz")
        self.assertEqual(row(run.out, "differs in").split(" units.")[0],
                         "units (50 fields); recorded → computed; --fields all lists all of each "
                         "kind")
        self.assertEqual(run.out.count("\n              units."), 6)
        self.assertIn("\n              … and 22 more of units.position_x[*]\n", run.out)

    def test_all_are_listed_where_asked_for(self):
        run = self.ends(1, "verify leak.isotick --trials 5 --fields all")
        total = int(re.match(r"units \((\d+) fields\)", differing(run.out))[1])
        self.assertEqual(run.out.count("\n              units."), total)
        self.assertNotIn("more of", run.out)

    def test_fixed_point_numbers_differ_by_units(self):
        self.record("fixed.isotick", "--sim ./fixed.so --inputs none --ticks 60")
        replay = "replay fixed.isotick --sim ./fixed.so --schedule 21ms"
        run = self.ends(1, replay)
        self.assertIn("\n              height  99.997222900390625 → 99.9972381591796875  "
                      "(1 unit of 2^-16, 6553418 → 6553419)\n", run.out)
        first = self.read_json(1, replay)["explanation"]["fields"]["listed"][0]
        self.assertEqual(first["fixed"], {"units": 1, "fraction_bits": 16})
        self.assertIsNone(first["ulps"])
        run = self.ends(1, "replay fixed.isotick --sim ./fixed.so --watch height --schedule 21ms")
        self.assertIn("99.9972381591796875", run.out)

    def test_none_are_looked_for_where_unwanted(self):
        run = self.ends(1, "replay leak.isotick --schedule 144hz --fields 0")
        self.assertNotIn("field", run.out)

    def test_json_has_all(self):
        fields = self.read_json(1, "replay leak.isotick --schedule 144hz")["explanation"]["fields"]
        self.assertTrue(fields["known"])
        self.assertEqual(len(fields["listed"]), fields["total"])
        self.assertEqual(sum(kind["total"] for kind in fields["kinds"]), fields["total"])
        first = fields["listed"][0]
        self.assertEqual(fields["kinds"][first["field_kind"]]["path"], "units.position_x[*]")
        self.assertGreater(first["ulps"], 0)

    def test_a_number_of_fields_is_a_number_or_all(self):
        self.refuses("replay leak.isotick --schedule 144hz --fields few",
                     "--fields: 'few' is neither a number nor all")

    def test_another_build_needs_the_one_that_recorded(self):
        run = self.ends(1, "verify old.isotick --sim ./other_build.so")
        self.assertIn("no run here gives the recorded hash", row(run.out, "differs in"))
        self.assertIn("--sim-a takes the build", run.out)
        run = self.ends(1, "verify old.isotick --sim ./other_build.so --sim-a ./faulty.so")
        self.assertEqual(differing(run.out), "counter (1 field)")
        self.assertIn("\n              counter  22 → 23\n", run.out)
        again = self.shell(row(run.out, "reproduce"))
        self.assertEqual((again.code, row(again.out, "differs in")),
                         (1, row(run.out, "differs in")))
        self.refuses("verify old.isotick --sim ./other_build.so --sim-a spring",
                     "--sim-a: the recording is of 'faulty'")

    def test_diff_of_recordings_by_two_builds(self):
        quick = self.ends(1, "diff old.isotick new.isotick")
        self.assertNotIn("fields", quick.out)
        run = self.ends(1, "diff old.isotick new.isotick --fields "
                        "--sim-a ./faulty.so --sim-b ./other_build.so", "DIFFERS")
        self.assertEqual(row(run.out, "first"), "differs at tick 20")
        self.assertTrue(row(run.out, "fields").startswith("counter (1 field); a → b"), run.out)
        self.assertIn("\n              counter  22 → 23\n", run.out)

    def test_diff_finds_the_exact_tick_between_stored_hashes(self):
        command = ("diff sparse.isotick sparse-new.isotick --fields "
                   "--sim-a ./faulty.so --sim-b ./other_build.so")
        run = self.ends(1, command)
        self.assertEqual(row(run.out, "hashes"), "first differ at tick 29")
        self.assertEqual(row(run.out, "first"), "differs at tick 20")
        self.assertEqual(self.read_json(1, command)["parting"]["tick"], 20)

    def test_diff_says_where_a_side_cannot_be_run(self):
        run = self.ends(1, "diff old.isotick new.isotick --fields --sim ./faulty.so")
        self.assertIn("does not reproduce its recorded hash", row(run.out, "fields"))
        self.refuses("diff old.isotick new.isotick --fields=3 --sim-a ./faulty.so "
                     "--sim-b spring",
                     "the simulation is 'spring'")

    def state(self, name, options):
        self.ends(0, f"replay {options} --state {name}")
        return name

    def test_states_of_two_runs_that_agree_are_identical(self):
        a = self.state("a.state", "s.isotick")
        b = self.state("b.state", "s.isotick --schedule 144hz")
        self.assertEqual(self.content(a), self.content(b))
        self.ends(0, f"diff {a} {b}", "IDENTICAL  same fields, same hash")
        self.assertEqual(self.read_json(0, f"diff {a} {b}")["outcome"], "identical")

    def test_states_that_differ_are_listed(self):
        a = self.state("c.state", "s.isotick --until 30")
        b = self.state("d.state", "s.isotick --until 31")
        run = self.ends(1, f"diff {a} {b}", "DIFFERS")
        self.assertIn("\n              world.ticks  31 → 32\n", run.out)
        self.assertEqual(row(run.out, "note"), "these are states after different ticks")
        report = self.read_json(1, f"diff {a} {b}")
        self.assertEqual(report["b"]["ticks_done"], 32)

    def test_a_diverged_trial_leaves_the_state_that_diverged(self):
        self.ends(1, "replay leak.isotick --schedule 144hz --state e.state")
        run = self.ends(0, "diff e.state e.state", "IDENTICAL")
        self.assertIn("e.state: control:alpha after tick 2, ", row(run.out, "a"))

    def test_a_state_replaces_nothing(self):
        self.path("kept.state").write_text("kept", encoding="utf-8")
        self.refuses("replay s.isotick --state kept.state", "kept.state: exists already")
        self.assertEqual(self.content("kept.state"), b"kept")
        self.ends(3, "replay s.isotick --state nowhere/x.state", "cannot be created")

    def test_a_state_that_was_not_written_leaves_no_file(self):
        self.ends(5, "replay old.isotick --sim ./faulty.so --environment fault=abort "
                  "--state gone.state")
        self.assertFalse(self.path("gone.state").exists())

    def test_a_serialize_that_throws_is_named(self):
        run = self.ends(5, "replay old.isotick --sim ./faulty.so --environment fault=throw "
                        "--environment in=fields --environment at=59 --state thrown.state")
        self.assertIn("planted", run.err)
        self.assertFalse(self.path("thrown.state").exists())

    def test_a_nan_in_the_state_is_warned_of(self):
        self.record("nan.isotick", "--sim ./faulty.so --environment fault=nan --ticks 60")
        verify = "verify nan.isotick --sim ./faulty.so --environment fault=nan"
        run = self.ends(0, verify, "IDENTICAL")
        self.assertEqual(row(run.out, "warning"), "the state ends with a NaN at ratio: its bits "
                         "differ from processor to processor")
        self.assertEqual(self.read_json(0, verify)["recordings"][0]["nan"], "ratio")
        clean = self.ends(0, "verify s.isotick")
        self.assertNotIn("NaN", clean.out)

    def test_a_state_and_a_recording_cannot_be_compared(self):
        state = self.state("f.state", "s.isotick --until 3")
        self.refuses(f"diff s.isotick {state}", "one file is a state, the other a recording")
        self.ends(3, f"diff {state} none.state", "none.state")

    def test_a_damaged_state_names_file_and_offset(self):
        state = self.state("g.state", "s.isotick --until 4")
        self.path("cut.state").write_bytes(self.content(state)[:2000])
        self.ends(3, f"diff {state} cut.state", "cut.state")


if __name__ == "__main__":
    unittest.main()
