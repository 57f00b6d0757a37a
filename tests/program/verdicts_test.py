"""Exit codes 0, 1 and 4, and which one wins where several files are verified in one run."""

import unittest

from program import ProgramTest, row

FAULTY = "--sim ./faulty.so"
DIVERGING = "--schedule 100hz"


class Verdicts(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim skirmish --config units=60 --ticks 300")
        cls.record("faulty.isotick", f"{FAULTY} --ticks 60")
        cls.record("idle.isotick", "--sim skirmish --config units=60 --ticks 300 --inputs none")

    def test_identical(self):
        self.ends(0, "verify s.isotick --trials 8", "IDENTICAL  8 of 8 trials identical")
        self.ends(0, "replay s.isotick --schedule 45hz", "IDENTICAL")
        self.ends(0, "diff s.isotick s.isotick", "IDENTICAL")
        self.ends(0, "inspect s.isotick")
        self.ends(0, "sims")
        self.ends(0, "--version", "isotick 0.")

    def test_another_build_diverges_at_its_tick_and_blames_no_schedule(self):
        command = f"faulty.isotick {FAULTY} --environment fault=build --environment at=23"
        run = self.ends(1, f"replay {command}", "DIVERGED  at tick 23\n")
        self.assertEqual(row(run.out, "why"), "not found. It is not the frame times: the "
                         "replay with one tick in each frame fails, too")
        self.assertIn("the time of day (another second), recording itself",
                      row(run.out, "ruled out"))
        self.assertIn("different when it was recorded: the build", row(run.out, "look at"))
        later = "counter at tick 59, the next one with stored part hashes"
        self.assertTrue(row(run.out, "differs in").startswith(later), run.out)
        run = self.ends(1, f"verify {command}", "\n  when        tick 23;")
        self.assertIn("DIVERGED  0 of 1 trials identical", run.out)
        self.assertTrue(row(run.out, "differs in").startswith(later), run.out)
        found = self.read_json(1, f"replay {command}")["explanation"]["later_parts"]
        self.assertEqual(found, {"tick": 59, "parts": ["counter"]})
        (failure,) = self.read_json(1, f"verify {command}")["recordings"][0]["failures"]
        self.assertEqual(failure["explanation"]["part_history"], {
            "compared": [60, 60], "every": 60, "total": 1, "same": 1,
            "parts": [{"part": "counter", "differs": [[60, 60]]}]})
        self.assertIsNone(failure["frames"])  # they are nominal
        self.assertNotIn("\n  recorded ", run.out)
        self.ends(0, f"record {FAULTY} --ticks 60 -o noted.isotick --note commit=1a2b3c4 "
                     "--note machine=ci-7")
        run = self.ends(1, f"replay noted.isotick {FAULTY} --environment fault=build "
                           "--environment at=23", "DIVERGED  at tick 23\n")
        self.assertEqual(row(run.out, "recorded"), "with the notes commit=1a2b3c4, machine=ci-7")

    def test_what_differs_from_process_to_process_is_nondeterministic(self):
        command = f"faulty.isotick {FAULTY} --environment fault=process"
        run = self.ends(1, f"replay {command} -v", "NONDETERMINISTIC  at tick 20\n")
        self.assertIn("in a fresh process diverged", row(run.out, "reason"))
        self.assertTrue(row(run.out, "why").startswith("not found: "), run.out)
        run = self.ends(1, f"verify {command} -v", "NONDETERMINISTIC")
        self.assertNotEqual(row(run.out, "run A"), row(run.out, "run B"))
        self.assertRegex(row(run.out, "differs in"),
                         r"^counter \(1 field\); run A → run B counter  \d+ → \d+$")
        self.assertEqual(row(run.out, "when"), "tick 20; two runs of this trial were the same "
                         "through tick 19")
        self.assertRegex(row(run.out, "why"), "; A and B are two of 4 more runs in fresh "
                         "processes; all gave different states$")

    def test_a_build_that_is_named_is_the_cause(self):
        run = self.ends(1, f"replay faulty.isotick {FAULTY} --environment fault=build "
                           "--environment at=23 --sim-a ./other_build.so", "DIVERGED")
        self.assertIn("It is not the frame times", row(run.out, "why"))  # it has the fault too
        run = self.ends(1, "replay faulty.isotick --sim ./other_build.so --sim-a ./faulty.so",
                        "DIVERGED  at tick 20\n")
        self.assertIn("the build: the one that --sim-a names", row(run.out, "why"))

    def test_a_bot_that_changes_the_state_is_the_cause(self):
        self.record("asked.isotick", f"{FAULTY} --ticks 60 --environment fault=bot")
        for command in ("replay", "verify"):
            run = self.ends(1, f"{command} asked.isotick {FAULTY} --environment fault=bot",
                            "DIVERGED")
            self.assertIn("propose_input changes the state", row(run.out, "why"))
            self.assertTrue(row(run.out, "look at").startswith("propose_input"), run.out)
        self.ends(0, f"verify faulty.isotick {FAULTY} --trials 8", "IDENTICAL")

    def test_a_diverged_state_whose_fields_end_the_process_has_diverged(self):
        self.record("built.isotick", f"{FAULTY} --ticks 60 --environment fault=build")
        run = self.ends(1, f"replay built.isotick {FAULTY} --environment fault=abort "
                           "--environment in=fields", "DIVERGED  at tick 20\n")
        self.assertIn("fields unknown: ", row(run.out, "differs in"))

    def test_what_the_clock_decides_is_nondeterministic(self):
        for command in ("replay", "verify"):
            self.ends(1, f"{command} faulty.isotick {FAULTY} --environment fault=second",
                      "NONDETERMINISTIC")

    def test_what_all_forks_share_is_found_by_fresh_processes(self):
        command = f"verify faulty.isotick {FAULTY} --perturb none -v --environment fault="
        run = self.ends(1, f"{command}fresh", "NONDETERMINISTIC  88 of 100 trials identical")
        self.assertIn("100 run, trial 0 nominal, 12 in fresh processes", row(run.out, "trials"))
        run = self.ends(0, f"{command}silent", "IDENTICAL  100 of 100 trials identical\n")
        self.assertIn("100 run, trial 0 nominal, 12 in fresh processes", row(run.out, "trials"))
        report = self.read_json(0, f"{command}silent --trials 4")["recordings"][0]
        self.assertEqual((report["trials"], report["fresh_trials"]), (4, 3))

    def test_trials_that_no_frame_can_reach_are_repeats_and_few(self):
        self.record("chunks.isotick", "--sim ./chunks.so --ticks 60 --inputs random")
        run = self.ends(0, "verify chunks.isotick --sim ./chunks.so --perturb none -v",
                        "IDENTICAL  13 of 13 trials identical\n")
        self.assertEqual(row(run.out, "calls"), "step; neither begin_frame nor render")
        self.assertIn("begin_frame or render: without them", row(run.out, "try"))
        self.assertIn("--vary", row(run.out, "try"))
        report = self.read_json(0, "verify chunks.isotick --sim ./chunks.so --perturb none")
        report = report["recordings"][0]
        self.assertFalse(report["frames_reach_it"])
        self.assertEqual(report["calls"], {"begin_frame": False, "render": False})
        run = self.ends(0, "verify s.isotick --trials 8 -v", "8 of 8 trials identical\n")
        self.assertEqual(row(run.out, "calls"), "begin_frame, step, render")
        self.assertNotIn("\n  try ", run.out)
        run = self.ends(0, "sims ./chunks.so")
        self.assertEqual(row(run.out, "calls"), "step; neither begin_frame nor render")

    def test_parts_that_changed_are_named(self):
        self.ends(2, f"replay faulty.isotick {FAULTY} --environment fault=nan",
                  "the simulation's state has a part that the recording lacks: ratio")
        self.ends(2, f"verify faulty.isotick {FAULTY} --environment fault=swapped",
                  "in another order than the recording: inputs, counter instead of counter, inputs")

    def test_a_simulation_without_players_is_not_told_to_take_inputs(self):
        self.refuses("record --sim ./blind.so --inputs bot -o blind.isotick",
                     "has no bot and no players; record it with --inputs none")

    def test_what_differs_between_stored_hashes_is_named_at_its_tick(self):
        self.record("sparse.isotick", f"{FAULTY} --ticks 60 --hash-every 50")
        command = f"sparse.isotick {FAULTY} --environment fault=address --environment at=31"
        self.ends(1, f"replay {command} --schedule 100hz", "NONDETERMINISTIC  at tick 31\n")
        found = self.read_json(1, f"replay {command}")["explanation"]["disagreement"]
        self.assertEqual((found["tick"], found["parts"], found["last_agreed"]),
                         (31, ["counter"], 31))
        self.assertEqual([kind["path"] for kind in found["fields"]["kinds"]], ["counter"])
        self.assertGreater(found["outcomes"], 1)

    def test_a_frame_rate_that_never_varies_proves_nothing(self):
        run = self.ends(4, "verify s.isotick --trials 1", "INCONCLUSIVE  1 of 1 trials identical")
        self.assertIn("every frame ran exactly", row(run.out, "reason"))

    def test_players_without_inputs_prove_nothing(self):
        run = self.ends(4, "verify idle.isotick --trials 4", "INCONCLUSIVE")
        self.assertEqual(row(run.out, "reason"),
                         "the recording has players but no inputs")

    def test_inputs_that_never_matter_prove_nothing(self):
        deaf = f"{FAULTY} --environment fault=inputs-ignored"
        self.record("deaf.isotick", f"{deaf} --ticks 60")
        self.ends(4, f"verify deaf.isotick {deaf} --trials 20", "inputs never mattered")

    def test_a_hash_that_never_changes_proves_nothing(self):
        constant = f"{FAULTY} --environment fault=constant"
        self.record("constant.isotick", f"{constant} --ticks 60 --inputs none --players 0")
        self.ends(4, f"verify constant.isotick {constant} --trials 20", "the hash never changed")

    def test_too_many_frames_prove_nothing(self):
        run = self.ends(4, "replay s.isotick --schedule 1ns --most-frames 1000", "INCONCLUSIVE")
        self.assertIn("1000 frames after 0 ticks", row(run.out, "reason"))
        self.ends(4, "verify s.isotick --schedule 1ns --most-frames 1000", "INCONCLUSIVE")

    def test_a_proper_prefix_proves_nothing(self):
        self.record("shorter.isotick", "--sim skirmish --config units=60 --ticks 200")
        self.ends(4, "diff shorter.isotick s.isotick", "a is a prefix of b")
        self.ends(4, "diff s.isotick shorter.isotick", "b is a prefix of a")

    def test_a_replay_once_proves_what_it_says(self):
        self.ends(0, "replay idle.isotick", "IDENTICAL")

    def test_an_explicit_schedule_need_not_vary(self):
        self.ends(0, "verify s.isotick --schedule 60hz", "IDENTICAL  2 of 2 trials identical")

    def test_a_schedule_that_ends_repeats_and_says_so(self):
        run = self.ends(0, "replay s.isotick --schedule '3x10ms, 101.4ms'", "IDENTICAL")
        self.assertIn("the schedule ended and began again", row(run.out, "note"))


class Reach(ProgramTest):
    """--must-reach: a session that never reaches what is to be tested proves nothing."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim skirmish --ticks 60")
        cls.record("bare.isotick", "--sim spring --ticks 60")

    def test_what_is_reached_is_identical(self):
        self.ends(0, "verify s.isotick --trials 6 --must-reach orders --must-reach movement",
                  "IDENTICAL")

    def test_what_is_not_reached_is_inconclusive(self):
        run = self.ends(4, "verify s.isotick --trials 6 --must-reach orders --must-reach boss",
                        "INCONCLUSIVE")
        self.assertIn("never reached 'boss': it passed orders, production, movement",
                      " ".join(run.out.split()))
        self.assertNotIn("never reached 'orders'", run.out)

    def test_what_names_no_checkpoints_reaches_none(self):
        run = self.ends(4, "verify bare.isotick --trials 6 --must-reach boss", "INCONCLUSIVE")
        self.assertIn("never reached 'boss': it passed no checkpoint", run.out)

    def test_a_divergence_counts_more(self):
        self.record("leak.isotick", "--sim control:frame-time --ticks 60")
        self.ends(1, "verify leak.isotick --trials 6 --must-reach boss", "DIVERGED")


class SeveralFiles(ProgramTest):
    """One run, one verdict: the first that occurred of 1, 5, 3, 4."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        small = "--config units=60 --ticks 300"
        cls.record("same.isotick", f"--sim skirmish {small}")
        cls.record("other.isotick", f"--sim skirmish {small} --seed 2")
        cls.record("idle.isotick", f"--sim skirmish {small} --inputs none")
        cls.record("leaks.isotick", f"--sim control:alpha {small}")
        cls.record("long.isotick", "--sim ./faulty.so --ticks 60")
        cls.record("short.isotick", "--sim ./faulty.so --ticks 20")
        cls.record("changed.isotick", "--sim ./faulty.so --ticks 20 --environment fault=build "
                   "--environment at=5")
        cls.copy_of_damaged("damaged.isotick", "same.isotick")
        cls.copy_of_damaged("bad.isotick", "short.isotick")

    @classmethod
    def copy_of_damaged(cls, name, of):
        content = bytearray((cls.folder / of).read_bytes())
        content[40] ^= 1
        (cls.folder / name).write_bytes(content)

    def verdict_of(self, code, files, options=""):
        names = " ".join(f"{name}.isotick" for name in files.split())
        run = self.ends(code, f"verify {names} --trials 6 {options}")
        count = len(files.split())
        word = {0: "IDENTICAL", 1: "DIVERGED", 3: "UNREADABLE", 4: "INCONCLUSIVE", 5: "CRASHED"}
        self.assertRegex(run.out.splitlines()[-1], f"^{word[code]}  {count} recordings$"
                         if code == 0 else f"^{word[code]}  (1 of |2 of )?{count} recordings"
                         "( fail, for [23] reasons)?$")
        for name in files.split():
            self.assertRegex(run.out, rf"(?m)^([A-Z]+  )?{name}\.isotick[:\n]")

    def test_two_identical(self):
        self.verdict_of(0, "same other")

    def test_inconclusive_wins_over_identical(self):
        self.verdict_of(4, "same idle")
        self.verdict_of(4, "idle same")

    def test_damaged_wins_over_identical_and_inconclusive(self):
        self.verdict_of(3, "damaged same")
        self.verdict_of(3, "same idle damaged")

    def test_diverged_wins_over_damaged(self):
        self.verdict_of(1, "leaks damaged")
        self.verdict_of(1, "damaged idle leaks same")

    def test_crashed_wins_over_damaged_and_diverged_over_crashed(self):
        crash = "--sim ./faulty.so --environment fault=abort --environment at=30"
        self.verdict_of(5, "long bad", crash)
        self.verdict_of(5, "bad long", crash)
        self.verdict_of(1, "long changed", crash)
        self.verdict_of(1, "changed bad long", crash)

    def test_every_file_is_in_the_json(self):
        report = self.read_json(3, "verify same.isotick damaged.isotick none.isotick --trials 4")
        self.assertEqual(report["verdict"], "unreadable")
        verdicts = {one["recording"]: one["verdict"] for one in report["recordings"]}
        self.assertEqual(verdicts, {"same.isotick": "identical", "damaged.isotick": "unreadable",
                                    "none.isotick": "unreadable"})


if __name__ == "__main__":
    unittest.main()
