"""What the README shows is what there is: its code is built, its report is printed by isotick.

Usage: readme_test.py PROJECT ISOTICK
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(sys.argv.pop(1))
ISOTICK = sys.argv.pop(1)
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def block(language):
    """The first code block of `language`."""
    return re.search(rf"```{language}\n(.*?)```", README, re.DOTALL).group(1)


class Readme(unittest.TestCase):
    def test_code_is_the_plugin_that_the_tests_build(self):
        built = PROJECT / "tests" / "consumer" / "bounce.cpp"
        self.assertEqual(block("cpp"), built.read_text(encoding="utf-8"))

    def test_report_is_what_the_program_prints(self):
        comment = re.search(r"<!-- the output of: (.*?)-->", README, re.DOTALL).group(1)
        commands = [line.split() for line in comment.strip().splitlines()]
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                self.assertEqual(command[0], "isotick")
                ran = subprocess.run([ISOTICK, *command[1:]], cwd=folder, capture_output=True,
                                     text=True, check=False)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertEqual(block("text"), ran.stdout)

    def test_every_file_it_points_to_is_there(self):
        for target in re.findall(r"\]\(([^)#]+)\)", README):
            self.assertTrue((PROJECT / target).exists(), target)


if __name__ == "__main__":
    unittest.main()
