"""What the integration guide shows is what there is: its code is built, its output is printed.

Usage: guide_test.py PROJECT ISOTICK PLUGIN…
The commands of the guide run in one folder, in order, beside the plug-ins. A block of output is
what the last command before it prints; `…` stands for the rest of a line, alone for any lines.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT, ISOTICK, *PLUGINS = (Path(argument).absolute() for argument in sys.argv[1:])
GUIDE = PROJECT / "harness" / "INTEGRATING.md"
TEXT = GUIDE.read_text(encoding="utf-8")
SOURCES = PROJECT / "tests" / "guide"
CLEAN = [
    ["verify", "rocks.isotick", "--sim", "./rocks.so", "--trials", "20"],
    ["verify", "rocks.isotick", "--sim", "./rocks.so", "--trials", "10", "--vary",
     "workers=1,2,4,8"],
    ["audit", "rocks.isotick", "--sim", "./rocks.so"],
]


def blocks():
    """The guide's code blocks, in order: language and text."""
    return re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)


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


class Guide(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="isotick-guide-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for file in (ISOTICK, *PLUGINS):
            (self.folder / file.name).symlink_to(file)

    def run_isotick(self, command):
        """What a shell does with a command of the guide, as a CompletedProcess."""
        path = os.pathsep.join([str(self.folder), os.environ["PATH"]])
        return subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True,
                              env={**os.environ, "PATH": path}, text=True, check=False)

    def test_code_is_built(self):
        sources = {
            "cpp": [SOURCES / name for name in ("lander.cpp", "loop_before.cpp", "traps.cpp")],
            "c": [PROJECT / "tests" / "support" / "tanks.c"],
            "cmake": [SOURCES / "CMakeLists.txt"],
        }
        for language, files in sources.items():
            built = "".join(unindented(file.read_text(encoding="utf-8")) for file in files)
            shown = [text for of, text in blocks() if of == language]
            self.assertTrue(shown, language)
            for text in shown:
                self.assertIn(unindented(text), built)

    def test_output_is_what_the_program_prints(self):
        shown, ran = 0, None
        for language, text in blocks():
            if language == "sh":
                for command in text.splitlines():
                    ran = self.run_isotick(command)
                    self.assertIn(ran.returncode, (0, 1), f"{command}\n{ran.stderr}")
            elif language == "text":
                self.assertRegex(ran.stdout, rf"\A{pattern(text)}\Z", command)
                found = any(word in text for word in ("DIVERGED", "BLIND"))
                self.assertEqual(ran.returncode, 1 if found else 0, ran.stdout)
                shown += found
        self.assertEqual(shown, 6, "each trap is caught")

    def test_without_a_trap_nothing_is_found(self):
        record = "isotick record --sim ./rocks.so --inputs random --ticks 600 -o rocks.isotick"
        self.assertEqual(self.run_isotick(record).returncode, 0)
        for command in CLEAN:
            ran = self.run_isotick(f"isotick {' '.join(command)}")
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_every_file_it_points_to_is_there(self):
        prose = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            self.assertTrue((GUIDE.parent / target).exists(), target)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
