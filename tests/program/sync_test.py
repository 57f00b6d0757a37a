"""What replaces a file is on the disk before it takes the other's name."""

import unittest

from program import PLUGINS, ProgramTest

REPLACING = ("record --sim spring --ticks 300 -o {} --force", "repair s.isotick -o {} --force",
             "export s.isotick -o {} --force", "import s.jsonl -o {} --force",
             "minimize control.isotick -o {} --force")


class Replacing(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim spring --ticks 300")
        cls.record("control.isotick", "--sim control:render-random --config units=20 --ticks 100")
        cls.isotick("export s.isotick -o s.jsonl")

    def calls(self, command):
        """What a command waited for the disk with, and renamed: (what, file, size) in order."""
        log = self.path("log")
        log.unlink(missing_ok=True)
        run = self.shell(f"LD_PRELOAD={PLUGINS}/libisotick_logged_syncs.so ISOTICK_SYNC_LOG={log} "
                         f"ASAN_OPTIONS=verify_asan_link_order=0 isotick {command}")
        self.assertEqual(run.code, 0, f"{command}\n{run.out}{run.err}")
        return [tuple(line.split()) for line in log.read_text(encoding="utf-8").splitlines()]

    def test_waits_for_the_disk_before_it_renames(self):
        for command in REPLACING:
            with self.subTest(command=command):
                self.path("old").write_bytes(b"what was there before")
                calls = self.calls(command.format("old"))
                renamed = [at for at, (what, _, _) in enumerate(calls) if what == "rename"]
                self.assertEqual(len(renamed), 1, calls)
                _, file, size = calls[renamed[0]]
                self.assertGreater(int(size), 0)
                # With all its bytes.
                self.assertIn(("sync", file, size), calls[:renamed[0]])


if __name__ == "__main__":
    unittest.main()
