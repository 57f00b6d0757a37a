"""What the integration guide shows is what there is: its code is built, its output is printed.

Usage: guide_test.py TEST PROJECT SCRATCH ISOTICK PLUGIN…
The commands of the guide run in one folder, in order, beside the plug-ins. A block of output is
what the last command before it prints; `…` stands for the rest of a line, alone for any lines.
TEST is Guide, or one of the sections that take more than the guide does: Races, Processors.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT, SCRATCH, ISOTICK, *PLUGINS = (Path(argument).absolute() for argument in sys.argv[2:])
GUIDE = PROJECT / "harness" / "INTEGRATING.md"
TEXT = GUIDE.read_text(encoding="utf-8")
SOURCES = PROJECT / "tests" / "guide"
APART = ("Races", "Processors")  # sections with a test of their own
CODE = ("lander.cpp", "loop_before.cpp", "traps.cpp", "waiting_loop.cpp")
QEMU = "exec:qemu-aarch64-static -L /usr/aarch64-linux-gnu arm"
FAULTS = {"DIVERGED": 1, "BLIND": 1, "CRASHED": 5}  # exit codes
CLEAN = [
    ["verify", "rocks.isotick", "--sim", "./rocks.so", "--trials", "20"],
    ["verify", "rocks.isotick", "--sim", "./rocks.so", "--trials", "10", "--vary",
     "workers=1,2,4,8"],
    ["audit", "rocks.isotick", "--sim", "./rocks.so"],
]


def blocks(text=TEXT):
    """The code blocks of the guide or of a part of it, in order: language and text."""
    return re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL)


def sections():
    """What is under each heading of the guide, in order: title and text."""
    pieces = re.split(r"^#+ (.*)\n", re.sub(r"^# .*\n", "", TEXT), flags=re.MULTILINE)
    return list(zip(pieces[1::2], pieces[2::2]))


def unindented(text):
    """The lines of `text` without what is before and behind them."""
    return "".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip())


def pattern(shown):
    """What the program must print where the guide shows `shown`."""
    lines = []
    for line in shown.splitlines():
        if line.strip() == "…":
            lines.append(r"(?:.*\n)*")
        else:
            lines.append("[^\n]*".join(map(re.escape, line.split("…"))) + r"\n")
    return "".join(lines)


class Commands(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="isotick-guide-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.link(ISOTICK, *PLUGINS)

    def link(self, *files):
        for file in files:
            (self.folder / file.name).unlink(missing_ok=True)
            (self.folder / file.name).symlink_to(file)

    def run_isotick(self, command):
        """What a shell does with a command of the guide, as a CompletedProcess."""
        path = os.pathsep.join([str(self.folder), os.environ["PATH"]])
        return subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True,
                              env={**os.environ, "PATH": path, "ISOTICK": str(PROJECT)},
                              text=True, check=False)

    def follow(self, text):
        """Runs the commands of `text` and compares; how many of its outputs show a fault."""
        shown, ran = 0, None
        for language, block in blocks(text):
            if language == "sh":
                for command in block.splitlines():
                    ran = self.run_isotick(command)
                    self.assertIn(ran.returncode, (0, 1, 5), f"{command}\n{ran.stderr}")
            elif language == "text":
                self.assertRegex(ran.stdout, rf"\A{pattern(block)}\Z", command)
                code = next((code for word, code in FAULTS.items() if word in block), 0)
                self.assertEqual(ran.returncode, code, ran.stdout)
                self.printed = ran.stderr
                shown += code != 0
        return shown

    def ends(self, code, command):
        ran = self.run_isotick(command)
        self.assertEqual(ran.returncode, code, f"{command}\n{ran.stdout}{ran.stderr}")
        return ran.stdout


class Guide(Commands):
    def test_code_is_built(self):
        sources = {
            "cpp": [SOURCES / name for name in CODE],
            "c": [PROJECT / "tests" / "support" / "tanks.c"],
            "cmake": [SOURCES / "CMakeLists.txt", SOURCES / "served" / "CMakeLists.txt"],
        }
        for language, files in sources.items():
            built = "".join(unindented(file.read_text(encoding="utf-8")) for file in files)
            shown = [text for of, text in blocks() if of == language]
            self.assertTrue(shown, language)
            for text in shown:
                self.assertIn(unindented(text), built)

    def test_output_is_what_the_program_prints(self):
        here = [text for title, text in sections() if title not in APART]
        self.assertEqual(len(sections()) - len(here), len(APART))
        self.assertEqual(self.follow("".join(here)), 6, "each trap is caught")

    def test_without_a_trap_nothing_is_found(self):
        self.ends(0, "isotick record --sim ./rocks.so --inputs random --ticks 600 -o rocks.isotick")
        for command in CLEAN:
            self.ends(0, f"isotick {' '.join(command)}")

    def test_a_loop_that_waits_is_right_under_every_schedule(self):
        self.ends(0, "isotick record --sim ./lander.so --ticks 600 -o flight.isotick")
        for schedule in ("nominal", "mix(seed=8)", "400ms", "3s, 1ms", "7ms, -3ms, 1ms, 0ns"):
            self.ends(0, f"./waiting_loop flight.isotick '{schedule}'")

    def test_every_file_it_points_to_is_there(self):
        prose = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            self.assertTrue((GUIDE.parent / target).exists(), target)


class Races(Commands):
    def test_the_race_is_found(self):
        self.assertEqual(self.follow(dict(sections())["Races"]), 1)
        self.assertIn("WARNING: ThreadSanitizer: data race", self.printed)
        self.assertIn("traps.cpp:", self.printed)

    def test_without_it_nothing_is_found(self):
        self.ends(0, "isotick record --sim ./rocks.so --inputs random --ticks 600 -o rocks.isotick")
        self.ends(0, "./rocks_tsan verify rocks.isotick --environment workers=4 --trials 4")


class Processors(Commands):
    """In a folder that stays, since building for another processor takes minutes."""

    def setUp(self):
        self.folder = SCRATCH / "processors"
        self.folder.mkdir(exist_ok=True)
        for recording in self.folder.glob("*.isotick"):
            recording.unlink()
        self.link(ISOTICK, *PLUGINS, *(SOURCES / name for name in CODE),
                  *(SOURCES / "served").iterdir())

    def replay(self, recording, program):
        return self.ends(0, f"isotick replay {recording} --sim '{QEMU}/{program}'")

    def test_what_differs_is_found_and_nothing_else(self):
        self.assertEqual(self.follow(dict(sections())["Processors"]), 1)
        self.ends(0, "isotick record --sim ./rocks.so --inputs random --ticks 600 -o rocks.isotick")
        self.ends(0, "isotick record --sim ./lander.so --ticks 600 -o flight.isotick")
        self.replay("rocks.isotick", "rocks")
        self.replay("flight.isotick", "lander")
        for name in ("skirmish", "spring"):
            self.ends(0, f"isotick record --sim {name} --ticks 120 -o {name}.isotick")
            self.replay(f"{name}.isotick", f"reference {name}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:2])
