"""corpus: what a folder of recordings holds, and which few of them exercise what all do."""

import json
import os
import shutil
import unittest

from program import PROJECT, ProgramTest

FAULTY = "--sim ./faulty.so --environment fault=none"


class Corpus(ProgramTest):
    def setUp(self):
        """An empty folder `r`."""
        shutil.rmtree(self.path("r"), ignore_errors=True)
        self.path("r").mkdir()

    def build_tanks(self, name, old, new):
        """NAME.so, of tanks.c with a change."""
        source = (PROJECT / "tests/support/tanks.c").read_text(encoding="utf-8")
        self.assertIn(old, source)
        self.path(f"{name}.c").write_text(source.replace(old, new), encoding="utf-8")
        compiler = os.environ.get("ISOTICK_C_COMPILER", "cc")
        built = self.start([compiler, "-shared", "-fPIC", f"-I{PROJECT}/core/include",
                            f"{name}.c", "-o", f"{name}.so"])
        self.assertEqual(built.code, 0, built.err)

    def lines(self, command):
        run = self.ends(0, command)
        self.assertEqual(run.err, "")
        return run.out.splitlines()

    def test_recordings_are_listed(self):
        self.record("r/b.isotick", "--sim spring --ticks 60 --seed 7 --inputs random "
                                   "--note commit=abc")
        self.record("r/a.isotick", "--sim skirmish --config units=20 --ticks 1200")
        digest = self.read_json(0, "inspect r/a.isotick")["session_digest"]
        shown = self.ends(0, "corpus r").out.splitlines()
        self.assertEqual([line.split()[0] for line in shown[:3]], ["ticks", "1,200", "60"])
        self.assertIn(digest[:16], shown[1])
        self.assertTrue(shown[2].endswith("  spring      r/b.isotick  (commit=abc)"), shown[2])
        a, b = self.read_json(0, "corpus r")["recordings"]
        self.assertEqual((a["recording"], a["ticks"], a["session_digest"], a["bytes"]),
                         ("r/a.isotick", 1200, digest, len(self.content("r/a.isotick"))))
        self.assertEqual((b["session"]["seed"], b["notes"], b["seconds"], b["stale"]),
                         ("7", {"commit": "abc"}, None, None))
        self.assertEqual(b["exercises"]["inputs"], "ff")

    def test_without_recordings_nothing_is_proven(self):
        run = self.ends(4, "corpus r")
        self.assertEqual(run.out, "0 recordings, 0 ticks; the same is exercised by 0 of them\n")
        run = self.ends(3, "corpus none")
        self.assertIn("isotick: error: none: cannot be opened: No such file", run.err)

    def test_the_longest_are_first(self):
        for seed, (name, ticks) in enumerate((("long", 900), ("middle", 300), ("short", 60),
                                              ("brief", 60))):
            self.record(f"r/{name}.isotick", f"--sim spring --ticks {ticks} --inputs random "
                                             f"--seed {seed}")
        by_ticks = [f"r/{name}.isotick" for name in ("long", "middle", "brief", "short")]
        self.assertEqual(self.lines("corpus r --order longest --paths"), by_ticks)
        self.assertEqual(self.lines("corpus r --paths"), sorted(by_ticks))
        # Nothing is known of `middle`, so it is not put off. `short` took longer the second time.
        self.took("first.json", {"long": 2.5, "brief": 7, "short": 1})
        self.took("second.json", {"short": 3})
        known = "--results first.json --results second.json"
        self.assertEqual(self.lines(f"corpus r --order longest --paths {known}"),
                         [f"r/{name}.isotick" for name in ("middle", "brief", "short", "long")])
        self.assertEqual([(one["recording"], one["seconds"])
                          for one in self.read_json(0, f"corpus r {known}")["recordings"]],
                         [("r/brief.isotick", 7), ("r/long.isotick", 2.5),
                          ("r/middle.isotick", None), ("r/short.isotick", 3)])
        for _ in range(2):
            self.ends(0, "verify r/brief.isotick --trials 4 --cache kept --report result:kept.json")
        listed = self.read_json(0, "corpus r --results kept.json")["recordings"]
        self.assertEqual([one["seconds"] for one in listed], [None] * 4)  # it was not run
        self.ends(3, "corpus r --results r", "no results (*.json) are there")
        self.ends(3, "corpus r --results r/long.isotick", "is not a complete result")

    def took(self, file, seconds):
        """A result of verifications that took so long."""
        names = " ".join(f"r/{name}.isotick" for name in seconds)
        self.ends(0, f"verify {names} --trials 4 --report result:{file}")
        result = json.loads(self.content(file))
        for one, each in zip(result["recordings"], seconds.values()):
            one["seconds"] = each
        self.path(file).write_text(json.dumps(result), encoding="utf-8")

    def test_what_is_damaged_is_named_and_the_rest_listed(self):
        self.record("r/a.isotick", "--sim spring --ticks 600 --inputs random")
        whole = self.content("r/a.isotick")
        self.path("r/torn.isotick").write_bytes(whole[:700] + b"\xff" + whole[701:])
        self.path("r/text.isotick").write_text("hello\n" * 100, encoding="utf-8")
        self.path("r/link.isotick").symlink_to("nowhere")
        os.mkfifo(self.path("r/pipe.isotick"))
        self.path("r/cut.isotick").write_bytes(whole[:-300])
        run = self.ends(3, "corpus r --paths")
        self.assertEqual(run.out, "r/a.isotick\nr/cut.isotick\n")
        for name in ("link", "pipe", "text", "torn"):
            self.assertRegex(run.err, rf"isotick: error: r/{name}\.isotick: ")
        self.assertEqual(run.err.count("\n"), 4, run.err)
        found = self.read_json(3, "corpus r")
        self.assertEqual([one["recording"] for one in found["damaged"]],
                         [f"r/{name}.isotick" for name in ("link", "pipe", "text", "torn")])
        self.assertEqual([one["unfinished"] for one in found["recordings"]], [False, True])
        self.assertIn("  unfinished  r/cut.isotick\n", self.ends(3, "corpus r").out)

    def test_a_recording_of_what_the_simulation_was_is_stale(self):
        self.record("r/a.isotick", f"{FAULTY} --ticks 20")
        self.record("r/b.isotick", "--sim spring --ticks 20")
        self.assertEqual(self.read_json(0, "corpus r")["unchecked"], ["faulty"])
        self.assertIn("  unchecked   recordings of faulty: name the build with --sim\n",
                      self.ends(0, "corpus r").out)
        run = self.ends(4, f"corpus r {FAULTY}")
        self.assertIn("  stale       r/b.isotick: the recording is of 'spring', the simulation is "
                      "'faulty'\n", run.out)
        self.assertNotIn("stale       r/a", run.out)
        a, _ = self.read_json(4, "corpus r --sim ./faulty.so --environment fault=swapped")[
            "recordings"]
        self.assertIn("parts", a["stale"])
        self.refuses("corpus r --sim ./none.so", "none.so")

    def test_a_recording_whose_config_is_refused_now_is_stale(self):
        for leak in (4, 40):
            self.record(f"r/{leak}.isotick", f"--sim ./tanks.so --ticks 20 --config leak={leak}")
        self.build_tanks("strict", "tanks->leak < 0", "tanks->leak < 0 || tanks->leak > 9")
        stale = {one["recording"]: one["stale"]
                 for one in self.read_json(4, "corpus r --sim ./strict.so")["recordings"]}
        self.assertIsNone(stale["r/4.isotick"])
        self.assertIn("leak is not a whole number", stale["r/40.isotick"])

    def test_a_stale_recording_covers_nothing(self):
        self.record("r/a.isotick", f"{FAULTY} --ticks 20")
        self.record("r/b.isotick", "--sim spring --ticks 20")
        self.assertEqual(self.read_json(4, f"corpus r {FAULTY}")["cover"], ["r/a.isotick"])

    def test_a_replay_that_ends_otherwise_is_found(self):
        self.record("r/a.isotick", f"{FAULTY} --ticks 60")
        changed = "corpus r --sim ./faulty.so --environment fault="
        self.ends(0, f"{changed}build")
        run = self.ends(1, f"{changed}build --replay")
        self.assertIn("  stale       r/a.isotick: its nominal replay ended diverged at tick 20\n",
                      run.out)
        self.ends(5, f"{changed}abort --replay", "its nominal replay ended crashed: ")

    def test_files_that_belong_to_no_recording_are_named(self):
        self.record("r/a.b.isotick", "--sim spring --ticks 20")
        for name in ("a.b.isotick.pending", "a.b.isotick.isotick-partial0", "a.b.state", "a.b.c.md",
                     ".gitattributes", "gone.isotick.pending", "a.state", "x.isotick.a.md"):
            self.path(f"r/{name}").write_text("x", encoding="utf-8")
        self.path("r/folder").mkdir()
        found = self.read_json(0, "corpus r")
        self.assertEqual(found["unreferenced"],
                         [{"path": "r/a.state", "reason": "no recording is called like it"},
                          {"path": "r/gone.isotick.pending",
                           "reason": "its recording is gone: gone.isotick"},
                          {"path": "r/x.isotick.a.md",
                           "reason": "its recording is gone: x.isotick"}])
        self.assertEqual(len(found["recordings"]), 1)

    def test_few_exercise_the_same(self):
        self.record("r/bits.isotick", "--sim spring --ticks 120 --inputs random --seed 2")
        self.record("r/more.isotick", "--sim spring --ticks 180 --inputs random --seed 3")
        self.record("r/idle.isotick", "--sim spring --ticks 600 --inputs none")
        self.record("r/other.isotick", f"{FAULTY} --ticks 60 --inputs none")
        found = self.read_json(0, "corpus r")
        exercises = {one["recording"]: one["exercises"] for one in found["recordings"]}
        self.assertEqual(exercises["r/bits.isotick"], exercises["r/more.isotick"])
        self.assertEqual(exercises["r/idle.isotick"]["inputs"], "")
        # The shorter one of two that exercise the same; nothing is left for `idle`.
        self.assertEqual(found["cover"], ["r/bits.isotick", "r/other.isotick"])
        self.assertEqual(self.lines("corpus r --cover"), found["cover"])
        self.path("r/copy.isotick").write_bytes(self.content("r/bits.isotick"))
        self.assertEqual(self.lines("corpus r --cover"), found["cover"], "of twins, by name")

    def test_checkpoints_take_a_replay(self):
        passed = 'isotick_checkpoint(at, "flow");'
        self.build_tanks("late", passed, f"if (at->tick >= 100) {passed}")
        for name, ticks in (("boss", 120), ("title", 60), ("menu", 90)):
            self.record(f"r/{name}.isotick", f"--sim ./late.so --ticks {ticks} --inputs none")
        read = self.read_json(0, "corpus r --sim ./late.so")
        self.assertEqual([one["exercises"]["checkpoints"] for one in read["recordings"]],
                         [None] * 3)
        self.assertEqual(read["cover"], ["r/title.isotick"])
        replayed = self.read_json(0, "corpus r --sim ./late.so --replay")
        self.assertEqual([one["exercises"]["checkpoints"] for one in replayed["recordings"]],
                         [["inputs", "leak", "flow"], ["inputs", "leak"], ["inputs", "leak"]])
        self.assertEqual(replayed["cover"], ["r/boss.isotick"])

    def test_names_are_bytes(self):
        name = b"r/w\xff \x1b'\".isotick"
        self.start([self.program, "record", "--sim", "spring", "--ticks", "20", "-o", name])
        self.assertIn("r/w\\xff \\u001b'\".isotick", self.ends(0, "corpus r").out)
        listed = self.shell("isotick corpus r --paths > listed").code
        self.assertEqual((listed, self.content("listed")), (0, name + b"\n"))
        ours, theirs = os.openpty()
        self.start([self.program, "corpus", "r", "--cover"], stdout=theirs)
        os.close(theirs)
        self.assertEqual(os.read(ours, 4096), b"r/w\\xff \\u001b'\".isotick\r\n")
        os.close(ours)

    def test_a_name_with_a_line_feed_is_no_two_paths(self):
        self.start([self.program, "record", "--sim", "spring", "--ticks", "20", "-o",
                    "r/a\nb.isotick"])
        self.refuses("corpus r --paths", "r/a\\nb.isotick: a name with a line feed")
        self.ends(0, "corpus r", "r/a\\nb.isotick")

    def test_mistakes_are_refused(self):
        self.record("r/a.isotick", "--sim spring --ticks 20")
        self.refuses("corpus r --paths --cover", "excludes")
        self.refuses("corpus r --json --cover", "excludes")
        self.refuses("corpus r --order shortest", "--order")


if __name__ == "__main__":
    unittest.main()
