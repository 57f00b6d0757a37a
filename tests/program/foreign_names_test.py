"""A recording never chooses what runs, nor which file is opened: not by its simulation's name, not
by its notes."""

import os
import unittest

from foreign import ForeignTest

TRACE = "trace"  # the file that a simulation from a recording would leave


class ForeignNames(ForeignTest):
    # Each with what would happen if it were opened as --sim opens it.
    names = [f"exec:touch {TRACE}", "./loading_abort.so", "loading_abort.so", "spring2"]
    commands = ("verify {}", "verify honest.isotick {}", "replay {}", "replay {} --in-process",
                "minimize {} -o small.isotick", "audit {}", "diff {} other.isotick --fields")
    built_in = "spring"

    def runs_nothing(self):
        self.assertFalse(self.path(TRACE).exists())
        self.assertFalse(self.path("small.isotick").exists())

    def test_a_name_is_looked_up_among_what_is_built_in(self):
        for name in self.names:
            self.foreign("evil.isotick", simulation=name)
            self.foreign("other.isotick", simulation=name, last_hash="0123456789abcdef")
            for command in self.commands:
                with self.subTest(name=name, command=command):
                    run = self.ends(2, command.format("evil.isotick"))
                    self.assertEqual(run.out, "")
                    self.assertIn(f"evil.isotick: names the simulation '{name}', but built in are "
                                  "only ", run.err)
                    self.assertIn("name a simulation that you trust, --sim ./PLUGIN.so or", run.err)
                    self.runs_nothing()

    def test_what_runs_nothing_takes_any_name(self):
        for name in self.names:
            self.foreign("evil.isotick", simulation=name)
            self.ends(0, "inspect evil.isotick", f"simulation  {name}\n")
            self.ends(0, "repair evil.isotick -o repaired.isotick --force")
            self.ends(0, "diff evil.isotick repaired.isotick")
            self.ends(0, "export evil.isotick -o evil.jsonl --force")
            self.ends(0, "import evil.jsonl -o again.isotick --force")
            self.ends(2, "import evil.jsonl -o again.isotick --force --rehash",
                      f"there is no {name} here")
            self.runs_nothing()

    def test_a_name_from_a_file_is_escaped(self):
        self.foreign("evil.isotick", simulation="exec:x\x1b[2J\nIDENTICAL  9 of 9 trials identical")
        run = self.ends(2, "verify evil.isotick")
        self.assertIn("'exec:x\\u001b[2J\\nIDENTICAL  9 of 9 trials identical'", run.err)
        self.assertEqual(run.err.count("\n"), 1, run.err)

    def test_what_the_user_names_runs(self):
        self.foreign("evil.isotick", simulation=f"exec:touch {TRACE}")
        self.ends(2, f"verify evil.isotick --sim {self.built_in}",
                  f"the recording is of 'exec:touch {TRACE}', the simulation is ")
        self.runs_nothing()
        self.ends(0, f"verify honest.isotick --trials 4 --sim {self.built_in}")


class OwnProgram(ForeignNames):
    """A program linked with isotick::main has one simulation, its own."""

    program = os.environ["ISOTICK_OWN_PROGRAM"]
    honest = "--ticks 200 --inputs random"
    built_in = "bounce"
    # audit has the program's own simulation for its --sim.
    commands = tuple(each for each in ForeignNames.commands if not each.startswith("audit"))

    def test_audits_its_own_simulation_alone(self):
        for name in self.names:
            self.foreign("evil.isotick", simulation=name)
            self.ends(2, "audit evil.isotick", f"the recording is of '{name}', the simulation is "
                      "'bounce'")
            self.runs_nothing()


class ForeignNotes(ForeignTest):
    """A note is text: a path in it is shown, never opened."""

    honest = "--sim control:frame-time --config units=60 --ticks 200 --schedule drive.txt"

    @classmethod
    def record(cls, name, options):
        cls.path("drive.txt").write_text("16ms\n17ms\n120ms\n", encoding="ascii")
        return super().record(name, options)

    def test_whether_there_is_such_a_file_makes_no_difference(self):
        commands = ("verify honest.isotick --trials 3", "replay honest.isotick",
                    "inspect honest.isotick")

        def results():  # without stderr: that a long run is still under way is said there
            return [(run.code, run.out) for run in map(self.isotick, commands)]

        with_file = results()
        self.assertEqual([code for code, _ in with_file], [1, 1, 0])
        self.assertIn('note        isotick.schedule=capture("drive.txt")', with_file[2][1])
        self.path("drive.txt").rename(self.path("gone"))
        self.addCleanup(self.path("gone").rename, self.path("drive.txt"))
        self.assertEqual(results(), with_file)

    def test_a_failing_case_opens_no_capture(self):
        self.record("twin.isotick", "--sim twin:frame-time --config units=60 --ticks 200")
        for note in ('accumulator | capture("drive.txt")', "accumulator(", "./evil.so | 60hz",
                     "exec:touch trace | nominal"):
            self.foreign("evil.isotick", of="twin.isotick", notes={"isotick.repro": note})
            run = self.ends(4, "verify evil.isotick --trials 4")
            self.assertIn("the recording's isotick.repro cannot be ", run.out)
            self.assertEqual(run.err, "")
            self.assertFalse(self.path(TRACE).exists())


if __name__ == "__main__":
    unittest.main()
