"""Builds of a game, and repositories whose commits are its revisions."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from program import PROGRAM, PROJECT, ProgramTest, long_form, some  # noqa: E402

GAME = Path(__file__).resolve().parent / "game.c"
COMPILER = os.environ.get("ISOTICK_C_COMPILER", "cc")
COMPILE = f"{COMPILER} -std=c99 -D_POSIX_C_SOURCE=200809L -shared -fPIC -O0 -g " \
          f"-I{shlex.quote(str(PROJECT / 'core/include'))}"
BUILD = f"{COMPILE} -I{{src}} {{src}}/game.c -o {{out}}/game.so"
QUIET = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


def rules(**given):
    """What rules.h says: `rules(HURTS_FROM=40)`."""
    return "".join(f"#define {name} {value}\n" for name, value in sorted(given.items()))


def revision(number, **given):
    """The files of a revision of the game."""
    return {"game.c": GAME.read_text(), "rules.h": rules(**given), "notes.txt": f"{number}\n"}


class Repository:
    """A git repository in `folder`, of which `files` gives the files of each commit."""

    def __init__(self, folder):
        self.folder = folder
        self.stream, self.count = [], 0
        self.hashes = {}

    def commit(self, files, parents=None, message=None):
        """A commit after the one before, or after those `parents`; returns its number."""
        self.count += 1
        number = self.count
        parents = ([number - 1] if number > 1 else []) if parents is None else parents
        text = (message or f"commit {number}").encode()
        self.stream.append(
            f"commit refs/heads/main\nmark :{number}\n"
            f"author A <a@b.c> {1700000000 + number} +0000\n"
            f"committer C <c@d.e> {1700000000 + number} +0000\ndata {len(text)}\n".encode() + text)
        for kind, parent in zip(["from", *["merge"] * len(parents)], parents):
            self.stream.append(f"{kind} :{parent}".encode())
        self.stream.append(b"deleteall")
        for name, content in files.items():
            mode, content = ("100644", content) if isinstance(content, str) else content
            content = content.encode()
            self.stream.append(f"M {mode} inline {name}\ndata {len(content)}\n".encode() + content)
        self.stream.append(b"")
        return number

    def write(self):
        self.git("init", "-q", "-b", "main", str(self.folder), cwd=".")
        self.git("fast-import", "--quiet", "--export-marks=.git/marks",
                 input=b"\n".join(self.stream) + b"\n")
        for line in (self.folder / ".git/marks").read_text().splitlines():
            number, commit = line[1:].split()
            self.hashes[int(number)] = commit
        self.git("reset", "-q", "--hard", "main")
        return self

    def git(self, *words, cwd=None, **how):
        return subprocess.run(["git", *words], cwd=cwd or self.folder, env=QUIET, check=True,
                              stdout=subprocess.PIPE, **how).stdout


def whole(folder):
    """All that a folder holds, to the last byte and the last time of change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = os.readlink(path) if path.is_symlink() else \
            path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (about.st_mode, about.st_mtime_ns, content)
    return found


def build_game(folder, name, **given):
    """A build of the game of its own: NAME.so."""
    source = folder / f"{name}.src"
    source.mkdir()
    (source / "rules.h").write_text(rules(**given))
    subprocess.run(f"{COMPILE} -I{source} {GAME} -o {folder / name}.so", shell=True, check=True)
    return f"./{name}.so"


class BisectTest(ProgramTest):
    how = BUILD

    @classmethod
    def build(cls, name, **given):
        return build_game(cls.folder, name, **given)

    @classmethod
    def repository(cls, name):
        return Repository(cls.folder / name)

    def commits(self, repository, good=1, bad=None, more="", build=BUILD, recording="s.isotick",
                code=0):
        """What `bisect commits --json` says; checks that the repository stays as it is."""
        before = whole(repository.folder)
        bad = repository.hashes[bad or repository.count]
        run = self.ends(code, f"bisect commits {recording} --repo {repository.folder} --good "
                              f"{repository.hashes[good]} --bad {bad} --build {shlex.quote(build)} "
                              f"--sim '{{out}}/game.so' --work {repository.folder}.work --json "
                              f"{more}")
        self.assertEqual(whole(repository.folder), before)
        self.log = run.err
        return json.loads(run.out) if run.out else run.err

    def number_of(self, repository, commit):
        return next(number for number, each in repository.hashes.items() if each == commit)

    def found(self, repository, said):
        """(commit's number, tick, fields) of each regression that was found."""
        return [(self.number_of(repository, one["found"][0]["hash"]), one["signature"]["tick"],
                 one["signature"]["fields"]) for one in said["regressions"]
                if len(one["found"]) == 1]
