"""Sources of a simulation of fourteen units; -ffast-math changes the bits of some of them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from program import PROJECT, ProgramTest, long_form, some  # noqa: E402, F401

WORLD = Path(__file__).resolve().parent / "world.c"
INCLUDE = PROJECT / "core/include"
COMPILER = os.environ.get("ISOTICK_C_COMPILER", "cc")
UNITS = 14

# What a unit may be. Every cell has a value; a unit steps its own.
INTEGERS = """
#include "world.h"
void unit{n}_step(struct cell* cell, uint64_t tick) {{
    cell->count = cell->count * 31 + (int32_t)tick;
}}
"""
# Another object file under -ffast-math, which knows no NaN, and the same bits.
COMPARES = """
#include "world.h"
float unit{n}_checked(float value) {{
    return value != value ? 0.0f : value * 0.5f;
}}
void unit{n}_step(struct cell* cell, uint64_t tick) {{
    cell->value = unit{n}_checked((float)tick);
}}
"""
# The sum is rounded, unless the compiler may cancel what is added and taken away.
SUMS = """
#include "world.h"
float unit{n}_sum(float value, float large) {{
    return (value + large) - large;
}}
float unit{n}_half(float value) {{
    return value != value ? 0.0f : value * 0.5f;
}}
void unit{n}_step(struct cell* cell, uint64_t tick) {{
    cell->value = unit{n}_half((float)tick);
    if (tick >= {first}) {{
        cell->value = unit{n}_sum(0.3f, 16777216.0f);
    }}
}}
"""
# The same in a function that nobody else can call.
SUMS_INSIDE = """
#include "world.h"
static float sum(float value, float large) {{
    return (value + large) - large;
}}
float unit{n}_half(float value) {{
    return value != value ? 0.0f : value * 0.5f;
}}
void unit{n}_step(struct cell* cell, uint64_t tick) {{
    cell->value = unit{n}_half((float)tick);
    if (tick >= {first}) {{
        cell->value = sum(0.3f, 16777216.0f);
    }}
}}
"""


def units_of(guilty=None, kind=SUMS):
    """The sources; `guilty` says of units from which tick on they come to other bits."""
    guilty = guilty or {}
    return {f"unit{n}.c": (kind if n in guilty else COMPARES if n % 3 == 0 else INTEGERS).format(
        n=n, first=guilty.get(n)) for n in range(UNITS)}


def write_project(folder, sources, flags="-O2"):
    """A folder with sources and how each is compiled, as CMake would write it."""
    folder.mkdir()
    for path in (WORLD, WORLD.with_suffix(".h")):
        shutil.copy(path, folder)
    for file, source in sources.items():
        (folder / file).write_text(source)
    units = [{"directory": str(folder), "file": str(folder / file),
              "command": f"{COMPILER} -std=c99 {flags} -fPIC -I{INCLUDE} -MD -MF {file}.d "
                         f"-o out/{file}.o -c {folder / file}"}
             for file in ["world.c", *sources]]
    (folder / "compile_commands.json").write_text(json.dumps(units))


def build_project(folder, plugin, flags="-O2"):
    """Builds it, by default the usual way."""
    command = f"{COMPILER} -std=c99 {flags} -fPIC -shared -I{INCLUDE} {folder}/*.c -o {plugin}"
    subprocess.run(command, shell=True, check=True)


class UnitsTest(ProgramTest):
    @classmethod
    def project(cls, name, sources, flags="-O2"):
        write_project(cls.folder / name, sources, flags)
        return cls.folder / name

    @classmethod
    def record_with(cls, name, folder, ticks=30):
        """A recording of the usual build."""
        build_project(folder, cls.folder / f"{name}.so")
        return cls.record(f"{name}.isotick", f"--sim ./{name}.so --ticks {ticks} --inputs none")

    def command(self, name, more="--with=-ffast-math"):
        return (f"bisect build {name}.isotick --compile-commands {name}/compile_commands.json "
                f"--work {name}.work {more}")

    def found(self, said):
        """(files, tick, fields, functions) of each culprit."""
        return [([Path(file).name for file in one["files"]], one["signature"]["tick"],
                 one["signature"]["fields"], [each["functions"] for each in one["functions"]])
                for one in said["culprits"]]
