"""Commands that a signal ends: nothing is left behind, and the next run works."""

import fcntl
import os
import shlex
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest
from pathlib import Path

from program import PROGRAM, TIME_LIMIT, ProgramTest

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
# The simulation makes the file `here` at tick 20, and then no progress.
STUCK = "--sim ./faulty.so --environment fault=hang --environment once=here --timeout 0"
POINTS = 12  # at which a command that cannot be held anywhere is killed


def until(happened, what):
    deadline = time.monotonic() + TIME_LIMIT
    while not happened():
        if time.monotonic() > deadline:
            raise AssertionError(what)
        time.sleep(0.005)


def parent_of(process):
    """None where the process has ended."""
    try:
        about = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, parent = about.rpartition(")")[2].split()[:2]
    return None if state == "Z" else int(parent)


def descendants_of(process):
    parents = {int(entry.name): parent_of(entry.name)
               for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    found = [process]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def unread_bytes(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


class Interrupted(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path("tmp").mkdir()
        cls.record("s.isotick", "--sim ./faulty.so --ticks 60")
        cls.record("old.isotick", "--sim spring --ticks 20")
        cls.record("long.isotick", "--sim skirmish --config units=20 --ticks 4000")
        cls.shell("isotick export s.isotick -o s.jsonl; isotick export long.isotick -o long.jsonl")
        cls.copy_with("torn.isotick", "long.isotick", lambda content: content.__setitem__(
            len(content) // 2, content[len(content) // 2] ^ 1))

    def begin(self, command, stdin=subprocess.DEVNULL):
        environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
                       "LC_ALL": "C", "TMPDIR": str(self.path("tmp"))}
        return subprocess.Popen(["isotick", *shlex.split(command)], cwd=self.folder, stdin=stdin,
                                env=environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def files(self):
        """All files and folders, and what is in those that are no links."""
        return {str(path.relative_to(self.folder)):
                path.read_bytes() if path.is_file() and not path.is_symlink() else None
                for path in self.folder.rglob("*")}

    def end(self, running, number):
        processes = descendants_of(running.pid)
        running.send_signal(number)
        self.assertEqual(running.wait(TIME_LIMIT), -number)
        until(lambda: all(parent_of(each) is None for each in processes), "a worker goes on")

    def check_stuck(self, command, output, code=0):
        """Ends the command at tick 20 of the simulation, by each signal; then lets it finish."""
        for number in SIGNALS:
            with self.subTest(command, signal=number.name):
                before = self.files()
                with self.begin(f"{command} {STUCK}") as running:
                    until(self.path("here").exists, "the simulation did not get to tick 20")
                    self.end(running, number)
                self.path("here").unlink()
                self.assertEqual(self.files(), before)
        self.path("here").touch()  # it gets on from tick 20
        self.ends(code, f"{command} {STUCK}")
        self.path("here").unlink()
        if output:
            self.assertTrue(self.path(output).exists())
            self.path(output).unlink()

    def test_record(self):
        self.check_stuck("record --ticks 60 -o new.isotick", "new.isotick")

    def test_record_over_another(self):
        shutil.copy(self.path("old.isotick"), self.path("over.isotick"))
        self.check_stuck("record --ticks 60 -o over.isotick --force", "over.isotick")

    def test_import_that_computes_hashes(self):
        self.check_stuck("import s.jsonl --rehash -o imported.isotick", "imported.isotick")

    def test_replay_of_a_state(self):
        self.check_stuck("replay s.isotick --state s.state", "s.state")

    def test_verify_with_a_report(self):
        self.check_stuck("verify s.isotick --trials 4 --report made/report",
                         "made/report/report.txt")
        shutil.rmtree(self.path("made"))

    def test_minimize(self):
        self.check_stuck("minimize s.isotick --trials 4 -o small.isotick", None, 4)

    def test_audit(self):
        self.check_stuck("audit --ticks 60", None)

    def test_import_whose_text_does_not_end(self):
        text = self.content("long.jsonl")
        for number in SIGNALS:
            with self.subTest(signal=number.name):
                before = self.files()
                reading, writing = os.pipe()
                with self.begin("import - -o imported.isotick", reading) as running:
                    with open(writing, "wb") as pipe:
                        pipe.write(text[:len(text) // 2])
                        pipe.flush()
                        until(lambda: unread_bytes(reading) == 0, "the text is not read")
                        self.end(running, number)
                os.close(reading)
                self.assertEqual(self.files(), before)

    def check_anywhere(self, command, output):
        """Ends the command wherever it happens to be: what is there then is nothing new or all."""
        before = self.files()
        begun = time.monotonic()
        self.assertIn(self.isotick(command).code, (0, 3))
        took = time.monotonic() - begun
        whole = self.files()
        for point in range(POINTS):
            self.path(output).unlink(missing_ok=True)
            if output in before:
                self.path(output).write_bytes(before[output])
            with self.begin(command) as running:
                time.sleep(took * point / POINTS)
                running.send_signal(SIGNALS[point % len(SIGNALS)])
            self.assertIn(self.files(), (before, whole), f"point {point}")
        self.path(output).unlink(missing_ok=True)

    def test_commands_that_only_read_and_write(self):
        shutil.copy(self.path("old.isotick"), self.path("over"))
        self.check_anywhere("export long.isotick -o long.text", "long.text")
        self.check_anywhere("import long.jsonl -o back.isotick", "back.isotick")
        self.check_anywhere("repair torn.isotick -o saved.isotick", "saved.isotick")
        for command in ("export long.isotick", "import long.jsonl", "repair torn.isotick"):
            shutil.copy(self.path("old.isotick"), self.path("over"))
            self.check_anywhere(f"{command} -o over --force", "over")

    def test_what_killed_processes_left_is_removed(self):
        for command in ("record --sim spring --ticks 20", "import long.jsonl",
                        "export long.isotick"):
            for name in ("out.isotick-partial0", "out.isotick-partial7"):
                self.path(name).touch()
            self.ends(0, f"{command} -o out --force")
            left = [path.name for path in self.folder.iterdir() if "partial" in path.name]
            self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
