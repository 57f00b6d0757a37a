"""The steps of TESTING.md lead from an empty folder to a passing test, which then finds a mistake.

Usage: steps_test.py PROJECT PREFIX CMAKE
PREFIX is where isotick is installed. Compiler, flags and generator come from the environment.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(sys.argv.pop(1))
PREFIX = Path(sys.argv.pop(1))
CMAKE = Path(sys.argv.pop(1))
PAGE = (PROJECT / "harness" / "TESTING.md").read_text(encoding="utf-8")
SECTION = re.search(r"## Step by step\n(.*?)\n## ", PAGE, re.DOTALL).group(1)
PATH = os.pathsep.join([str(PREFIX / "bin"), str(CMAKE.parent), os.environ["PATH"]])
ENVIRONMENT = {**os.environ, "CMAKE_PREFIX_PATH": str(PREFIX), "PATH": PATH}


def blocks(language):
    """The section's code blocks of `language`."""
    return re.findall(rf"```{language}\n(.*?)```", SECTION, re.DOTALL)


class Steps(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="isotick-steps-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_block(self, commands):
        """What a shell does with `commands`, as a CompletedProcess."""
        return subprocess.run(["sh", "-ec", commands], cwd=self.folder, env=ENVIRONMENT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def passes(self, commands):
        ran = self.run_block(commands)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        return ran.stdout

    def test_they_work_as_printed(self):
        for name in ("bounce.hpp", "bounce.cpp"):
            shutil.copy(PROJECT / "tests" / "consumer" / name, self.folder)
        lists = self.folder / "CMakeLists.txt"
        (plugin, replay_test), (record, verify) = blocks("cmake"), blocks("sh")
        lists.write_text(plugin)
        self.passes(record)
        lists.write_text(plugin + replay_test)
        self.assertIn("100% tests passed", self.passes(verify))
        self.assertIn('"--strict"', (self.folder / "build/CTestTestfile.cmake").read_text())
        self.assertIn("IDENTICAL", self.report("report.txt"))

        self.make_the_mistake()
        failed = self.run_block(verify)
        self.assertNotEqual(failed.returncode, 0, failed.stdout)
        for shown in blocks("text")[0].split("  …\n"):
            self.assertIn(shown, failed.stdout)
            self.assertIn(shown, self.report("report.txt"))
        self.assertIn('"verdict": "diverged"', self.report("report.json"))

    def report(self, name):
        return (self.folder / "build/isotick-reports/Bounce.kicks" / name).read_text()

    def make_the_mistake(self):
        header = self.folder / "bounce.hpp"
        line = blocks("diff")[0].removeprefix("+")
        text = header.read_text()
        self.assertIn("    void step(", text)
        header.write_text(text.replace("    void step(", line + "\n    void step(", 1))


if __name__ == "__main__":
    unittest.main()
