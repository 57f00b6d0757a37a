"""Writes what is made of the program's help texts, for packages: man page and completions.

Usage: pages.py FOLDER ISOTICK…

Leaves isotick.1.gz, isotick.bash, isotick.fish and _isotick (zsh) in FOLDER. The same program
gives the same bytes. Where it takes an emulator to run it, that comes before it.
"""

import gzip
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from bash import bash  # noqa: E402
from fish import fish  # noqa: E402
from help_text import ask  # noqa: E402
from man_page import man_page  # noqa: E402
from zsh import zsh  # noqa: E402


def main():
    folder, program = Path(sys.argv[1]), ask(sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "isotick.1.gz").write_bytes(gzip.compress(man_page(program).encode(), mtime=0))
    for name, completion in (("isotick.bash", bash), ("isotick.fish", fish), ("_isotick", zsh)):
        (folder / name).write_text(completion(program), encoding="utf-8")


if __name__ == "__main__":
    main()
