"""The live games of the documentation, and the C API as Python's ctypes sees it.

Usage: c_api_test.py LIBISOTICK HEADER GAME_IN_CPP GAME_IN_C GAME_IN_PYTHON
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARY, HEADER, IN_CPP, IN_C, IN_PYTHON = sys.argv[1:6]
del sys.argv[1:6]
SPEC = importlib.util.spec_from_file_location("live_game", IN_PYTHON)
live_game = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(live_game)


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_game(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.folder)


class TheDocumentedGames(InAFolder):
    def test_play_back_identically_in_every_language(self):
        games = [[IN_CPP], [IN_C], [sys.executable, IN_PYTHON, LIBRARY]]
        for number, command in enumerate(games):
            played = self.run_game(*command, f"{number}.isotick")
            self.assertEqual(played.returncode, 0, played.stdout + played.stderr)
            self.assertTrue(played.stdout.startswith("identical\nplayed        419 ticks in "))

    def test_make_the_same_file_in_c_and_in_python(self):
        self.run_game(IN_C, "c.isotick")
        self.run_game(sys.executable, IN_PYTHON, LIBRARY, "python.isotick")
        self.assertEqual((self.folder / "c.isotick").read_bytes(),
                         (self.folder / "python.isotick").read_bytes())


class TheCApi(InAFolder):
    def test_exports_what_the_header_declares_and_nothing_else(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True,
                                text=True, check=True).stdout
        declared = re.findall(r"ISOTICK_API\s[^;(]*?\b(isotick_\w+)\(",
                              Path(HEADER).read_text(encoding="utf-8"))
        self.assertGreater(len(declared), 20)
        self.assertEqual(sorted(line.split()[-1] for line in listed.splitlines()),
                         sorted(declared))


class FromPython(InAFolder):
    """Faults planted in the game in Python, and what the playback says of them."""

    def setUp(self):
        super().setUp()
        self.isotick = live_game.Isotick(LIBRARY)
        self.path = str(self.folder / "match.isotick")
        live_game.record(self.isotick, self.path)

    def play(self, game):
        kept, live_game.Game = live_game.Game, game
        self.addCleanup(setattr, live_game, "Game", kept)
        return live_game.play(self.isotick, self.path, "mix(seed=7)")

    def test_a_right_game_is_identical(self):
        self.assertTrue(self.play(live_game.Game).startswith("identical"))

    def test_a_dropped_remainder_is_found(self):
        class Drops(live_game.Game):
            def frame(self, frame_time_ns, run_tick):
                super().frame(frame_time_ns, run_tick)
                self.waiting_ns = 0

        self.assertRegex(self.play(Drops), "^off-pace: after frame [0-9]+ the game has made")

    def test_another_step_is_found_at_its_tick(self):
        class Differs(live_game.Game):
            def step(self, push):
                super().step(push)
                self.velocity += self.tick == 201

        self.assertTrue(self.play(Differs).startswith("diverged: the hash after tick 200 differs"))

    def test_a_failure_is_an_exception_with_its_reason(self):
        with self.assertRaisesRegex(OSError, "exists"):
            live_game.record(self.isotick, self.path)


if __name__ == "__main__":
    unittest.main()
