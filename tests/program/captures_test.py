"""Schedules out of captures: in worker processes, in reports, and where the file is gone."""

import re
import unittest

from program import PROJECT, ProgramTest, row

CAPTURES = PROJECT / "tests" / "harness" / "capture" / "samples"
BATTLE = "--config units=100 --ticks 300"


class Captures(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", f"--sim skirmish {BATTLE}")
        cls.record("leak.isotick", f"--sim control:long-frame {BATTLE}")
        for sample in CAPTURES.iterdir():
            cls.path(sample.name).write_bytes(sample.read_bytes())

    def test_every_sample_drives_a_replay_and_says_what_it_is_once(self):
        for sample in sorted(CAPTURES.iterdir()):
            if sample.name in ("mangohud-sampled.csv", "drive.schedule"):
                continue
            run = self.ends(0, f"replay s.isotick --schedule {sample.name}")
            self.assertEqual(len(re.findall(r" frames? over ", run.err)), 1, run.err)
            self.assertTrue(run.err.startswith(f"isotick: {sample.name}: "), run.err)

    def test_the_frames_are_those_of_the_file_spelled_out(self):
        spelled = self.isotick("replay leak.isotick -v --schedule "
                               "'60x60hz, 16.665ms, 33.334ms, 8.333333ms, 0.1014s, nominal'")
        captured = self.isotick("replay leak.isotick -v --schedule '60x60hz, "
                                "capture(\"plain.txt\", from=1ms), nominal'")
        self.assertEqual(spelled.code, 1)
        for name in ("computed", "why"):
            self.assertEqual(row(captured.out, name), row(spelled.out, name))
        # In this process, without workers, the same.
        captured = self.isotick("replay leak.isotick --in-process -v --schedule '60x60hz, "
                                "capture(\"plain.txt\", from=1ms), nominal'")
        self.assertEqual(row(captured.out, "computed"), row(spelled.out, "computed"))

    def test_what_a_report_prints_reproduces_it(self):
        captured = "--schedule 'capture(\"plain.txt\", scale=300%)'"
        for shrink, schedule in (("--shrink none", 'capture("plain.txt", scale=300%)'),
                                 ("", "101ms")):
            run = self.ends(1, f"verify leak.isotick {captured} {shrink} -v")
            self.assertEqual(row(run.out, "schedule"), schedule)
            again = self.shell(row(run.out, "reproduce") + " -v")
            self.assertEqual(again.code, 1, again.err)
            self.assertEqual(row(again.out, "computed"), row(run.out, "computed"))

    def test_a_file_spells_out_a_schedule(self):
        self.path("drive").write_text("# a hitch\n60xnominal,\n101.4ms\n", encoding="ascii")
        run = self.ends(1, "replay leak.isotick --schedule drive -v")
        self.assertEqual(row(run.out, "schedule"), "60xnominal, 101.4ms")

    def test_a_million_unequal_frame_times_reach_the_workers(self):
        times = ",\n".join(f"{16_000_000 + i % 2}ns" for i in range(600_000))
        self.path("many.schedule").write_text(times, encoding="ascii")
        self.ends(0, "replay s.isotick --schedule many.schedule --until 5")

    def test_a_recording_outlives_the_capture_that_drove_it(self):
        self.path("gone.txt").write_text("16ms\n17ms\n120ms\n", encoding="ascii")
        self.record("driven.isotick", f"--sim control:frame-time {BATTLE} --schedule gone.txt")
        with_file = self.ends(1, "verify driven.isotick --trials 3 -v").out
        self.path("gone.txt").unlink()
        self.assertEqual(self.ends(0, "inspect driven.isotick", 'capture("gone.txt")').err, "")
        without = self.ends(1, "verify driven.isotick --trials 3 -v").out
        self.assertEqual(row(without, "computed"), row(with_file, "computed"))

    def test_large_captures_are_read_once(self):
        lines = "\n".join("16.6ms" if i % 2 else "16.7ms" for i in range(300_000))
        self.path("long.txt").write_text(lines + "\n", encoding="ascii")
        run = self.ends(0, "verify s.isotick --schedule long.txt --jobs 2")
        self.assertEqual(run.err.count("long.txt: plain text, 300,000 frames over 83:15.0"), 1)

    def test_mistakes_and_bad_files(self):
        self.refuses("replay s.isotick --schedule 'capture(\"plain.txt\", for=0ms)'",
                     "--schedule: at column 26: expected a duration from 1ns")
        self.refuses("replay s.isotick --schedule 'capture(plain.txt)'", "a file in quotes")
        self.ends(3, "replay s.isotick --schedule none.csv", "none.csv: cannot be opened")
        self.ends(3, "replay s.isotick --schedule mangohud-sampled.csv", "the log was sampled")
        self.ends(3, "replay s.isotick --schedule s.isotick", "s.isotick: is not text, so it")
        self.ends(3, "replay s.isotick --schedule 'capture(\"drive.schedule\")'",
                  "is not a capture")


if __name__ == "__main__":
    unittest.main()
