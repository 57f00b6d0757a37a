"""lockstep --time-line: what peers did, as an image and as JSON."""

import json
import unittest
import xml.etree.ElementTree as xml

from program import ProgramTest

SESSION = ("lockstep --sim skirmish --peers 3 --mode rollback --network awful --ticks 300 "
           "--trials 1")


class TimeLine(ProgramTest):
    def drawn(self, code, name, more=""):
        self.ends(code, f"{SESSION} {more} --time-line {name}")
        return self.content(name)

    def test_is_an_image_of_every_peer(self):
        image = xml.fromstring(self.drawn(0, "run.svg"))
        texts = ["".join(text.itertext()) for text in image.findall(".//{*}text")]
        self.assertIn("skirmish: 3 peers in rollback over awful", texts)
        for peer in range(3):
            self.assertIn(f"peer {peer}", texts)

    def test_is_the_same_every_time(self):
        self.assertEqual(self.drawn(0, "one.svg"), self.drawn(0, "two.svg"))
        self.assertEqual(self.drawn(0, "one.json"), self.drawn(0, "two.json"))

    def test_has_every_frame_and_packet_as_json(self):
        line = json.loads(self.drawn(0, "run.json"))
        report = self.read_json(0, SESSION)["shown"]
        self.assertEqual(line["plan"], report["plan"])
        at = {name: place for place, name in enumerate(line["frame_columns"])}
        for run, peer in zip(line["runs"], report["peers"], strict=True):
            frames = run["frames"]
            self.assertEqual(sum(frame[at["steps"]] for frame in frames), peer["steps"])
            self.assertEqual(sum(frame[at["back"]] > 0 for frame in frames), peer["rollbacks"])
            self.assertEqual(sum(frame[at["stalled"]] for frame in frames), peer["stalls"])
            self.assertEqual(frames[-1][at["tick"]], 300)
        self.assertGreater(len(line["packets"]), 50)
        for packet in line["packets"]:
            self.assertEqual(len(packet), len(line["packet_columns"]))
        self.assertIsNone(line["divergence"])

    def test_marks_who_diverged(self):
        command = ("lockstep --sim control:long-frame --peers 3 --ticks 200 --trials 4 "
                   "--network awful --time-line")
        shown = self.read_json(1, f"{command} leak.json --json")["shown"]
        line = json.loads(self.content("leak.json"))
        found = line["divergence"]
        self.assertEqual(found["tick"], shown["divergence"]["tick"])
        run = line["runs"][found["run"]]
        self.assertEqual(run["peer"], shown["divergence"]["peer"])
        self.assertLess(found["frame"], len(run["frames"]))
        self.ends(1, f"{command} leak.svg")
        self.assertIn(b"diverged at tick", self.content("leak.svg"))

    def test_replaces_nothing_unless_it_is_told_to(self):
        self.path("mine.svg").write_text("mine", encoding="utf-8")
        run = self.ends(2, f"{SESSION} --time-line mine.svg")
        self.assertIn("mine.svg exists; nothing was written (--force replaces it)", run.err)
        self.assertEqual(self.content("mine.svg"), b"mine")
        self.drawn(0, "mine.svg", "--force")
        self.assertTrue(self.content("mine.svg").startswith(b"<svg"))

    def test_has_one_of_two_formats(self):
        run = self.ends(2, f"{SESSION} --time-line run.png")
        self.assertIn("--time-line: expected a file that ends in .svg or .json, not 'run.png'",
                      run.err)
        self.assertFalse(self.path("run.png").exists())


if __name__ == "__main__":
    unittest.main()
