"""verify --vary: settings that must not matter, of the config and of the environment."""

import unittest

from program import ProgramTest, differing, row

CHUNKS = "--sim ./chunks.so"
SHOWN = ("differs in", "when", "why", "look at", "reproduce", "recorded", "computed", "confirmed",
         "setting")


class Settings(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        session = f"{CHUNKS} --ticks 120 --inputs random"
        cls.record("one.isotick", f"{session} --config workers=1")
        cls.record("open.isotick", f"{session} --environment workers=1 --hash-every 60")
        cls.record("fixed.isotick", f"{session} --config workers=1 --config reduction=fixed")
        cls.record("leak.isotick", "--sim control:long-frame --config units=80 --ticks 100")
        cls.record("faulty.isotick", "--sim ./faulty.so --ticks 60")

    def is_caught(self, command, setting):
        """At the exact tick and field, and the printed command says the same."""
        run = self.ends(1, command + " -v", "\n  trial       1\n")
        self.assertEqual(row(run.out, "setting"), setting)
        self.assertEqual(differing(run.out), "momentum (1 field)")
        self.assertEqual(row(run.out, "when"), "tick 40; the same through tick 39")
        self.assertEqual(row(run.out, "why"), f"the setting {setting}; 8 of 8 reruns with it fail, "
                         "0 of 8 without")
        self.assertRegex(run.out, r"\n              momentum  \d+ → \d+  \(\d+ ulp")
        again = self.shell(row(run.out, "reproduce") + " -v")
        self.assertEqual(again.code, 1, again)
        self.assertEqual(again.out.splitlines()[-1], "DIVERGED  at tick 40")
        for what in SHOWN:
            self.assertEqual(row(again.out, what), row(run.out, what))
        return run

    def test_a_recorded_config_that_matters_is_caught(self):
        run = self.is_caught(f"verify one.isotick {CHUNKS} --vary workers=1,2,4,8",
                             "workers=2 instead of the recorded 1")
        self.assertIn("workers=2,4,8 instead of the recorded 1", row(run.out, "varied"))
        self.assertIn("--vary config.workers=2", row(run.out, "reproduce"))

    def test_a_config_that_the_help_names_is_caught(self):
        self.is_caught(f"verify open.isotick {CHUNKS} --environment workers=1 --vary workers=2",
                       "workers=2, which the recorded config leaves open")

    def test_an_environment_that_matters_is_caught(self):
        self.is_caught(f"verify open.isotick {CHUNKS} --environment workers=1 "
                       "--vary environment.workers=2,8",
                       "workers=2 in the environment, instead of 1")
        self.is_caught(f"verify open.isotick {CHUNKS} --vary environment.workers=2",
                       "workers=2 in the environment, usually not set")

    def test_the_clean_twin_is_identical(self):
        self.ends(0, f"verify fixed.isotick {CHUNKS} --vary workers=2,4,8,64 --perturb none",
                  "IDENTICAL  17 of 17 trials identical\n")
        report = self.read_json(0, f"verify fixed.isotick {CHUNKS} --vary workers=2,4 --trials 9")
        self.assertEqual(report["recordings"][0]["varied"],
                         [{"axis": "config.workers", "value": "2"},
                          {"axis": "config.workers", "value": "4"}])

    def test_a_setting_that_nobody_looks_at_proves_nothing(self):
        run = self.ends(4, f"verify one.isotick {CHUNKS} --vary environment.workers=2,4",
                        "INCONCLUSIVE")
        self.assertEqual(row(run.out, "reason"), "the simulation never read "
                         "environment.workers: varying it proves nothing")
        self.ends(4, f"verify fixed.isotick {CHUNKS} --vary workers=2 --vary wrokers=2",
                  "the simulation never read environment.wrokers")
        run = self.ends(0, f"replay one.isotick {CHUNKS} --vary wrokers=2", "IDENTICAL")
        self.assertEqual(row(run.out, "note"), "the simulation never read environment.wrokers")

    def test_several_keys_are_varied_each_alone(self):
        report = self.read_json(1, f"verify one.isotick {CHUNKS} --vary workers=2 "
                                   "--vary reduction=fixed --trials 3")["recordings"][0]
        self.assertEqual(report["trials"], 3)
        self.assertEqual([(one["trial"], one["varied"]) for one in report["failures"]],
                         [(1, [{"axis": "config.workers", "value": "2"}])])
        self.assertEqual(report["failures"][0]["explanation"]["provoking_axes"],
                         [{"axis": "config.workers", "value": "2"}])
        self.assertEqual(self.shell(report["failures"][0]["reproduce"]).code, 1)

    def test_a_schedule_is_not_blamed_on_the_setting(self):
        run = self.ends(1, "replay leak.isotick --schedule '40x16.667ms, 101.4ms' --vary log=all",
                        "DIVERGED  at tick 40\n")
        self.assertIn("; or frame 40 took 101.4ms", row(run.out, "why"))

    def test_a_replay_says_what_it_was_tried_with(self):
        run = self.ends(0, f"replay fixed.isotick {CHUNKS} --vary workers=3", "IDENTICAL")
        self.assertEqual(row(run.out, "setting"), "workers=3 instead of the recorded 1")

    def test_a_crash_under_a_setting_is_shown_with_it(self):
        run = self.ends(5, "verify faulty.isotick --sim ./faulty.so --vary fault=abort -v",
                        "\n  trial       1\n")
        self.assertEqual(row(run.out, "setting"),
                         "fault=abort in the environment, usually not set")
        self.assertEqual(self.shell(row(run.out, "reproduce")).code, 5)

    def test_what_the_simulation_refuses_is_named(self):
        self.refuses(f"verify one.isotick {CHUNKS} --vary workers=2,many",
                     "config.workers=many: config workers=many is not a whole number")
        self.refuses(f"verify one.isotick {CHUNKS} --vary config.wrokers=2",
                     "config.wrokers=2: there is no setting 'wrokers'")
        self.refuses(f"replay one.isotick {CHUNKS} --vary config.wrokers=2",
                     "there is no setting 'wrokers'")

    def test_mistakes_are_refused(self):
        for command in ("verify", "replay"):
            for vary, says in (("workers", "is not of the form key=value"),
                               ("=2", "is not of the form key=value"),
                               ("config.=2", "is not of the form key=value"),
                               ("workers=", "a value is empty"),
                               ("workers=2,", "a value is empty"),
                               ("workers=2,2", "the value 2 appears twice"),
                               ("workers=1", "that is already its value"),
                               ("workers=2 --vary config.workers=4", "the key appears twice")):
                self.refuses(f"{command} one.isotick {CHUNKS} --vary {vary}", says)
        many = ",".join(str(value) for value in range(2, 67))
        self.refuses(f"verify one.isotick {CHUNKS} --vary workers={many}", "more than 64 values")
        self.refuses(f"replay one.isotick {CHUNKS} --vary workers=2,4", "a replay takes one value")


if __name__ == "__main__":
    unittest.main()
