"""why: one page on why a recording is not reproduced."""

import unittest

from program import ProgramTest, failing_tick, row, some

FRAMES = "The bits depend on when frames come"
BLIND = "Nothing fails, but hash or snapshot miss part of the state"
FORGETFUL = {"missing": "./pile_missing.so", "missing-from-save": "./pile_missing_from_save.so",
             "padding": "./pile_padding.so", "stale-cache": "fault:stale-cache"}


class Why(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("alpha", "frame-time", "long-frame", "render-random"):
            cls.record(f"{name}.isotick", f"--sim control:{name} --config units=30 --ticks 200")
            cls.record(f"twin-{name}.isotick", f"--sim twin:{name} --config units=30 --ticks 200")
        for name, simulation in FORGETFUL.items():
            cls.record(f"{name}.isotick", f"--sim {simulation} --ticks 600")
        cls.record("f.isotick", "--sim ./faulty.so --ticks 60")

    def page(self, code, command, title):
        run = self.ends(code, f"why {command}")
        verdict, rest = run.out.split("  ", 1)
        self.assertTrue(rest.startswith(f"{command.split()[0]}: {title}\n"), run.out)
        self.assertEqual(run.out.splitlines()[-1], verdict)
        return run.out

    def test_controls(self):
        for name, calls in some((("alpha", "render: it changes the state"),
                                 ("render-random", "render"), ("frame-time", "begin_frame"),
                                 ("long-frame", "begin_frame")), 2):
            page = self.page(1, f"{name}.isotick", FRAMES)
            verdict = self.read_json(1, f"verify {name}.isotick")["recordings"][0]
            shown = next(one for one in verdict["failures"] if one["explanation"])
            self.assertEqual(failing_tick(page), f"tick {shown['explanation']['tick']}")
            for part in shown["explanation"]["parts"]:
                self.assertIn(f"{part} (", row(page, "differs in"))
            self.assertTrue(row(page, "look at").startswith(calls), page)
            again = page.split("  see it again\n    ")[1].splitlines()[0]
            self.assertEqual(self.shell(again).code, 1, again)

    def test_twins(self):
        for name in some(("alpha", "frame-time", "long-frame", "render-random"), 1):
            page = self.page(0, f"twin-{name}.isotick --trials 20",
                             "Nothing fails: every trial gives the recorded bits")
            self.assertNotIn("  when ", page)
            self.assertIn("\n  try more\n", page)

    def test_faults(self):
        for name, member in some((("missing", "slow_ticks_"), ("missing-from-save", "slow_ticks"),
                                  ("stale-cache", "middle_")), 1):
            page = self.page(0, f"{name}.isotick --sim {FORGETFUL[name]} --trials 20 "
                             "--perturb none", BLIND)
            self.assertIn(f"  blind spot  {member}", page)
            self.assertIn("isotick audit", page)

    def test_faults_that_going_back_shows(self):
        for name in some(("missing", "missing-from-save", "stale-cache"), 1):
            page = self.page(1, f"{name}.isotick --sim {FORGETFUL[name]} --trials 20",
                             "The bits depend on something that must not matter")
            self.assertIn("rollback=", page)

    def test_padding_that_is_hashed(self):
        page = self.page(1, "padding.isotick --sim ./pile_padding.so --trials 20",
                         "The bits change from run to run, with nothing changed")
        self.assertIn("uninitialized memory", page.lower())

    def test_what_fails_whatever_the_frames(self):
        for fault, code, title, says in some((
                ("build", 1, "This build, or this machine, computes other bits than were recorded",
                 "isotick bisect commits f.isotick --good REVISION"),
                ("process", 1, "The bits change from run to run, with nothing changed", "memory"),
                ("abort", 5, "The simulation crashes", "step of tick 20"),
                ("hang", 5, "The simulation hangs", "tick 20")), 2):
            page = self.page(code, f"f.isotick --sim ./faulty.so --environment fault={fault} "
                             "--timeout 1 --trials 20", title)
            self.assertIn(says, page)
            self.assertIn("tick 20", page)

    def test_another_build(self):
        page = self.page(1, "f.isotick --sim ./other_build.so --sim-a ./faulty.so --trials 5",
                         "This build computes other bits than the one that recorded")
        self.assertEqual(failing_tick(page), "tick 20")
        self.assertIn("counter  22 → 23", row(page, "differs in"))

    def test_leaves_what_reproduces_it(self):
        run = self.ends(1, "why long-frame.isotick -o found")
        self.assertEqual(self.content("found/why.txt").decode(), run.out)
        self.assertTrue(self.content("found/why.md").startswith(f"## {FRAMES}\n".encode()))
        self.ends(1, "verify found/smallest.isotick")
        self.assertEqual(self.shell("sh found/reproduce.sh").code, 1)
        self.refuses("why long-frame.isotick -o found", "found/")

    def test_what_it_leaves_reproduces_with_the_same_paths_and_environment(self):
        for how in some(("--sim ./other_build.so --sim-a ./faulty.so",
                         "--sim ./faulty.so --environment fault=build"), 1):
            run = self.ends(1, f"why f.isotick {how} --trials 3 -o left --force --with-environment")
            again = run.out.split("  see it again\n    ")[1].splitlines()[0]
            for command in (again, "sh left/reproduce.sh"):
                run = self.shell(command)
                self.assertEqual(run.code, 1, f"{command}\n{run.out}{run.err}")
                self.assertIn("DIVERGED", run.out)

    def test_leaves_nothing_of_an_earlier_run(self):
        self.ends(1, "why f.isotick --sim ./faulty.so --environment fault=build --trials 3 "
                     "-o stale")
        self.assertTrue(self.path("stale/reproduce.sh").exists())
        self.ends(0, "why twin-alpha.isotick --trials 5 -o stale --force")
        self.assertEqual(sorted(path.name for path in self.path("stale").iterdir()),
                         ["why.json", "why.md", "why.txt"])

    def test_markdown_takes_no_name_for_markup(self):
        name = "a|b`<i>.isotick"
        self.path(name).write_bytes(self.content("long-frame.isotick"))
        self.ends(1, f"why '{name}' --trials 60 -o marked")
        page = self.content("marked/why.md").decode()
        self.assertIn("\n\na\\|b\\`\\<i\\>.isotick\n\n", page)

    def test_mistakes(self):
        self.ends(3, "why none.isotick -o nothing", "none.isotick")
        self.assertFalse(self.path("nothing").exists())
        self.refuses("why f.isotick --sim spring", "the recording is of 'faulty'")


if __name__ == "__main__":
    unittest.main()
