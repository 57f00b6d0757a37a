"""Measures what engines guarantee, and prints it as the table of README.md.

Usage: guarantees.py ISOTICK WORLDS PLUGINS [--check README]

ISOTICK is the program, WORLDS is isotick_engine_worlds, PLUGINS the folder with a folder for each
engine. With --check, compares with the table in README instead and ends with 1 where a cell
differs; what is not installed here is left out of the comparison, and so is the last column, which
takes longest, unless ISOTICK_LONG is set.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = [  # the row's name, plug-in, config
    ("Box2D 2.4", "box2d", None),
    ("Bullet 3", "bullet", None),
    ("Bullet 3, `clock=frame`", "bullet", "clock=frame"),
    ("Chipmunk 7", "chipmunk", None),
    ("Lua 5.4", "lua", None),
    ("Lua 5.4, `order=address`", "lua", "order=address"),
    ("Lua 5.4, `order=name`", "lua", "order=name"),
    ("ODE 0.16", "ode", None),
    ("ODE 0.16, `random=process`", "ode", "random=process"),
]
COLUMNS = ["any frame rate", "another process", "a world after it", "a world in turns", "rollback",
           "places and speeds set back", "-O0", "-O3", "clang++",
           "libm without FMA"]
UNKNOWN = "?"  # not measured here
NOTHING = "–"  # nothing to measure
TICKS, LONG_TICKS, TRIALS = 600, 8000, 10
PROCESSES = 4
LONG = "--check" not in sys.argv or "ISOTICK_LONG" in os.environ


def addresses_are_random():
    """Whether two processes have their memory at different addresses."""
    if "ASAN_OPTIONS" in os.environ:  # AddressSanitizer has its heap in one place
        return False
    setting = Path("/proc/sys/kernel/randomize_va_space")
    personality = Path("/proc/self/personality")
    no_randomize = 0x0040000
    return (setting.exists() and setting.read_text(encoding="ascii").strip() == "2"
            and not int(personality.read_text(encoding="ascii"), 16) & no_randomize)


def processor_has_fma():
    """Where it does, glibc can be told to compute as on one that does not."""
    information = Path("/proc/cpuinfo")
    return information.exists() and " fma " in information.read_text(encoding="utf-8")


class Measured:
    """One row: an engine under one config."""

    def __init__(self, programs, folder, engine, config):
        self.isotick, self.worlds, self.plugins = programs
        self.engine = engine
        self.config = config
        self.folder = folder / f"{engine}-{config}"
        self.folder.mkdir()
        self.recording = None

    def plugin(self, variant=""):
        return self.plugins / self.engine / f"libisotick_{self.engine}{variant}.so"

    def run(self, *words, codes=(0,)):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)
        if done.returncode not in codes:
            raise RuntimeError(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def record(self, name, ticks):
        config = ["--config", self.config] if self.config else []
        self.run(self.isotick, "record", "--sim", self.plugin(), "--ticks", ticks, *config,
                 "-o", self.folder / name)
        return self.folder / name

    def frame_rate(self):
        """What verify says of itself: the recording, replayed under many schedules."""
        done = self.run(self.isotick, "verify", self.recording, "--sim", self.plugin(), "--audit",
                        "none", "--perturb", "none", "--trials", TRIALS, "--json", codes=(0, 1))
        return json.loads(done.stdout)["verdict"]

    def replay(self, variant=""):
        """Whether other processes, or another build, compute what was recorded: an order by
        addresses may be the same in one of them by chance."""
        if not self.plugin(variant).exists():
            return UNKNOWN
        codes = (self.run(self.isotick, "replay", self.recording, "--sim", self.plugin(variant),
                          codes=(0, 1)).returncode for _ in range(1 if variant else PROCESSES))
        return "differs" if any(codes) else "same"

    def replay_without_fma(self):
        """Whether another libm computes what was recorded; it takes longer until that shows."""
        if not processor_has_fma() or not LONG:
            return UNKNOWN
        recording = self.record("long.isotick", LONG_TICKS)
        done = self.run(self.isotick, "replay", recording, "--sim", self.plugin(), "--vary",
                        "cpu=no-fma", codes=(0, 1))
        print(f"  without FMA: {done.stdout.splitlines()[-1]}", file=sys.stderr)
        return "same" if done.returncode == 0 else "differs"

    def in_one_process(self, variant=""):
        if not self.plugin(variant).exists():
            return {}
        config = [self.config] if self.config else []
        lines = self.run(self.worlds, self.plugin(variant), *config).stdout.splitlines()
        facts = dict(line.split() for line in lines if len(line.split()) == 2)
        return {name: NOTHING if fact == "none" else fact for name, fact in facts.items()}

    def cells(self):
        self.recording = self.record("short.isotick", TICKS)
        verdict, again = self.frame_rate(), self.replay()
        if again != "same":  # then nothing else can be told, not even by chance
            return [verdict, again] + [NOTHING] * (len(COLUMNS) - 2)
        worlds = self.in_one_process()
        naive = self.in_one_process("_naive").get("rollback", NOTHING)
        return [verdict, again, worlds["afterwards"], worlds["turns"], worlds["rollback"], naive,
                *map(self.replay, ("_o0", "_o3", "_clang")), self.replay_without_fma()]


def measure(programs):
    """{row's name: its cells} for what is built here."""
    with tempfile.TemporaryDirectory(prefix="isotick-engines-") as folder:
        rows = {}
        for name, engine, config in ROWS:
            row = Measured(programs, Path(folder), engine, config)
            if row.plugin().exists() and (config != "order=address" or addresses_are_random()):
                print(f"measuring {name}", file=sys.stderr)
                rows[name] = row.cells()
        return rows


def table(rows):
    lines = [f"| | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    return lines


def differences(rows, readme):
    """What the table in `readme` says otherwise."""
    committed = readme.read_text(encoding="utf-8").splitlines()
    if table({})[0] not in committed:
        yield f"{readme} has no such table"
    for name, cells in rows.items():
        line = next((line for line in committed if line.startswith(f"| {name} |")), "")
        stated = [cell.strip() for cell in line.split("|")[2:-1]]
        for column, cell, was in zip(COLUMNS, cells, stated or [""] * len(cells)):
            if cell not in (was, UNKNOWN):
                yield f"{name}, {column}: measured {cell}, {readme.name} says {was or 'nothing'}"


def main():
    programs, rest = [Path(word) for word in sys.argv[1:4]], sys.argv[4:]
    if len(programs) != 3 or (rest and (rest[0] != "--check" or len(rest) != 2)):
        print(__doc__, file=sys.stderr)
        return 2
    rows = measure(programs)
    if not rest:
        print("\n".join(table(rows)))
        return 0
    found = list(differences(rows, Path(rest[1])))
    print("\n".join(found) or f"{len(rows)} rows hold")
    return 1 if found or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
