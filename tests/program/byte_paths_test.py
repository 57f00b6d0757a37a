"""Paths are bytes: a name that is no UTF-8 is the name of that file and no other, in every command
and on the way to the worker processes."""

import json
import unittest

from program import ProgramTest

NAME = b"w\xff\x1b\n.isotick"
SHOWN = "w\\xff\\u001b\\n.isotick"


class BytePaths(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_words("record", "--sim", "control:long-frame", "--config", "units=60",
                      "--ticks", "300", "-o", NAME)
        cls.record("honest.isotick", "--sim control:long-frame --config units=60 --ticks 300")

    @classmethod
    def run_words(cls, *words):
        return cls.start([cls.program, *words])

    def ends_with(self, code, *words):
        run = self.run_words(*words)
        self.assertEqual(run.code, code, f"{words}\n{run.out}{run.err}")
        return run

    def holds(self, name, what=None):
        """There is exactly this file."""
        path = self.byte_path(name)
        with open(path, "rb") as file:
            content = file.read()
        self.assertTrue(content)
        if what is not None:
            self.assertEqual(content, what)
        return content

    def byte_path(self, name):
        return bytes(self.folder) + b"/" + name

    def test_record_writes_that_file(self):
        self.holds(NAME, self.content("honest.isotick"))

    def test_every_command_reads_it(self):
        for code, words in ((0, ["replay"]), (0, ["replay", "--in-process"]), (0, ["inspect"]),
                            (1, ["verify", "--trials", "30"]),
                            (0, ["inspect", "--ticks", "0..9"])):
            run = self.ends_with(code, *words, NAME)
            self.assertIn(SHOWN if "--ticks" not in words else "tick", run.out, words)
        audit = self.ends_with(1, "audit", NAME)
        self.assertIn(SHOWN, audit.out)
        self.assertIn("IDENTICAL", self.ends_with(0, "diff", NAME, "honest.isotick").out)
        exported = self.ends_with(0, "export", NAME).out
        self.assertEqual(exported, self.ends_with(0, "export", "honest.isotick").out)

    def test_every_command_writes_such_a_file(self):
        text, again, repaired, small = (NAME + end for end in (b".t", b".a", b".r", b".m"))
        self.ends_with(0, "export", NAME, "-o", text)
        self.ends_with(0, "import", text, "-o", again)
        self.holds(again, self.holds(NAME))
        self.ends_with(0, "import", text, "-o", again, "--rehash", "--force")
        self.holds(again, self.holds(NAME))
        self.ends_with(0, "repair", NAME, "-o", repaired)
        self.holds(repaired, self.holds(NAME))
        self.ends_with(0, "minimize", NAME, "-o", small, "--trials", "30")
        self.ends_with(1, "verify", small, "--trials", "2")
        states = NAME + b".1", NAME + b".2"
        for state in states:
            self.ends_with(0, "replay", NAME, "--state", state)
        self.assertIn("IDENTICAL", self.ends_with(0, "diff", *states).out)
        self.ends_with(1, "verify", NAME, "--trials", "30", "--report", b"folder\xff/in")
        self.assertIn(SHOWN.encode(), self.holds(b"folder\xff/in/report.txt"))

    def test_a_file_that_is_there_is_not_replaced(self):
        run = self.ends_with(2, "record", "--sim", "spring", "-o", NAME)
        self.assertIn(f"{SHOWN} exists; nothing was written", run.err)

    def test_a_capture(self):
        with open(self.byte_path(b"drive\xff.txt"), "wb") as file:
            file.write(b"16ms\n17ms\n500ms\n")
        for schedule in (b"drive\xff.txt", b'capture("drive\xff.txt")'):
            run = self.ends_with(1, "replay", NAME, "--schedule", schedule)
            self.assertIn('capture("drive\\xff.txt")', run.out)
        with open(self.byte_path(b"spelled\xff.schedule"), "wb") as file:
            file.write(b"500ms, nominal\n")
        self.ends_with(1, "replay", NAME, "--schedule", b"spelled\xff.schedule")

    def test_a_plug_in_a_command_and_the_environment(self):
        plugin = b"plug\xff.so"
        self.path("faulty.so").rename(self.byte_path(plugin).decode(errors="surrogateescape"))
        for given, name in ((b"./" + plugin, b"p\xff"),
                            (b"exec:: \xff; exec isotick serve --sim ./$(printf 'plug\\377.so')",
                             b"e\xff")):
            self.ends_with(0, "record", "--sim", given, "--ticks", "60", "-o", name)
            self.ends_with(0, "verify", name, "--sim", given, "--trials", "3")
            run = self.ends_with(1, "verify", name, "--sim", given, "--trials", "3",
                                 "--environment", "fault=build", "--environment", b"k\xff=v\xff")
            self.assertIn("k\\xff=v\\xff", run.out)
            self.ends_with(0, "sims", given)

    def test_what_a_report_says_reproduces_it(self):
        run = self.ends_with(1, "verify", NAME, "--trials", "30")
        command = next(line for line in run.out.splitlines() if line.startswith("  reproduce "))
        self.assertIn(r"$'w\xff\x1b\x0a.isotick'", command)
        again = self.start(["bash", "-c", command.removeprefix("  reproduce ").strip()])
        self.assertEqual(again.code, 1, again.err)
        self.assertIn("DIVERGED", again.out)

    def test_json_shows_it_escaped(self):
        for words in (["inspect"], ["repair", "-o", "r.isotick"]):
            shown = json.loads(self.ends_with(0, *words, NAME, "--json").out)
            self.assertIn(SHOWN, (shown.get("path"), shown.get("recording")), words)


if __name__ == "__main__":
    unittest.main()
