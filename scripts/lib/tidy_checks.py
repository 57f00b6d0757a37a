"""The checks of scripts/tidy. Each takes a Tree and yields (path, line, message)."""

import ast
import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from cpp_functions import UnbalancedBraces, definitions_of, functions_of

MODULES = ["core", "replay", "harness"]  # each may include those before it
ROOMS = {  # of each module: a room may include those before it
    "core": ["text", "loops", "schedule", "state", "seam"],
    "replay": ["format", "read", "write", "live", "c"],
    "harness": ["system", "simulations", "axes", "imports", "run", "study", "peers", "netplay",
                "audit", "bisect", "report"],
}
ROOTS = [*MODULES, "tests", "scripts", "cmake"]
LONGEST_FILE, LONGEST_LINE, LONGEST_FUNCTION = 800, 100, 80
HEADERS, SOURCES = (".hpp", ".h"), (".cpp", ".c")
CLANG_FORMAT_VERSION = 14  # Debian 12's; another version would format differently
# Each is built instead of a file that defines the same.
BUILT_INSTEAD = ("harness/program/own_main.cpp", "harness/src/system/no_library.cpp",
                 "harness/src/netplay/no_library.cpp",
                 "harness/src/audit/member_names_unknown.cpp")
# Each is loaded into processes by itself: both answer in the place of the C library.
LOADED_ALONE = ("harness/src/system/interposed", "harness/src/netplay/inside")
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
THROWN_AWAY = re.compile(
    r"(?<![\w)])\(void\) ?[\w:!*(]|static_cast<void>\(|std::ignore =")
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')


class Tree:
    """The project's own text files below `root`, read once, by path relative to it."""

    def __init__(self, root):
        self.root = Path(root)
        self.lines = {}
        for top in ROOTS:
            for folder, subfolders, files in os.walk(self.root / top):
                subfolders[:] = sorted(s for s in subfolders if s != "__pycache__")
                for name in sorted(files):
                    self._read(Path(folder) / name)
        self._read(self.root / "CMakeLists.txt")

    def _read(self, path):
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            return  # binary, such as a golden recording, or not there
        self.lines[path.relative_to(self.root)] = text.splitlines()

    def of_type(self, *suffixes):
        """The paths with one of `suffixes`."""
        return [path for path in self.lines if path.suffix in suffixes]

    def scripts(self):
        """Python and shell files, which often have no suffix."""
        return [path for path, lines in self.lines.items()
                if path.suffix in (".py", ".sh") or (lines and lines[0].startswith("#!"))]


