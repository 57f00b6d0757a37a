"""`isotick audit`: clean simulations end with 0, planted faults with 1 and the member's name."""

import os
import unittest

from program import PROJECT, ProgramTest, row, some

# Which measurement sees it, and what the report must name. Members that nothing visits have names
# only in debug information.
FAULTS = {
    "./pile_missing.so": ("coverage", "slow_ticks_"),
    "./pile_missing_from_save.so": ("snapshot", "slow_ticks"),
    "fault:stale-cache": ("snapshot", "middle_"),
    "./pile_padding.so": ("hash", "last_drop"),
}
UNNAMED = {
    "./pile_missing.so": "SlowMotionPile",
    "fault:stale-cache": "StaleCacheSkirmish",
}


def place(file, line):
    """Where a test's simulation has this line: `statics.c:58`."""
    lines = (PROJECT / "tests/support" / file).read_text().splitlines()
    [number] = [i for i, one in enumerate(lines, 1) if line in one]
    return f"{file}:{number})"


class Audit(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("spring.isotick", "--sim spring --ticks 300")
        cls.record("faulty.isotick", "--sim ./faulty.so --ticks 60")

    def spots(self, code, command):
        return [f"{spot['measurement']}: {spot['name']}: {spot['text']}"
                for spot in self.read_json(code, command)["blind_spots"]]

    def test_clean_simulations(self):
        for simulation in some(("spring", "./pile.so", "skirmish"), 1):
            run = self.ends(0, f"audit --sim {simulation}", "\nCLEAN  ")
            self.assertIn("8 of 8 restored states behave", row(run.out, "snapshot"))
            self.assertIn("all seen", row(run.out, "hash"))
            self.assertIn("inputs matter", row(run.out, "liveness"))

    def test_faults_are_blind_and_named_in_the_measurement_that_can_see_them(self):
        named = "ISOTICK_WITHOUT_DEBUG_INFORMATION" not in os.environ
        for simulation, (measurement, member) in some(FAULTS.items(), 2):
            expected = member if named else UNNAMED.get(simulation, member)
            spots = self.spots(1, f"audit --sim {simulation}")
            self.assertTrue(any(expected in spot for spot in spots), (simulation, spots))
            self.assertTrue(any(spot.startswith(measurement) for spot in spots), spots)

    def test_the_verdict_says_how_much_was_probed_and_what_was_not(self):
        run = self.ends(0, "audit --sim spring --ticks 5000")
        verdict = run.out.splitlines()[-1]
        self.assertRegex(verdict, r"^CLEAN  [0-9,]+ of 5,000 ticks probed \([0-9.]+%\), without "
                         "globals$")
        self.assertNotIn("only the first", run.out)
        report = self.read_json(0, "audit --sim spring --ticks 5000")
        self.assertGreater(report["snapshot"]["restores"][-1]["ticks_done"], 4374)
        self.assertGreater(report["probed_ticks"], 0)

    def test_globals_and_statics_of_c_are_looked_into(self):
        if "ISOTICK_WITHOUT_DEBUG_INFORMATION" in os.environ:
            self.skipTest("built without libdw")
        run = self.ends(0, "audit --sim ./statics.so", "\nCLEAN  ")
        self.assertRegex(row(run.out, "globals"), r"^\d+ global and static values of the plug-in")
        run = self.ends(1, "audit --sim ./statics_forget.so", "\nBLIND  ")
        self.assertIn("wind: 8 bytes of a global or static affect later ticks", run.out)
        run = self.ends(0, "audit --sim ./statics_unnamed.so", "without coverage, globals\n")
        self.assertIn("not looked into: its library has no debug information",
                      row(run.out, "globals"))

    def test_a_plugin_without_globals_needs_no_debug_information_for_them(self):
        if "ISOTICK_WITHOUT_DEBUG_INFORMATION" in os.environ:
            self.skipTest("built without libdw")
        run = self.isotick("audit --sim ./hiding_unnamed.so --ticks 60")
        self.assertEqual(row(run.out, "globals"), "none that can be written")

    def kinds(self, code, fault=""):
        """What the audit says of each unseen member, by its name."""
        if "ISOTICK_WITHOUT_DEBUG_INFORMATION" in os.environ:
            self.skipTest("built without libdw")
        report = self.read_json(code, f"audit --sim ./audited.so --environment fault={fault}")
        return {unseen["member"]: unseen["kind"] for one in report["coverage"]["types"]
                for unseen in one["unseen"]}

    def test_members_of_nested_structs_are_measured_and_named_one_by_one(self):
        kinds = self.kinds(0)
        self.assertEqual(kinds["rules_.tuning.gravity"], "constant")
        self.assertEqual(kinds["rules_.version"], "unused")
        self.assertNotIn("rules_", kinds)

    def test_nothing_is_said_of_what_holds_addresses_where_two_instances_hold_the_same(self):
        kinds = self.kinds(0)
        self.assertEqual(kinds["level_"], "pointer")  # though each tick depends on it
        self.assertEqual(kinds["rules_.tuning.names"], "pointer")
        run = self.ends(0, "audit --sim ./audited.so", "\nCLEAN  ")
        self.assertNotRegex(run.out, "level_ .*none of the ticks tried depends on it")
        self.assertRegex(run.out, r"without .*\d members that cannot be told\n$")

    def test_load_recomputes_what_it_was_seen_to_write(self):
        kinds = self.kinds(0)
        self.assertEqual(kinds["half_"], "derived")
        self.assertEqual(kinds["lazy_"], "harmless")  # a tick after load does
        self.assertEqual(kinds["stun"], "constant")
        self.assertEqual(self.kinds(1, "stun")["stun"], "forgotten")
        run = self.ends(1, "audit --sim ./audited.so --environment fault=stun", "\nBLIND  ")
        self.assertNotRegex(run.out, "stun .*a cache")

    def test_the_code_is_named_that_wrote_what_load_does_not_restore(self):
        if "ISOTICK_WITHOUT_DEBUG_INFORMATION" in os.environ:
            self.skipTest("built without libdw")
        audited = "./audited.so --environment fault="
        for simulation, code in (
                (audited + "stun", "; last changed by Audited::step ("
                 + place("audited_plugin.cpp", "unit.stun -= ")),
                (audited + "lost-heights", "; last change to any such element by Audited::step ("
                 + place("audited_plugin.cpp", "level_.second);")),
                ("./statics_forget.so",
                 "; last changed by step (" + place("statics.c", "wind = wind * 3"))):
            spots = self.spots(1, f"audit --sim {simulation}")
            self.assertTrue(any(code in spot for spot in spots), (simulation, code, spots))
        report = self.read_json(1, "audit --sim ./statics_forget.so")
        [wind] = [one for kind in report["globals"]["variables"] for one in kind["unseen"]
                  if one["member"] == "wind"]
        self.assertEqual(wind["last_change"]["code"][0]["function"], "step")
        self.assertNotIn("changed by", self.isotick("audit --sim ./audited.so").out)

    def test_what_comes_round_again_between_two_looks_is_no_constant(self):
        if "ISOTICK_WITHOUT_DEBUG_INFORMATION" in os.environ:
            self.skipTest("built without libdw")
        for simulation, name in (("./audited.so --environment fault=turns", "turn_"),
                                 ("./statics_turns.so", "step::turn")):
            report = self.read_json(1, f"audit --sim {simulation} --ticks 2000")
            self.assertEqual([spot["name"] for spot in report["blind_spots"]
                              if spot["measurement"] == "coverage"], [name])

    def test_the_last_change_is_found_though_the_next_takes_it_back(self):
        if "ISOTICK_WITHOUT_DEBUG_INFORMATION" in os.environ:
            self.skipTest("built without libdw")
        report = self.read_json(
            1, "audit --sim ./audited.so --environment fault=blinks --ticks 2000")
        saved = report["snapshot"]["restores"][0]["ticks_done"]
        self.assertGreater(saved, 128)
        [blink] = [one for kind in report["coverage"]["types"] for one in kind["unseen"]
                   if one["member"] == "blink_"]
        last = max(tick for tick in range(saved) if tick % 8 < 2)
        self.assertEqual(blink["last_change"]["tick"], last)

    def test_calls_that_count_themselves_do_not_leave_the_state_alone(self):
        for call in "hash", "save":
            run = self.ends(1, f"audit --sim ./audited.so --environment fault={call}-counts",
                            "\nBLIND  ")
            self.assertIn(f"  liveness    {call}: changes the state", run.out)
        run = self.ends(0, "audit --sim ./audited.so", "\nCLEAN  ")
        self.assertIn("hash, save, visit_fields leave the state alone", run.out)

    def test_what_the_simulation_prints_is_shown_once(self):
        self.record("printing.isotick", "--sim ./faulty.so --ticks 60")
        for command in ("audit printing.isotick --sim ./faulty.so --environment fault=print",
                        "audit --sim ./faulty.so --ticks 60 --environment fault=print"):
            run = self.isotick(command)
            self.assertEqual(run.err.count("tick 5 of the simulation\n"), 1, run.err)
            self.assertEqual(run.err.count("the simulation printed"), 1, run.err)

    def test_what_cannot_be_looked_into_is_one_line(self):
        run = self.isotick("audit --sim ./faulty.so --ticks 60")
        self.assertEqual(run.out.count("which cannot be told by changing them"), 1, run.out)

    def test_a_simulation_without_a_bot_is_played_at_random(self):
        run = self.ends(0, "audit --sim ./hiding.so")
        self.assertIn("hiding, 0 players", row(run.out, "session"))

    def test_verify_says_what_a_quick_audit_finds(self):
        self.record("stale.isotick", "--sim fault:stale-cache --ticks 200")
        run = self.ends(0, "verify stale.isotick --trials 5 --perturb none")
        self.assertRegex(run.out, r"\nIDENTICAL  5 of 5 trials identical, with \d blind spots?: ")
        self.assertIn("restored states match at first, but later ticks differ",
                      row(run.out, "blind spot"))
        report = self.read_json(0, "verify stale.isotick --trials 5 --perturb none")
        report = report["recordings"][0]
        self.assertEqual(report["blind_spots"][0]["measurement"], "snapshot")
        without = self.ends(0, "verify stale.isotick --trials 5 --perturb none --audit none")
        self.assertTrue(without.out.endswith("\nIDENTICAL  5 of 5 trials identical\n"), without.out)
        self.refuses("verify stale.isotick --audit full", "--audit")
        clean = self.read_json(0, "verify spring.isotick --trials 5")["recordings"][0]
        self.assertEqual(clean["blind_spots"], [])

    def test_a_recording(self):
        run = self.ends(0, "audit spring.isotick", "\nCLEAN  ")
        self.assertTrue(run.out.startswith("spring.isotick\n"))
        self.assertIn("300 ticks", row(run.out, "session"))

    def test_a_session_of_its_own_leaves_no_file(self):
        os.mkdir(self.path("temporary"))
        run = self.shell("TMPDIR=temporary isotick audit --sim spring --ticks 100 --seed 7")
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("100 ticks at 60hz, seed 7", row(run.out, "session"))
        self.assertEqual(list(self.path("temporary").iterdir()), [])

    def test_the_same_bytes_every_time_and_with_any_number_of_jobs(self):
        for command in some(("audit --sim ./pile_missing.so", "audit --sim ./pile_padding.so",
                             "audit --sim skirmish --config units=60"), 1):
            first = self.isotick(f"{command} --jobs 1").out
            self.assertEqual(self.isotick(f"{command} --jobs 1").out, first)
            self.assertEqual(self.isotick(f"{command} --jobs 3").out, first)
            self.assertEqual(self.isotick(f"{command} --json").out,
                             self.isotick(f"{command} --json").out)

    def test_a_simulation_that_breaks_untouched(self):
        run = self.ends(5, "audit faulty.isotick --sim ./faulty.so --environment fault=abort",
                        "\nCRASHED\n")
        self.assertEqual(row(run.out, "reason"),
                         "killed by signal 6 (Aborted) in step of tick 20")
        run = self.ends(5, "audit faulty.isotick --sim ./faulty.so --timeout 1 "
                        "--environment fault=hang", "\nTIMED-OUT\n")
        self.assertIn("in step of tick 20", row(run.out, "reason"))
        run = self.ends(5, "audit --sim ./faulty.so --environment fault=throw")
        self.assertIn("tick 20: step failed: planted", run.err)

    def test_a_session_too_short_proves_nothing(self):
        run = self.ends(4, "audit --sim spring --ticks 1", "\nINCONCLUSIVE\n")
        self.assertIn("too short", row(run.out, "reason"))

    def test_mistakes(self):
        self.refuses("audit", "name a recording, or a simulation")
        self.refuses("audit --sim sprong", "unknown simulation 'sprong'")
        self.refuses("audit spring.isotick --ticks 5", "excludes --ticks")
        self.refuses("audit spring.isotick --sim skirmish", "the recording is of 'spring'")
        self.refuses("audit --sim skirmish --players 1", "takes 2 to 64 players")
        self.ends(3, "audit none.isotick", "none.isotick")

    def test_json(self):
        report = self.read_json(1, "audit --sim fault:stale-cache")
        self.assertEqual(report["verdict"], "blind")
        self.assertEqual(len(report["snapshot"]["restores"]), 8)
        kinds = [unseen["kind"] for one in report["coverage"]["types"] for unseen in one["unseen"]]
        self.assertEqual(kinds.count("forgotten"), 2)  # of a point, x and y
        self.assertEqual(self.read_json(0, "audit --sim spring")["verdict"], "clean")


if __name__ == "__main__":
    unittest.main()
