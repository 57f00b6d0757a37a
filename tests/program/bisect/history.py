"""Builds of a game, and repositories whose commits are its revisions."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from program import PROJECT, ProgramTest  # noqa: E402

GAME = Path(__file__).resolve().parent / "game.c"
COMPILER = os.environ.get("ISOTICK_C_COMPILER", "cc")
COMPILE = f"{COMPILER} -std=c99 -D_POSIX_C_SOURCE=200809L -shared -fPIC -O0 " \
          f"-I{shlex.quote(str(PROJECT / 'core/include'))}"


def rules(**given):
    """What rules.h says: `rules(HURTS_FROM=40)`."""
    return "".join(f"#define {name} {value}\n" for name, value in sorted(given.items()))


class BisectTest(ProgramTest):
    @classmethod
    def build(cls, name, **given):
        """A build of the game of its own: NAME.so."""
        folder = cls.folder / f"{name}.src"
        folder.mkdir()
        (folder / "rules.h").write_text(rules(**given))
        subprocess.run(f"{COMPILE} -I{folder} {GAME} -o {cls.folder / name}.so", shell=True,
                       check=True)
        return f"./{name}.so"
