"""verify --report: the report in a folder, beside stdout."""

import json
import unittest

import json_schema
from program import ProgramTest


class ReportFolder(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim spring --ticks 200 --inputs random")
        cls.record("leak.isotick", "--sim control:render-random --ticks 200")
        cls.path("text.isotick").write_text("hello\n" * 100, encoding="utf-8")

    def text(self, folder):
        return self.content(f"{folder}/report.txt").decode()

    def json(self, folder):
        report = json.loads(self.content(f"{folder}/report.json"))
        json_schema.check("verify", report)
        return report

    def test_holds_what_stdout_shows(self):
        for recording, code in (("s.isotick", 0), ("leak.isotick", 1)):
            run = self.ends(code, f"verify {recording} --trials 4 --report made/for/{recording}")
            self.assertEqual(self.text(f"made/for/{recording}"), run.out)
            shown = self.read_json(code, f"verify {recording} --trials 4 --fields 3")
            self.assertEqual(self.json(f"made/for/{recording}"), shown)

    def test_has_text_where_stdout_has_json(self):
        shown = self.read_json(0, "verify s.isotick --trials 4 --report ./json")
        self.assertEqual(self.json("json"), shown)
        self.assertIn("IDENTICAL  4 of 4 trials identical\n", self.text("json"))

    def test_has_what_stderr_says_of_a_single_recording_that_cannot_be_read(self):
        run = self.ends(3, "verify text.isotick --report unread")
        self.assertEqual(run.out, "")
        self.assertIn("reason      not an isotick recording\nUNREADABLE\n", self.text("unread"))
        self.assertEqual(self.json("unread")["verdict"], "unreadable")

    def test_has_markdown_for_the_summary_page_of_a_job(self):
        run = self.ends(1, "verify leak.isotick s.isotick --trials 4 --report pages")
        page = self.content("pages/report.md").decode()
        self.assertTrue(page.startswith("### isotick: diverged\n"), page)
        self.assertIn("| leak.isotick | diverged | 1 of 4 |\n| s.isotick | identical | 4 of 4 |\n",
                      page)
        for how, name in ((" open", "leak.isotick"), ("", "s.isotick")):
            self.assertRegex(page, rf"<details{how}><summary>{name}</summary>\n\n```text\n"
                                   rf"(DIVERGED  )?{name}[:\n]")
        for line in run.out.splitlines()[:-2]:
            self.assertIn(line, page)

    def test_markdown_takes_no_name_for_markup(self):
        name = "a|b`<i>*.isotick"
        self.path(name).write_text("hello\n" * 100, encoding="utf-8")
        self.ends(3, f"verify '{name}' --report names")
        self.assertIn("| a\\|b\\`\\<i\\>\\*.isotick | unreadable | none |",
                      self.content("names/report.md").decode())

    def test_does_not_keep_the_report_of_an_earlier_run(self):
        self.path("stale").mkdir()
        for name in ("report.txt", "report.json", "other.txt"):
            self.path(f"stale/{name}").write_text("old", encoding="utf-8")
        self.ends(2, "verify s.isotick --sim spring --report stale --trials 0")
        self.assertEqual(self.text("stale"), "old")  # nothing was done
        self.ends(0, "verify s.isotick --trials 4 --report stale")
        self.assertNotEqual(self.text("stale"), "old")
        self.assertEqual(self.content("stale/other.txt"), b"old")

    def test_is_refused_before_any_work_where_there_can_be_no_folder(self):
        run = self.ends(3, "verify s.isotick --report s.isotick/x", "--report: no folder")
        self.assertEqual(run.out, "")


if __name__ == "__main__":
    unittest.main()