def include_direction(tree):
    """A module includes itself and those below it; nobody includes another module's src."""
    for path in tree.of_type(*HEADERS, *SOURCES):
        owner = path.parts[0]
        mirrored = path.parts[1] if owner == "tests" else owner
        for number, line in enumerate(tree.lines[path], 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            public = re.match(r"isotick/(\w+)/", match.group(1))
            if public and owner in MODULES and public.group(1) in MODULES:
                if MODULES.index(public.group(1)) > MODULES.index(owner):
                    yield path, number, f"{owner} must not include {public.group(1)}"
            source = _module_whose_src(path, match.group(1))
            if source and source != mirrored:
                yield path, number, f"src belongs to {source} alone"


def room_order(tree):
    """A room, a folder of a module's src, includes itself and those before it."""
    for path in tree.of_type(*HEADERS, *SOURCES):
        room = _room(path.as_posix())
        if not room:
            continue
        module, name = room
        rooms = ROOMS[module]
        if name not in rooms:
            yield path, 1, f"{name} is no room of {module}"
            continue
        for number, line in enumerate(tree.lines[path], 1):
            match = INCLUDE.match(line)
            other = match and _room(os.path.normpath(path.parent / match.group(1)))
            if other and other[1] in rooms and rooms.index(other[1]) > rooms.index(name):
                yield path, number, f"{name} must not include {other[1]}"


def _room(path):
    """The module and the room of a file in a module's src, if it is in one."""
    match = re.match(r"(core|replay|harness)/src/(\w+)/", path)
    return match and (match.group(1), match.group(2))


def _module_whose_src(path, included):
    """The module whose src folder `included` reaches into, if any."""
    resolved = os.path.normpath(os.path.join(path.parent.as_posix(), included))
    for candidate in (included, resolved):
        match = re.match(r"(?:.*/)?(core|replay|harness)/src/", candidate)
        if match:
            return match.group(1)
    return None


def file_length(tree):
    """A file is one subject that a reader can hold at once."""
    kinds = [(tree.of_type(*HEADERS), "header"), (tree.of_type(*SOURCES), "source"),
             (tree.scripts(), "script")]
    for paths, kind in kinds:
        for path in paths:
            count = len(tree.lines[path])
            if count > LONGEST_FILE:
                yield path, LONGEST_FILE + 1, f"{kind} of {count} lines; at most {LONGEST_FILE}"


def line_length(tree):
    """Lines fit a screen."""
    cmake = [p for p in tree.lines if p.name == "CMakeLists.txt" or p.suffix == ".cmake"]
    for path in [*tree.of_type(*HEADERS, *SOURCES), *tree.scripts(), *cmake]:
        for number, line in enumerate(tree.lines[path], 1):
            if len(line) > LONGEST_LINE:
                yield path, number, f"line of {len(line)} columns; at most {LONGEST_LINE}"


def function_length(tree):
    """Functions do one thing."""
    for path in tree.of_type(*HEADERS, *SOURCES):
        try:
            found = functions_of("\n".join(tree.lines[path]))
        except UnbalancedBraces as lost:
            yield path, lost.line, "these braces do not balance"
            continue
        for function in found:
            if function.lines > LONGEST_FUNCTION:
                yield path, function.line, _too_long(function.name, function.lines)
    for path in tree.scripts():
        if "python" not in tree.lines[path][0] and path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse("\n".join(tree.lines[path]))):
            if isinstance(node, ast.FunctionDef):
                count = node.end_lineno - node.lineno
                if count > LONGEST_FUNCTION:
                    yield path, node.lineno, _too_long(node.name, count)


def _too_long(name, lines):
    return f"function '{name}' of {lines} lines; at most {LONGEST_FUNCTION}"


def defined_once(tree):
    """No two files of the modules define one name: the linker would silently keep one of them."""
    seen = {}
    for path in tree.of_type(*HEADERS, *SOURCES):
        if path.parts[0] not in MODULES or path.as_posix() in BUILT_INSTEAD:
            continue
        try:
            found = definitions_of("\n".join(tree.lines[path]))
        except UnbalancedBraces:
            continue  # function_length says so
        for definition in found:
            place = path.parent.as_posix()
            library = place if place in LOADED_ALONE else ""
            other, line = seen.setdefault((library, definition.name), (path, definition.line))
            if other != path:
                yield path, definition.line, (
                    f"'{definition.name}' is defined in {other.as_posix()}:{line} too")


