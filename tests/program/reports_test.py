"""verify --report KIND:FILE: reports for CI servers, and failures of one cause as one finding."""

import json
import unittest

import json_schema
import junit
from program import ProgramTest

try:
    import junitparser
except ImportError:
    junitparser = None

KINDS = {"text": "txt", "json": "json", "markdown": "md", "junit": "xml"}
HOSTILE = "a]]><&\"'\u202e\u200b\n%0A::error::b.isotick"


class Reports(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for seed in (1, 2, 3):
            cls.record(f"time-{seed}.isotick",
                       f"--sim control:frame-time --ticks {240 - 20 * seed} --seed {seed}")
        cls.record("drawing.isotick", "--sim control:render-random --ticks 200")
        cls.record("fine.isotick", "--sim spring --ticks 200")
        cls.path("text.isotick").write_text("hello\n" * 100, encoding="utf-8")
        cls.corpus = "time-1.isotick fine.isotick drawing.isotick time-2.isotick " \
                     "time-3.isotick text.isotick"
        kinds = " ".join(f"--report {kind}:one.{end}" for kind, end in KINDS.items())
        cls.whole = cls.isotick(f"verify {cls.corpus} --trials 12 {kinds} --report all")
        cls.pair = cls.isotick("verify time-2.isotick time-3.isotick --trials 12 "
                               "--report json:pair.json")

    def suites(self, name):
        return junit.suites(self.path(name))

    def test_recordings_that_fail_alike_are_one_finding(self):
        self.assertEqual(self.whole.code, 1, self.whole)
        out = self.whole.out
        self.assertTrue(out.endswith("DIVERGED  5 of 6 recordings fail, for 3 reasons\n"))
        self.assertRegex(" ".join(out.split()),
                         r" finding 1 diverged in units\.position_x\S+ \S+: frame times "
                         r"\(3 recordings: the smallest, with 180 ticks, is time-3\.isotick\) "
                         r"finding 2 .*drawing\.isotick")
        findings = json.loads(self.content("one.json"))["findings"]
        self.assertEqual([(one["smallest"], len(one["recordings"])) for one in findings],
                         [("time-3.isotick", 3), ("drawing.isotick", 1), ("text.isotick", 1)])

    def test_a_finding_names_parts_where_fields_are_unknown(self):
        for ticks in (60, 70):
            self.record(f"built-{ticks}.isotick",
                        f"--sim ./faulty.so --ticks {ticks} --parts-every 1")
        run = self.ends(1, "verify built-60.isotick built-70.isotick --sim ./other_build.so "
                           "--trials 3 --shrink none")
        self.assertIn("  finding 1   diverged in counter: fails with nothing varied (2 ", run.out)

    def test_only_the_smallest_of_a_finding_is_shown_whole(self):
        short = self.pair.out
        self.assertEqual(short.count("  differs in  "), 1)
        self.assertIn("\n  like        time-3.isotick\n", short)
        self.assertEqual(short.count("  reproduce   isotick replay"), 2)
        self.assertTrue(short.endswith("2 recordings fail, all for the same reason\n"))
        whole = self.ends(1, "verify time-2.isotick time-3.isotick --trials 12 -v").out
        self.assertEqual(whole.count("  differs in  "), 2)

    def test_only_the_smallest_has_what_is_plotted(self):
        found = json.loads(self.content("pair.json"))
        plotted = {}
        for recording in found["recordings"]:
            plotted[recording["recording"]] = [
                bool(failure["frames"]) and bool(failure["explanation"]["part_history"])
                for failure in recording["failures"]]
        self.assertEqual(sum(plotted["time-2.isotick"]), 0)
        self.assertEqual(sum(plotted["time-3.isotick"]), 1)

    def test_frames_are_those_around_the_failure(self):
        plugin = "--sim ./provoked.so --environment after=500 --environment delay=200"
        self.record("latent.isotick", f"{plugin} --ticks 702")
        schedule = "--schedule '497xnominal, 67ms, 500xnominal'"
        (recording,) = self.read_json(1, f"verify latent.isotick {plugin} {schedule} "
                                         "--shrink none")["recordings"]
        (failure,) = recording["failures"]
        frames = failure["frames"]
        fails, passes = frames["fails"], frames["passes"]
        self.assertEqual(failure["explanation"]["tick"], 700)
        self.assertEqual((frames["first"], frames["failed"], frames["tick"]), (487, 697, 700))
        # To the end of the session: tick 701, in frame 698 of one and frame 701 of the other.
        self.assertEqual((len(fails["ticks"]), len(passes["ticks"])), (212, 215))
        self.assertEqual(fails["ticks"], [1] * 10 + [4] + [1] * 201)
        self.assertEqual(passes["ticks"], [1] * 215)
        self.assertEqual(fails["frame_time_ns"][10], 67_000_000)
        self.assertLessEqual(set(passes["frame_time_ns"]), {16_666_666, 16_666_667})

    def test_a_crash_has_its_frames(self):
        plugin = "--sim ./provoked.so --environment after=50 --environment crash=1 " \
                 "--environment delay=3"
        self.record("crash.isotick", f"{plugin} --ticks 200")
        (recording,) = self.read_json(5, f"verify crash.isotick {plugin} --schedule "
                                         "'60xnominal, 67ms'")["recordings"]
        ((frames, reason),) = [(one["frames"], one["reason"]) for one in recording["failures"]
                               if one["frames"]]
        self.assertIn(f"in step of tick {frames['tick']}", reason)
        ticks = frames["fails"]["ticks"]
        hitch = frames["first"] + ticks.index(4)
        self.assertEqual((frames["failed"], ticks[frames["failed"] - frames["first"]]),
                         (hitch + 3, 1))

    def test_each_kind_is_also_in_a_folder(self):
        for end in KINDS.values():
            one, other = (self.content(name).decode() for name in (f"one.{end}",
                                                                    f"all/report.{end}"))
            self.assertEqual(one, other)
        json_schema.check("verify", json.loads(self.content("one.json")))

    def test_junit_has_a_failure_an_error_or_nothing(self):
        root = self.suites("one.xml")
        self.assertEqual([root.get(name) for name in ("tests", "failures", "errors")],
                         ["6", "4", "1"])
        cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
        self.assertEqual(cases, {"time-1.isotick": ["failure"], "fine.isotick": [],
                                 "drawing.isotick": ["failure"], "time-2.isotick": ["failure"],
                                 "time-3.isotick": ["failure"], "text.isotick": ["error"]})
        messages = {failure.get("message") for failure in root.iter("failure")}
        self.assertEqual(len(messages), 2)  # one of each cause
        first = root.find("testsuite[@name='time-3.isotick']")
        known = {one.get("name"): one.get("value") for one in first.iter("property")}
        self.assertEqual(known["when"][:7], "tick 2,")
        self.assertIn("--schedule", known["reproduce"])
        self.assertIn("frame times", known["why"])
        self.assertIn("differs in", next(first.iter("failure")).text)

    def test_junit_marks_what_is_not_the_same_twice(self):
        self.record("clock.isotick", "--sim ./faulty.so --environment fault=address --ticks 60")
        self.ends(1, "verify clock.isotick --sim ./faulty.so --environment fault=address "
                     "--trials 4 --report junit:clock.xml")
        tags = [child.tag for child in self.suites("clock.xml").find("*/testcase")]
        self.assertEqual(tags, ["failure", "flakyFailure"])

    def test_junit_skips_what_proves_nothing(self):
        self.path("short.isotick").write_bytes(self.content("fine.isotick")[:300])
        self.ends(4, "verify short.isotick --trials 4 --report junit:short.xml")
        (suite,) = self.suites("short.xml")
        self.assertEqual(suite.get("skipped"), "1")
        self.assertNotEqual(suite.find("testcase/skipped").get("message"), "")

    @unittest.skipIf(junitparser is None, "no python3-junitparser")
    def test_a_reader_of_junit_shows_two_failures(self):
        read = junitparser.JUnitXml.fromfile(str(self.path("one.xml")))
        self.assertEqual((read.tests, read.failures, read.errors), (6, 4, 1))
        shown = {result.message for suite in read for case in suite for result in case.result
                 if isinstance(result, junitparser.Failure)}
        self.assertEqual(len(shown), 2)

    def test_a_hostile_name_is_text_in_every_kind(self):
        self.path(HOSTILE).write_text("hello\n" * 100, encoding="utf-8")
        words = [self.program, "verify", HOSTILE, "--report", "hostile", "--report", "github"]
        run = self.start(words, more={"GITHUB_STEP_SUMMARY": str(self.path("hostile.md"))})
        self.assertEqual(run.code, 3, run)
        (name,) = [case.get("name") for case in self.suites("hostile/report.xml").iter("testcase")]
        self.assertIn("a]]><&\"'", name)
        for end in (*KINDS.values(),):
            page = self.content(f"hostile/report.{end}").decode()
            self.assertNotIn("\u202e", page)
        page = self.content("hostile/report.html").decode()
        held = page.split('id="report">')[1].split("</script>")[0]
        self.assertNotIn("<", held)
        self.assertIn("a]]><&\"'", json.loads(held)["recordings"][0]["recording"])
        commands = [line for line in run.err.splitlines() if line.startswith("::")]
        self.assertEqual(len(commands), 1)
        self.assertIn("%250A", commands[0])

    def test_an_option_takes_one_value(self):
        self.ends(0, "verify --report junit:before.xml fine.isotick --trials 4", "IDENTICAL")

    def test_what_fails_with_nothing_varied_is_not_due_to_frame_times(self):
        self.record("build.isotick", "--sim ./faulty.so --environment fault=none --ticks 60")
        found = self.read_json(1, "verify build.isotick --sim ./faulty.so --trials 4 "
                                  "--environment fault=build")["findings"]
        self.assertEqual([one["cause"] for one in found], ["fails with nothing varied"])

    def test_github_is_told_of_each_finding_once(self):
        more = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(self.path("summary.md"))}
        self.path("summary.md").write_text("before\n", encoding="utf-8")
        run = self.isotick(f"verify {self.corpus} --trials 12", more=more)
        errors = [line for line in run.err.splitlines() if line.startswith("::error ")]
        self.assertEqual(len(errors), 3)
        self.assertIn("title=isotick%3A time-3.isotick%2C and 2 more recordings::diverged in ",
                      errors[0])
        page = self.content("summary.md").decode()
        self.assertTrue(page.startswith("before\n### isotick: diverged\n"))
        self.assertEqual(page.count("<details"), 4)  # one for each finding, and what is fine
        self.assertEqual(self.whole.out, run.out)

    def test_lockstep_has_the_same_reports(self):
        for recording, code, tags in (("fine.isotick", 0, []), ("time-1.isotick", 1, ["failure"])):
            with self.subTest(recording=recording):
                kinds = " ".join(f"--report {kind}:peers.{end}" for kind, end in KINDS.items())
                command = f"lockstep {recording} --spectators 1 --trials 4 --fields 3"
                shown = self.read_json(code, f"{command} {kinds}")
                self.assertEqual(json.loads(self.content("peers.json")), shown)
                self.assertEqual(self.content("peers.txt").decode(),
                                 self.ends(code, command).out)
                case = self.suites("peers.xml").find("*/testcase")
                self.assertEqual([child.tag for child in case], tags)
                self.assertEqual(case.get("name"), recording)
                self.assertIn(f"| {recording} | ", self.content("peers.md").decode())

    def test_lockstep_has_no_result_to_merge(self):
        run = self.ends(2, "lockstep fine.isotick --spectators 1 --report result:peers.json",
                        "only verify has results")
        self.assertEqual(run.out, "")

    def test_a_crash_at_another_tick_is_the_same_finding(self):
        for name, tick in (("early", 10), ("late", 30)):
            self.record(f"{name}.isotick", "--sim ./faulty.so --environment fault=none "
                                           f"--ticks {60 + tick}")
        crash = "--sim ./faulty.so --environment fault=abort --trials 2"
        (found,) = self.read_json(5, f"verify early.isotick late.isotick {crash}")["findings"]
        self.assertEqual((found["smallest"], len(found["recordings"])), ("early.isotick", 2))
        self.assertRegex(found["cause"], r"signal 6 ")

    def test_ctest_is_given_measurements(self):
        run = self.isotick("verify fine.isotick --trials 12",
                           more={"DASHBOARD_TEST_FROM_CTEST": "3.25.1"})
        self.assertIn('<CTestMeasurement type="numeric/integer" name="trials identical">12<',
                      run.out)
        self.read_json(0, "verify fine.isotick --trials 12",
                       more={"DASHBOARD_TEST_FROM_CTEST": "3.25.1"})

    def test_bazel_finds_its_files(self):
        self.path("outputs").mkdir()
        self.isotick("verify fine.isotick --trials 4",
                     more={"XML_OUTPUT_FILE": str(self.path("test.xml")),
                           "TEST_UNDECLARED_OUTPUTS_DIR": str(self.path("outputs"))})
        self.assertEqual(self.suites("test.xml").get("tests"), "1")
        self.assertEqual(self.suites("outputs/isotick/report.xml").get("tests"), "1")

    def test_mistakes_are_refused_before_any_work(self):
        for report, code, says in (
                ("junit:", 2, "--report junit: name a file"),
                ("junit:-", 2, "--report junit: name a file"),
                ("''", 2, "--report: name a folder"),
                ("junit", 2, "name a file, as in junit:FILE; a folder of that name is ./junit"),
                ("xml:a.xml", 2, "there is no report of kind 'xml', but text, json, markdown"),
                ("json:fine.isotick", 2, "fine.isotick"),
                ("junit:drawing.isotick", 2, "drawing.isotick is a recording"),
                ("json:two --report text:./two", 2, "two"),
                ("json:fine.isotick/x", 3, "fine.isotick/x"),
                ("json:none/x", 3, "none/x")):
            with self.subTest(report=report):
                run = self.ends(code, f"verify fine.isotick --trials 4 --report {report}", says)
                self.assertEqual(run.out, "")
        self.assertFalse(self.path("two").exists())

    def test_a_report_replaces_that_of_an_earlier_run(self):
        self.path("again.json").write_text("old", encoding="utf-8")
        self.ends(2, "verify fine.isotick --trials 0 --report json:again.json")
        self.assertEqual(self.content("again.json"), b"old")
        self.ends(0, "verify fine.isotick --trials 4 --report json:again.json")
        self.assertEqual(json.loads(self.content("again.json"))["verdict"], "identical")


if __name__ == "__main__":
    unittest.main()
