"""What the README shows is what there is: its code is built, its output is printed.

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
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def blocks(language, section=""):
    """The code blocks of `language` in the section of that title, or in all."""
    text = README.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else README
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


class Readme(unittest.TestCase):
    def test_code_is_what_the_tests_build(self):
        built = [PROJECT / "tests" / "consumer" / name
                 for name in ("bounce.hpp", "bounce.cpp", "bounce_test.cpp", "live_game.cpp")]
        self.assertEqual(blocks("cpp"), [path.read_text(encoding="utf-8") for path in built])

    def test_playback_is_what_the_live_game_prints(self):
        with tempfile.TemporaryDirectory() as folder:
            played = subprocess.run([LIVE_GAME, "match.isotick"], cwd=folder, capture_output=True,
                                    text=True, check=True)
        self.assertEqual(blocks("text", "Recording a live game"), [played.stdout])

    def test_report_is_what_the_program_prints(self):
        comment = re.search(r"<!-- the output of: (.*?)-->", README, re.DOTALL).group(1)
        commands = [line.split() for line in comment.strip().splitlines()]
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                self.assertEqual(command[0], "isotick")
                ran = subprocess.run([ISOTICK, *command[1:]], cwd=folder, capture_output=True,
                                     text=True, check=False)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertEqual(blocks("text", "What a divergence looks like"), [ran.stdout])

    def test_loops_are_those_of_the_program(self):
        listed = subprocess.run([ISOTICK, "loops"], capture_output=True, text=True, check=True)
        self.assertEqual(blocks("text", "Loops"), [listed.stdout])

    def test_every_file_it_points_to_is_there(self):
        prose = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            self.assertTrue((PROJECT / target).exists(), target)


if __name__ == "__main__":
    unittest.main()
