"""The same command gives the same bytes, on stdout and in the recording."""

import re
import unittest

from program import ProgramTest, some

SESSIONS = {
    "skirmish": "--sim skirmish --config units=60 --ticks 300",
    "spring": "--sim spring --ticks 300",
    "leak": "--sim control:alpha --config units=60 --ticks 300",
    "plugin": "--sim ./faulty.so --ticks 300 --players 3",
    "driven": "--sim skirmish --config units=60 --ticks 300 --seed 7 --players 5 --inputs random "
              "--schedule 'mix(seed=3)' --hash-every 7 --parts-every 21 --note why=test",
}


class Reproducible(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in SESSIONS.items():
            cls.record(f"{name}.isotick", options)

    def test_record_twice_gives_the_same_file(self):
        for name, options in SESSIONS.items():
            self.record("again.isotick", f"{options} --force")
            self.assertEqual(self.content("again.isotick"), self.content(f"{name}.isotick"), name)

    def test_the_seed_is_recorded_and_matters(self):
        self.record("seed.isotick", f"{SESSIONS['skirmish']} --seed 0x1")
        self.assertEqual(self.content("seed.isotick"), self.content("skirmish.isotick"))
        self.record("seed.isotick", f"{SESSIONS['skirmish']} --seed 2 --force")
        self.ends(1, "diff seed.isotick skirmish.isotick", "first differ in the seed")

    def test_how_a_clean_session_is_driven_does_not_show_in_its_hashes(self):
        schedules = ("60hz", "144hz", "mix(seed=1)", "100x16.667ms, 1x101.4ms")
        for schedule in some(schedules, 2):
            self.record("rate.isotick", f"{SESSIONS['skirmish']} --inputs none --force "
                        f"--schedule '{schedule}'")
            self.record("none.isotick", f"{SESSIONS['skirmish']} --inputs none --force")
            self.ends(0, "diff rate.isotick none.isotick", "IDENTICAL")

    def outputs_agree(self, command, *variants):
        outputs = [self.isotick(f"{command} {variant}") for variant in variants]
        for output in outputs[1:]:
            self.assertEqual((output.code, output.out), (outputs[0].code, outputs[0].out), command)

    def test_every_command_twice(self):
        for command in ("verify {} --trials 20", "replay {} --schedule 45hz", "inspect {}",
                        "diff {} skirmish.isotick"):
            for name in some(("leak.isotick", "skirmish.isotick"), 1):
                self.outputs_agree(command.format(name), "", "")
                self.outputs_agree(command.format(name), "--json", "--json")

    def test_one_job_and_many(self):
        for name in some(("leak", "skirmish", "driven"), 1):
            jobs = some(("--jobs 1", "--jobs 2", "--jobs 7", "--jobs 0"), 2)
            self.outputs_agree(f"verify {name}.isotick --trials 20", *jobs)
            self.outputs_agree(f"verify {name}.isotick --trials 20 --json", *jobs)
        crash = "--sim ./faulty.so --environment fault=abort --trials 20"
        self.outputs_agree(f"verify plugin.isotick {crash}", "--jobs 1", "--jobs 2")

    def test_a_trials_schedule_does_not_depend_on_how_many_there_are(self):
        few = self.read_json(1, "verify leak.isotick --trials 5")["recordings"][0]["failures"]
        many = self.read_json(1, "verify leak.isotick --trials 25")["recordings"][0]["failures"]
        self.assertGreater(len(few), 1)
        self.assertEqual(few, many[:len(few)])

    def test_the_default_seed_is_the_sessions(self):
        run = self.isotick("verify leak.isotick --trials 1 -v")
        given = re.search("root seed (0x[0-9a-f]{16})", run.out)
        self.outputs_agree("verify leak.isotick --trials 10", "", f"--seed {given.group(1)}")

    def test_a_random_seed_is_printed_and_reproduces_the_run(self):
        run = self.ends(1, "verify leak.isotick --trials 10 --seed random -v", "DIVERGED")
        seed = re.search("root seed (0x[0-9a-f]{16})", run.out).group(1)
        again = self.ends(1, f"verify leak.isotick --trials 10 --seed {seed} -v")
        self.assertEqual(again.out, run.out)
        other = self.ends(1, "verify leak.isotick --trials 10 --seed random -v")
        self.assertNotEqual(other.out, run.out)

    def test_a_copied_recording_gives_the_same_trials(self):
        self.path("copy.isotick").write_bytes(self.content("leak.isotick"))
        run = self.isotick("verify leak.isotick --trials 10")
        copy = self.isotick("verify copy.isotick --trials 10")
        self.assertEqual(copy.out.replace("copy.isotick", "leak.isotick"), run.out)


if __name__ == "__main__":
    unittest.main()
