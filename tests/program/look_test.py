"""Looking at a tick: `replay --print` shows fields of the last state, `--watch` of every one."""

import csv
import io
import re
import unittest

from program import ProgramTest, row

FAULTY = "replay faulty.isotick --sim ./faulty.so"


def printed(text):
    """The fields that a report ends with, by path: value and bits."""
    fields = {}
    for line in text.partition("\nafter tick ")[2].splitlines()[1:]:
        path, value, *bits = re.split(r" {2,}", line.strip())
        fields[path] = (value, *bits)
    return fields


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


class Look(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim skirmish --config units=20 --ticks 60")
        cls.record("leak.isotick", "--sim control:alpha --config units=20 --ticks 60")
        cls.record("faulty.isotick", "--sim ./faulty.so --ticks 40")
        cls.record("blind.isotick", "--sim ./blind.so --inputs none --ticks 40")

    def test_print_shows_a_field_of_the_last_state_behind_the_report(self):
        run = self.ends(0, f"{FAULTY} --print counter --until 17")
        plain = self.ends(0, f"{FAULTY} --until 17")
        self.assertEqual(run.out, plain.out + "\nafter tick 17\n  counter  19\n")
        self.assertEqual(run.err, "")

    def test_print_shows_the_bits_of_floats(self):
        fields = printed(self.ends(0, "replay s.isotick --print units.position_x[3]").out)
        self.assertEqual(list(fields), ["units.position_x[3]"])
        self.assertRegex(fields["units.position_x[3]"][1], r"^\(0x[0-9a-f]{8}\)$")

    def test_print_takes_objects_wildcards_everything_and_several_paths(self):
        both = printed(self.ends(0, "replay s.isotick --print 'units.position_x[*]' "
                                 "--print units.position_y").out)
        self.assertEqual(len(both), 40)
        self.assertEqual(list(both)[20], "units.position_y[0]")
        everything = printed(self.ends(0, "replay s.isotick --print ''").out)
        self.assertLessEqual(both.items(), everything.items())
        self.assertIn("world.ticks", everything)

    def test_print_in_json(self):
        report = self.read_json(0, "replay s.isotick --print units.position_x[3] --print x")
        known, unknown = report["printed"]["paths"]
        self.assertEqual(report["printed"]["ticks_done"], 60)
        self.assertEqual(known["fields"][0]["type"], "f32")
        self.assertRegex(known["fields"][0]["bits"], "^0x")
        self.assertEqual(unknown["fields"], [])
        self.assertIn("there is no 'x' in the state, which has ", unknown["missing"])
        self.assertIsNone(self.read_json(0, "replay s.isotick")["printed"])

    def test_print_says_what_there_is_instead(self):
        run = self.ends(0, f"{FAULTY} --print counter --print count")
        self.assertEqual(run.err, "isotick: --print count: there is no 'count' in the state, "
                         "which has counter, inputs\n")
        self.assertTrue(run.out.endswith("IDENTICAL\n\nafter tick 39\n  counter  41\n"), run.out)

    def test_print_after_a_crash_has_nothing_to_show(self):
        run = self.ends(5, f"{FAULTY} --environment fault=abort --print counter")
        self.assertIn("--print: the trial ended without a state to look at", run.err)

    def test_print_of_a_divergence_shows_the_state_that_diverged(self):
        run = self.ends(1, f"{FAULTY} --environment fault=build --print counter")
        self.assertTrue(run.out.endswith("  counter  23\n"), run.out)

    def test_print_and_state_together_show_the_same(self):
        run = self.ends(0, f"{FAULTY} --print counter --state both.state")
        self.assertIn("  counter  41\n", run.out)
        self.ends(0, f"{FAULTY} --state only.state")
        self.assertEqual(self.content("both.state"), self.content("only.state"))

    def test_watch_gives_a_table_and_the_report_aside(self):
        run = self.ends(0, f"{FAULTY} --watch counter --watch inputs --until 2")
        self.assertEqual(run.out.splitlines()[:2], ["tick,counter,inputs", "0,2,3"])
        self.assertEqual([line["tick"] for line in table(run.out)], ["0", "1", "2"])
        plain = self.ends(0, f"{FAULTY} --until 2")
        self.assertEqual(run.err, plain.out)

    def test_watch_agrees_with_print_at_each_tick(self):
        path = "units.position_y[7]"
        lines = table(self.ends(0, f"replay s.isotick --watch {path}").out)
        self.assertEqual(len(lines), 60)
        self.assertGreater(len({line[path] for line in lines}), 30)
        for tick in (0, 1, 31, 59):
            shown = printed(self.ends(0, f"replay s.isotick --until {tick} --print {path}").out)
            self.assertEqual(shown[path][0], lines[tick][path])

    def test_watch_does_not_depend_on_how_the_session_is_driven(self):
        nominal = self.ends(0, "replay s.isotick --watch world.ticks")
        driven = self.ends(0, "replay s.isotick --watch world.ticks --schedule '7ms, 200ms'")
        self.assertEqual(driven.out, nominal.out)

    def test_watch_ends_with_the_tick_that_diverged(self):
        run = self.ends(1, "replay leak.isotick --schedule 144hz -v --watch units.position_x[0]")
        tick = int(re.search(r"^DIVERGED  at tick (\d+)$", run.err, re.MULTILINE).group(1))
        self.assertEqual(table(run.out)[-1]["tick"], str(tick))
        self.assertEqual(row(run.err, "confirmed"), "in a fresh process: same tick, same hash")

    def test_watch_keeps_what_was_before_a_crash(self):
        for fault in ("abort", "segfault", "exit", "throw"):
            run = self.ends(5, f"{FAULTY} --environment fault={fault} --watch counter")
            self.assertEqual(table(run.out)[-1], {"tick": "19", "counter": "21"}, fault)
            self.assertEqual(run.err.splitlines()[-1], "CRASHED")

    def test_watch_that_crashes_the_simulation_is_part_of_what_reproduces_it(self):
        run = self.ends(5, f"{FAULTY} --environment fault=throw --environment in=fields "
                        "--watch counter")
        again = row(run.err, "reproduce")
        self.assertTrue(again.endswith("--environment in=fields --watch counter"), again)
        self.assertEqual(self.ends(5, again[len("isotick "):]), run)

    def test_watch_says_what_never_was(self):
        run = self.ends(0, f"{FAULTY} --watch counter --watch count")
        self.assertEqual(table(run.out)[39], {"tick": "39", "counter": "41", "count": ""})
        self.assertIn("isotick: --watch count has no value at any tick: there is no 'count' in "
                      "the state, which has counter, inputs\n", run.err)

    def test_watch_quotes_what_needs_it(self):
        run = self.ends(0, f"{FAULTY} --watch 'a[\"b, c\"]' --until 0")
        self.assertEqual(run.out, 'tick,"a[""b, c""]"\n0,\n')

    def test_paths_that_are_none(self):
        self.refuses(f"{FAULTY} --print a..b", "--print: 'a..b' is not a path: column 2: expected "
                     "a name after this .")
        self.refuses(f"{FAULTY} --watch a[1", "--watch: 'a[1' is not a path: column 2: this [ has")
        self.refuses(f"{FAULTY} --watch 'a[*]'", "--watch: 'a[*]' names many values")

    def test_watch_of_more_than_one_value_names_them(self):
        self.refuses("replay s.isotick --watch units.position_x", "'units.position_x' is not one "
                     "value after tick 0, but units.position_x[0], units.position_x[1], "
                     "units.position_x[2], units.position_x[3] and 16 more")

    def test_watch_and_json_exclude_each_other(self):
        self.refuses(f"{FAULTY} --watch counter --json", "--json excludes --watch")

    def test_a_simulation_without_fields_has_nothing_to_show(self):
        for option in ("--print counter", "--watch counter", "--state x.state"):
            for here in ("", " --in-process"):
                self.refuses(f"replay blind.isotick --sim ./blind.so {option}{here}",
                             f"{option.split()[0]}: blind does not show its fields")
        self.assertFalse(self.path("x.state").exists())


if __name__ == "__main__":
    unittest.main()