def _cmake_words(tree, path):
    text = "\n".join(re.sub(r"#.*", "", line) for line in tree.lines.get(path, []))
    return set(re.split(r'[\s()"]+', text.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")))


def listed_in_cmake(tree):
    """What is built or run is named in the CMakeLists.txt of its folder or one above.

    That is every file of a module, and of the tests the sources and the Python tests. A private
    header may be included by another file of its module instead.
    """
    for path in tree.of_type(*HEADERS, *SOURCES, ".py"):
        in_tests = path.parts[0] == "tests" and (
            path.suffix in SOURCES or path.name.endswith("_test.py"))
        if path.parts[0] not in MODULES and not in_tests:
            continue
        if path.suffix in HEADERS and "include" not in path.parts and _is_included(tree, path):
            continue
        above = [folder for folder in path.parents if folder != Path(".")]
        if not any(path.relative_to(folder).as_posix() in
                   _cmake_words(tree, folder / "CMakeLists.txt") for folder in above):
            yield path, 1, "in no CMakeLists.txt, so never built"


def _is_included(tree, header):
    """Whether a file of the header's module includes it, by its path from any folder above."""
    module = header.parts[0]
    names = {header.relative_to(folder).as_posix() for folder in list(header.parents)[:-1]}
    return any(match and os.path.normpath(match.group(1)).lstrip("./") in names
               for path in tree.of_type(*HEADERS, *SOURCES)
               if path.parts[0] == module and path != header
               for match in map(INCLUDE.match, tree.lines[path]))


def folders_added(tree):
    """A CMakeLists.txt is added by the one above it, unless it is a project of its own."""
    for path in tree.lines:
        if path.name != "CMakeLists.txt" or len(path.parts) == 1:
            continue
        if any(line.startswith("project(") for line in tree.lines[path]):
            continue
        above = path.parent.parent
        while above != Path(".") and above / "CMakeLists.txt" not in tree.lines:
            above = above.parent
        name = path.parent.relative_to(above).as_posix()
        if name not in _cmake_words(tree, above / "CMakeLists.txt"):
            yield path, 1, f"not added by {(above / 'CMakeLists.txt').as_posix()}"


def included_once(tree):
    """Every header guards against being included twice."""
    for path in tree.of_type(*HEADERS):
        lines = tree.lines[path]
        guard = re.match(r"#ifndef (ISOTICK_\w+_H)$", lines[0]) if lines else None
        guarded = guard and path.suffix == ".h" and lines[1] == f"#define {guard.group(1)}"
        if "#pragma once" not in lines and not guarded:
            yield path, 1, "no #pragma once"


def public_headers_compile_fast(tree):
    """No public header includes <filesystem>: it adds half a second to each compile."""
    for path in tree.of_type(*HEADERS):
        for number, line in enumerate(tree.lines[path], 1):
            match = path.parts[1:2] == ("include",) and INCLUDE.match(line)
            if match and match.group(1) == "filesystem":
                yield path, number, "public headers take paths as std::string, not <filesystem>"


def nothing_unfinished(tree):
    """What is missing is an issue, not a comment."""
    for path, lines in tree.lines.items():
        for number, line in enumerate(lines, 1):
            match = UNFINISHED.search(line)
            if match:
                yield path, number, f"{match.group(0)}: finish it or open an issue"


def nothing_thrown_away(tree):
    """In the modules, a result that nobody wants is not cast away: it may be an error."""
    for path in tree.of_type(*HEADERS, *SOURCES):
        for number, line in enumerate(tree.lines[path], 1):
            if path.parts[0] in MODULES and THROWN_AWAY.search(line):
                yield path, number, "a result is thrown away: handle it, or don't return it"


@functools.cache
def clang_format_version():
    """The major version of the clang-format found, or None."""
    if not shutil.which("clang-format"):
        return None
    text = subprocess.run(["clang-format", "--version"], capture_output=True, text=True,
                          check=True).stdout
    match = re.search(r"version (\d+)", text)
    return int(match.group(1)) if match else None


def formatting(tree):
    """The code is as .clang-format wants it."""
    paths = [path.as_posix() for path in tree.of_type(*HEADERS, *SOURCES)]
    if not paths or clang_format_version() != CLANG_FORMAT_VERSION:
        return
    ran = subprocess.run(["clang-format", "--dry-run", *paths], cwd=tree.root,
                         capture_output=True, text=True, check=False)
    found = re.findall(r"^(.+?):(\d+):\d+: (?:warning|error):", ran.stderr, re.MULTILINE)
    for path, number in sorted(set((path, int(number)) for path, number in found)):
        yield Path(path), number, "not formatted as .clang-format says"


CHECKS = [include_direction, room_order, file_length, line_length, function_length, defined_once,
          listed_in_cmake, folders_added, included_once, public_headers_compile_fast,
          nothing_unfinished, nothing_thrown_away, formatting]
