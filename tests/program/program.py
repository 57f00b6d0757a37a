"""What the tests of the program share: a scratch folder and a way to run `isotick` in it.

ctest says where the program and the plug-ins are; run by hand, the tests use those of build/dev.
Paths in commands are relative to the scratch folder, which holds the plug-ins as `faulty.so`,
`bad_null.so` and so on, and the process that speaks the protocol badly as `sinful`. What commands
print with --json must be as harness/json.schema.json says.
"""

import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest
from collections import namedtuple
from pathlib import Path

import json_schema

PROJECT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("ISOTICK_PROGRAM", PROJECT / "build/dev/harness/program/isotick"))
PLUGINS = Path(os.environ.get("ISOTICK_PLUGINS", PROJECT / "build/dev/tests/support"))
TIME_LIMIT = 400  # seconds; nothing comes near it unless it hangs

LONG = "ISOTICK_LONG" in os.environ
KNOWS_LINES = "ISOTICK_WITHOUT_DEBUG_INFORMATION" not in os.environ
# What a CI server, a test runner or a batch system sets changes what isotick does; a test sets what
# it is about itself.
for name in list(os.environ):
    if re.match("CI$|CI_|GITHUB_|GITLAB_|BUILDKITE|CIRCLE|SLURM_|JOB_COMPLETION_|TEST_|GTEST_|"
                "XML_OUTPUT_FILE|ISOTICK_CACHE|DASHBOARD_TEST_FROM_CTEST|NO_COLOR", name):
        del os.environ[name]

# Whoever starts the tests in the background may have told them to ignore these, and what they start
# would, too.
for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)

# Marks a test that runs with ISOTICK_LONG=1 only, because a shorter one covers the same behavior.
long_form = unittest.skipUnless(LONG, "tried with ISOTICK_LONG=1")

Run = namedtuple("Run", "code out err")


def line_of(path, text):
    """The number of the one line with `text` in a file of the project."""
    lines = (PROJECT / path).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, 1) if text in line]
    assert len(found) == 1, (path, text, found)
    return found[0]


def some(items, count):
    """For tests that take long: `count` of the items, evenly spaced, or all with ISOTICK_LONG=1."""
    items = list(items)
    return items if LONG else items[::max(1, len(items) // count)][:count]


class ProgramTest(unittest.TestCase):
    """A test class has one scratch folder; its tests use names of their own in it."""

    program = "isotick"

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="isotick-program-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for plugin in PLUGINS.glob("libisotick_*.so"):
            (cls.folder / plugin.name.replace("libisotick_", "")).symlink_to(plugin)
        (cls.folder / "sinful").symlink_to(PLUGINS / "isotick_sinful")

    @classmethod
    def isotick(cls, command, **how):
        """Runs `isotick` with the arguments of this text, quoted as for a shell."""
        return cls.start([cls.program, *shlex.split(command)], **how)

    @classmethod
    def shell(cls, command, **how):
        return cls.start(["sh", "-c", command], **how)

    @classmethod
    def start(cls, words, stdout=subprocess.PIPE, before=None, more=None,
              stdin=subprocess.DEVNULL):
        environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
                       "LC_ALL": "C", **(more or {})}
        done = subprocess.run(words, cwd=cls.folder, check=False, env=environment,
                              stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                              timeout=TIME_LIMIT, preexec_fn=before)
        run = Run(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())
        json_schema.check_output(words, run.code, run.out)
        return run

    @classmethod
    def record(cls, name, options):
        """Records, and fails where that is not possible."""
        run = cls.isotick(f"record -o {name} {options}")
        if run.code != 0:
            raise RuntimeError(f"cannot record: {run}")
        return name

    def ends(self, code, command, says="", **how):
        """The command ends with this code; `says` is part of what it prints, here or there."""
        run = self.isotick(command, **how)
        self.assertEqual(run.code, code, f"isotick {command}\n{run.out}{run.err}")
        self.assertIn(says, run.out + run.err, f"isotick {command}")
        return run

    def refuses(self, command, says):
        """A mistake of the user: exit code 2, nothing on stdout, one line on stderr."""
        run = self.ends(2, command)
        self.assertEqual(run.out, "", command)
        self.assertTrue(run.err.startswith("isotick: error: "), run.err)
        self.assertEqual(run.err.count("\n"), 1, run.err)
        self.assertIn(says, run.err, command)
        return run

    def read_json(self, code, command, **how):
        return json.loads(self.ends(code, f"{command} --json", **how).out)

    @classmethod
    def path(cls, name):
        return cls.folder / name

    @classmethod
    def content(cls, name):
        return cls.path(name).read_bytes()

    @classmethod
    def copy_with(cls, name, of, change):
        """A copy of a recording whose bytes went through `change`."""
        content = bytearray(cls.content(of))
        change(content)
        cls.path(name).write_bytes(content)
        return name


def row(text, name):
    """The value of the first row of that name in a report, in one line."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.startswith(f"  {name} "):
            rest = itertools.takewhile(lambda more: more.startswith(" " * 14), lines[i + 1:])
            return " ".join([line[len(name) + 2:].strip(), *(more.strip() for more in rest)])
    raise AssertionError(f"no row '{name}' in:\n{text}")


def failing_tick(text):
    """Where a page says that bits first differ: `tick 17`."""
    return re.match("[^;,]*", row(text, "when"))[0]


def differing(text):
    """In what: `units (50 fields)`, `momentum (1 field)`."""
    return row(text, "differs in").split(";")[0]
