"""Whatever a file says, commands take memory in proportion to its size, and little time."""

import os
import subprocess
import unittest

import hostile
from program import PROGRAM, ProgramTest

MIB = 2**20
COMMANDS = ("inspect {}", "inspect {} --json",
            "verify {} --trials 2 --audit none", "diff {} {}", "diff {} {} --json",
            "repair {} -o {}.out --force", "repair {} -o {}.out --force --json")


class Memory(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, made in hostile.FILES.items():
            cls.path(name).write_bytes(made())

    def most_memory(self, command):
        """What the command took at most, in bytes; any of its processes."""
        with subprocess.Popen([PROGRAM, *command.split()], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertIn(process.returncode, (0, 1, 2, 3, 4), command)
        return usage.ru_maxrss * 1024

    @unittest.skipIf("ISOTICK_WITHOUT_MEMORY_LIMIT" in os.environ, "sanitizers take their own")
    def test_is_64_mib_and_four_times_the_files_at_most(self):
        for name in hostile.FILES:
            for command in COMMANDS:
                with self.subTest(file=name, command=command):
                    words = command.replace("{}", name)
                    files = 2 if command.startswith("diff") else 1
                    limit = 64 * MIB + 4 * files * self.path(name).stat().st_size
                    self.assertLessEqual(self.most_memory(words), limit)


if __name__ == "__main__":
    unittest.main()
