"""Which code made the difference: the row `written by`, and `write` as JSON."""

import json
import os
import re
import subprocess
import unittest

from program import KNOWS_LINES, PLUGINS, ProgramTest, line_of, row

CONTROLS = PLUGINS.parent / "controls" / "controls.so"


@unittest.skipUnless(KNOWS_LINES, "nothing here reads debug information")
class Writer(ProgramTest):
    def explained(self, recording, options=""):
        """The explanation of the failure that is shown."""
        report = self.read_json(1, f"verify {recording} --audit none {options}")
        return next(failure["explanation"] for failure in report["recordings"][0]["failures"]
                    if failure["explanation"])

    def planted(self, control, options=""):
        """What is said of the writer where this control is what is wrong."""
        sim = f"--sim {CONTROLS} --environment control={control}"
        self.record(f"{control}.isotick", f"{sim} --ticks 300 --force")
        return self.explained(f"{control}.isotick", f"{sim} {options}")["write"]

    def names(self, write):
        return [place["function"] for place in write["code"]]

    def test_a_draw_while_rendering_is_named_with_the_one_who_draws(self):
        self.record("s.isotick", "--sim control:render-random --ticks 60 --config units=20")
        found = self.explained("s.isotick", "--perturb none --trials 20")
        write = found["write"]["recorded"] or found["write"]["computed"]
        self.assertEqual(write["during"], "render")
        self.assertEqual(write["path"], "random.0")
        caller = write["code"][-1]
        self.assertEqual(caller["function"], "RenderRandomSkirmish::render")
        self.assertTrue(caller["file"].endswith("reference.cpp"), caller)
        self.assertEqual(caller["line"],
                         line_of("core/reference/reference.cpp", "generator.unit_float()"))

    def test_the_first_write_on_one_side_alone(self):
        """A flag that is set: the function, its line, the value, and that the other does not."""
        found = self.planted("sparks-from-the-same-random", "--perturb none")
        self.assertIsNone(found["recorded"], found)
        self.assertEqual(found["computed"]["path"], "random.0")
        self.assertIn("SparksFromTheSameRandom::render", self.names(found["computed"]))
        rules = "tests/controls/rules/rendering.cpp"
        self.assertEqual(found["computed"]["code"][2]["line"],
                         line_of(rules, "glow_ = random.next();"))

    def test_a_write_that_both_make_shows_both_values(self):
        self.record("t.isotick", "--sim control:frame-time --ticks 60 --config units=20")
        run = self.ends(1, "verify t.isotick --perturb none --trials 20")
        text = row(run.out, "written by")
        values = re.search(r"sets units\.position_x\[\d+\] to (\S+) \(was (\S+)\); in the recorded "
                           r"run, it sets (\S+)$", text)
        self.assertTrue(values, text)
        self.assertEqual(len(set(values.groups())), 3, text)
        self.assertTrue(text.startswith("Skirmish::move_units (skirmish_units.cpp:"), text)
        again = self.shell(row(run.out, "reproduce"))
        self.assertEqual(row(again.out, "written by"), text)

    @unittest.skipIf("ISOTICK_WITHOUT_ZYDIS" in os.environ, "nothing here decodes instructions")
    def test_a_call_of_the_system_is_named_by_the_function_that_was_called(self):
        sim = "--sim ./faulty.so --environment fault=lustrum"
        self.record("lustrum.isotick", f"{sim} --ticks 60")
        found = self.explained("lustrum.isotick", f"{sim} --perturb clock --trials 20")
        origin = found["write"]["origin"]
        self.assertEqual(origin["called"], "time")
        self.assertIn("lustrum", origin["code"][0]["function"])

    def test_in_begin_frame(self):
        found = self.planted("once-per-frame", "--perturb none")
        made = found["computed"] or found["recorded"]
        self.assertEqual(made["during"], "begin_frame")
        self.assertIn("OncePerFrame::begin_frame", self.names(made))

    def test_of_what_a_snapshot_loses_is_the_code_that_missed_it(self):
        found = self.planted("best-score", "--perturb rollback,reload")
        made = found["computed"] or found["recorded"]
        self.assertEqual(self.names(made)[0], "BestScore::step")

    def test_a_loaded_snapshot_leaves_other_room_in_containers(self):
        """That is no difference that anybody made: a vector of shots grows, and moves."""
        for control, culprit in (("pointer-in-snapshot", "PointerInSnapshot::step"),
                                 ("made-in-the-first-tick", "MadeInTheFirstTick::step")):
            with self.subTest(control):
                found = self.planted(control, "--perturb reload")
                self.assertEqual(self.names(found["computed"] or found["recorded"])[0], culprit)

    def test_of_a_stripped_plugin_has_no_lines(self):
        stripped = self.path("stripped.so")
        subprocess.run(["strip", "-o", stripped, CONTROLS], check=True)
        sim = f"--sim {stripped} --environment control=sparks-from-the-same-random"
        self.record("stripped.isotick", f"{sim} --ticks 100")
        found = self.explained("stripped.isotick", f"{sim} --perturb none")["write"]
        self.assertEqual(found["computed"]["path"], "random.0")
        for place in found["computed"]["code"]:
            self.assertIsNone(place["line"])
            self.assertRegex(place["function"], r"^stripped\.so\+0x[0-9a-f]+$")

    def test_what_cannot_be_seen_is_said(self):
        self.record("plain.isotick", "--sim ./tanks_c.so --ticks 60")
        command = "replay plain.isotick --sim ./tanks_c.so --vary fault=build"
        run = self.ends(1, f"{command} -v")
        self.assertIn("does not show where its state is", row(run.out, "written by"))
        self.assertNotIn("written by", self.ends(1, command).out)

    def test_of_a_plugin_in_c(self):
        """What visitor.h says of its memory is enough."""
        self.record("c.isotick", "--sim ./tanks.so --ticks 60")
        run = self.ends(1, "replay c.isotick --sim ./tanks.so --vary fault=build")
        self.assertRegex(row(run.out, "written by"),
                         r"^step \(tanks\.c:\d+\); first difference: this code sets levels\[2\] to "
                         r"\d+ \(was \d+\); in the recorded run, it makes no such write here$")
        sim = "--sim ./tanks.so --environment fault=render --environment at=1"
        self.record("d.isotick", f"{sim} --ticks 60 --force")
        found = self.explained("d.isotick", f"{sim} --perturb none --draws random")
        self.assertEqual(found["draws"]["draws"][0]["during"], "render")
        self.assertEqual(self.names(found["draws"]["draws"][0])[:2], ["draw", "render"])

    def test_draws_on_one_side_alone_are_named_with_the_one_who_draws(self):
        """In every control that draws from the game's random numbers once too often, but one."""
        for control, options, caller in (
                ("sparks-from-the-same-random", "--perturb none",
                 "SparksFromTheSameRandom::render"),
                ("log-level", "--vary environment.log=none,all", "LogLevel::step")):
            with self.subTest(control):
                sim = f"--sim {CONTROLS} --environment control={control}"
                self.record(f"{control}.isotick", f"{sim} --ticks 300 --force")
                found = self.explained(f"{control}.isotick", f"{sim} {options} --draws random")
                draws = found["draws"]
                self.assertEqual(draws["computed"], draws["recorded"] + 1, draws)
                self.assertEqual(draws["draws"][0]["side"], "computed")
                self.assertIn(caller, self.names(draws["draws"][0]))
                self.assertEqual(draws["unknown"], "")

    def test_draws_are_shown_from_the_first_that_differs_on(self):
        self.record("d.isotick", "--sim control:render-random --ticks 60 --force")
        run = self.ends(1, "replay d.isotick --schedule 144hz --draws random")
        text = row(run.out, "draws")
        self.assertRegex(text, r"^of random: \d+ recorded, \d+ computed")
        self.assertRegex(text, r"1(-\d+)? +computed only +.*RenderRandomSkirmish::render "
                               r"\(reference\.cpp:\d+\) in render")
        with self.subTest("a part that is not there"):
            run = self.ends(1, "replay d.isotick --schedule 144hz --draws rnd")
            self.assertIn('the state has no value "rnd"', row(run.out, "draws"))
        with self.subTest("nothing differs"):
            run = self.ends(0, "replay d.isotick --draws random")
            self.assertNotIn("draws", run.out)

    def test_draws_of_what_is_no_path_are_refused(self):
        self.record("e.isotick", "--sim control:render-random --ticks 60 --force")
        for options, why in (("--draws 'a['", "--draws: 'a[' is not a path: column 2"),
                             ("--draws random --fields 0", "--draws needs fields")):
            with self.subTest(options):
                self.assertIn(why, self.ends(2, f"replay e.isotick {options}").err)

    def test_what_load_writes_is_seen_where_it_leaves_other_values(self):
        for control in ("loading-draws", "loading-clamps"):
            with self.subTest(control):
                sim = f"--sim {CONTROLS} --environment control={control}"
                self.record(f"{control}.isotick", f"{sim} --ticks 100 --force")
                found = self.explained(f"{control}.isotick",
                                       f"{sim} --perturb rollback --draws random")
                written = found["write"]["computed"]
                self.assertEqual(written["during"], "load", found["write"])
                culprit = f"{''.join(map(str.title, control.split('-')))}::loaded"
                self.assertIn(culprit, self.names(written))
                draws = found["draws"]
                if control == "loading-draws":
                    self.assertEqual(draws["draws"][0]["side"], "computed", draws)
                    self.assertIn(culprit, self.names(draws["draws"][0]))

    def test_is_the_same_each_time(self):
        self.record("u.isotick", "--sim control:alpha --ticks 60 --config units=20 --force")
        command = "verify u.isotick --perturb none --trials 10 --json"
        first, again = (json.loads(self.ends(1, command).out)["recordings"][0]["failures"]
                        for _ in range(2))
        self.assertEqual([one["explanation"] for one in first],
                         [one["explanation"] for one in again])
        self.assertTrue(any(one["explanation"] and one["explanation"]["write"]["computed"]
                            for one in first))


if __name__ == "__main__":
    unittest.main()
