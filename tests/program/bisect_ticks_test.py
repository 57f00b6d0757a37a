"""bisect ticks: the first tick at which recordings and builds differ."""

import unittest

from program import ProgramTest, row

PARTED = 20  # the tick at which other_build leaves faulty


class BisectTicks(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, plugin, every in (("old", "faulty", 1), ("new", "other_build", 1),
                                    ("sparse-old", "faulty", 30),
                                    ("sparse-new", "other_build", 30)):
            cls.record(f"{name}.isotick", f"--sim ./{plugin}.so --ticks 60 --hash-every {every}")
        cls.record("other.isotick", "--sim ./faulty.so --ticks 60 --seed 2")

    def parts_at(self, command, tick, replayed):
        """It names this tick, and plays no more ticks than these."""
        run = self.ends(1, f"bisect ticks {command}", f"DIVERGED  at tick {tick}\n")
        self.assertEqual(row(run.out, "differs at"), f"tick {tick}", command)
        self.assertEqual(row(run.out, "agreed"), f"through tick {tick - 1}", command)
        found = self.read_json(1, f"bisect ticks {command}")
        self.assertEqual((found["ticks_done"], found["last_agreed"], found["exact"]),
                         (tick + 1, tick, True), command)
        self.assertEqual(found["ticks_run"], replayed, command)
        return run

    def test_two_builds(self):
        run = self.parts_at("./faulty.so ./other_build.so --session old.isotick --fields", PARTED,
                            120)
        self.assertTrue(row(run.out, "differs in").startswith("counter (1 field); a → b"))
        self.assertIn("\n              counter  22 → 23\n", run.out)

    def test_a_recording_and_a_build(self):
        self.parts_at("old.isotick ./other_build.so", PARTED, 60)
        self.parts_at("./other_build.so old.isotick", PARTED, 60)

    def test_two_recordings(self):
        self.parts_at("old.isotick new.isotick", PARTED, 0)
        self.parts_at("old.isotick sparse-new.isotick --sim-b ./other_build.so", PARTED, 30)

    def test_between_stored_hashes_it_takes_the_builds(self):
        for command, missing in (
                ("sparse-old.isotick sparse-new.isotick",
                 "--sim-a, the build that made sparse-old.isotick, --sim-b, the build that made "
                 "sparse-new.isotick"),
                ("sparse-old.isotick ./other_build.so",
                 "--sim-a, the build that made sparse-old.isotick")):
            run = self.ends(1, f"bisect ticks {command}", "DIVERGED  at or before tick 29\n")
            self.assertEqual(row(run.out, "agreed"), "through the initial state", command)
            self.assertEqual(row(run.out, "try"), f"for the exact tick, give {missing}", command)
        self.parts_at("sparse-old.isotick ./other_build.so --sim-a ./faulty.so", PARTED, 120)
        # No more than up to the first stored hashes that differ.
        self.parts_at("sparse-old.isotick sparse-new.isotick --sim-a ./faulty.so "
                      "--sim-b ./other_build.so", PARTED, 60)

    def test_what_is_the_same_is_identical(self):
        for command in ("old.isotick ./faulty.so", "old.isotick sparse-old.isotick",
                        "./faulty.so ./faulty.so --session sparse-new.isotick"):
            run = self.ends(0, f"bisect ticks {command}", "IDENTICAL\n")
            self.assertEqual(row(run.out, "compared"), "60 ticks")

    def test_builds_that_crash_are_compared_up_to_there(self):
        run = self.ends(5, "bisect ticks old.isotick ./faulty.so --environment fault=abort",
                        "CRASHED\n")
        self.assertIn("crashed: ", row(run.out, "b ended"))
        self.assertEqual(row(run.out, "agreed"), f"through tick {PARTED - 1}")

    def test_mistakes(self):
        for command, says in (
                ("./faulty.so ./other_build.so", "name the session to play with --session"),
                ("old.isotick other.isotick", "of different sessions"),
                ("old.isotick new.isotick --session old.isotick", "--session is for two builds"),
                ("old.isotick spring", "b: the recording is of 'faulty'"),
                ("./faulty.so new.isotick --sim-a ./faulty.so", "is no recording but a build"),
                ("old.isotick new.isotick --sim-a ./other_build.so",
                 "the build that is said to have made it comes to another hash at tick 20")):
            self.refuses(f"bisect ticks {command}", says)
        self.ends(3, "bisect ticks none.isotick ./faulty.so", "none.isotick")


if __name__ == "__main__":
    unittest.main()
