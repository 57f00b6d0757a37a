"""What the README and its pages show is what there is: code is built, output is printed.

Usage: readme_test.py PROJECT ISOTICK LIVE_GAME
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(sys.argv.pop(1))
ISOTICK = sys.argv.pop(1)
LIVE_GAME = sys.argv.pop(1)
PAGES = ("README.md", "harness/TESTING.md", "harness/COMMANDS.md", "harness/DETECTION.md",
         "replay/LIVE.md")
README, TESTING, COMMANDS, _, LIVE = (
    (PROJECT / name).read_text(encoding="utf-8") for name in PAGES)


def blocks(language, text):
    """The code blocks of `language` in `text`."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


class Readme(unittest.TestCase):
    def test_code_is_what_the_tests_build(self):
        built = [PROJECT / "tests" / "consumer" / name
                 for name in ("bounce.hpp", "bounce.cpp", "bounce_test.cpp", "live_game.cpp")]
        self.assertEqual(blocks("cpp", README + TESTING + LIVE),
                         [path.read_text(encoding="utf-8") for path in built])

    def test_playback_is_what_the_live_game_prints(self):
        with tempfile.TemporaryDirectory() as folder:
            played = subprocess.run([LIVE_GAME, "match.isotick"], cwd=folder, capture_output=True,
                                    text=True, check=True)
        self.assertEqual(blocks("text", LIVE), [played.stdout])

    def test_report_is_what_the_program_prints(self):
        comment = re.search(r"<!-- the output of: (.*?)-->", README, re.DOTALL).group(1)
        commands = [line.split() for line in comment.strip().splitlines()]
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                self.assertEqual(command[0], "isotick")
                ran = subprocess.run([ISOTICK, *command[1:]], cwd=folder, capture_output=True,
                                     text=True, check=False)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertEqual(blocks("text", README), [ran.stdout])
        self.assertEqual([line.split() for line in blocks("sh", README)[0].splitlines()], commands)

    def test_loops_are_those_of_the_program(self):
        listed = subprocess.run([ISOTICK, "loops"], capture_output=True, text=True, check=True)
        self.assertEqual(blocks("text", COMMANDS), [listed.stdout])

    def test_it_is_read_in_one_sitting(self):
        self.assertLessEqual(len(README.split()), 1200)

    def test_architecture_names_files_that_are_there(self):
        text = "".join((PROJECT / page).read_text(encoding="utf-8")
                       for page in ("ARCHITECTURE.md", "CONTRIBUTING.md"))
        there = {path.relative_to(PROJECT).as_posix()
                 for top in ("core", "replay", "harness", "tests")
                 for path in (PROJECT / top).rglob("*.*")}
        for name in re.findall(r"`([\w/.]+\.(?:cpp|hpp|md|json|ksy))`", text):
            self.assertTrue("NAME" in name or any(path.endswith("/" + name) or path == name
                                                  for path in there), name)

    def test_every_file_that_pages_point_to_is_there(self):
        for name in PAGES:
            page = PROJECT / name
            prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            for target in re.findall(r"\]\(([^)#]+)\S*\)", prose):
                if not target.startswith("https:"):
                    self.assertTrue((page.parent / target).exists(), f"{name}: {target}")


if __name__ == "__main__":
    unittest.main()
