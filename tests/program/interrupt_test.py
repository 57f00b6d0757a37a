"""Commands that a signal ends: no process goes on, nothing is left behind, and the next run works.

Run by hand, `--ends 500` ends commands at so many moments, drawn from `--seed`.
"""

import argparse
import fcntl
import os
import random
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest
from collections import Counter, namedtuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "bisect"))

from history import BUILD, Repository, build_game, revision  # noqa: E402
from program import PROGRAM, TIME_LIMIT, ProgramTest  # noqa: E402
from sources import build_project, units_of, write_project  # noqa: E402

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL)
# The simulation makes the file `here` at tick 20, and then no progress.
STUCK = "--environment fault=hang --environment once=here --timeout 0"
IN_PROCESS = "--sim ./faulty.so"
# A shell that goes on after its child does not read the end of its stdin.
OTHERS = "--sim 'exec:sleep 1000 & isotick serve --sim ./faulty.so; sleep 1000'"

# A command, the exit codes of which it may end by itself, and its folder of builds, which stays.
Form = namedtuple("Form", "command codes kept", defaults=((0,), None))
SERVED = "--sim 'exec:isotick serve --sim ./faulty.so'"
LOCKSTEP = "lockstep --sim skirmish --config units=20 --players 2 --trials 2"
# How a search that Ctrl-C stops may end; any of a replay.
STOPPED = (0, 1, 3, 4)
FORMS = {
    "record": Form("record --sim skirmish --config units=20 --ticks 4000 -o new.isotick"),
    "record, over another": Form("record --sim skirmish --ticks 4000 -o over.isotick --force"),
    "record, of a process": Form(f"record {SERVED} --ticks 60 -o served.isotick"),
    "replay": Form("replay long.isotick --state s.state"),
    "verify": Form(f"verify s.isotick {IN_PROCESS} --trials 20 --perturb all"),
    "verify, of a process": Form(f"verify s.isotick {SERVED} --trials 4"),
    "verify --report": Form(f"verify s.isotick {IN_PROCESS} --trials 8 --report made/report"),
    "verify --report, over another": Form("verify leak.isotick --trials 4 --report there", STOPPED),
    "minimize": Form("minimize leak.isotick --trials 4 -o small.isotick", STOPPED),
    "why": Form("why leak.isotick --trials 4", STOPPED),
    "why -o": Form("why leak.isotick --trials 4 -o why", STOPPED),
    "why -o, over another": Form("why leak.isotick --trials 4 -o there --force", STOPPED),
    "diff": Form("diff leak.isotick leak2.isotick --fields", (1,)),
    "inspect": Form("inspect long.isotick --ticks 0..3999"),
    "repair": Form("repair torn.isotick -o saved.isotick"),
    "export": Form("export long.isotick -o long.text"),
    "import": Form("import long.jsonl -o back.isotick"),
    "import --rehash": Form(f"import s.jsonl --rehash {IN_PROCESS} -o rehashed.isotick"),
    "import, over another": Form("import long.jsonl -o over.isotick --force"),
    "audit": Form(f"audit s.isotick {IN_PROCESS}"),
    "lockstep": Form(f"{LOCKSTEP} --ticks 200"),
    "lockstep -o": Form(f"{LOCKSTEP} --ticks 200 -o peers --time-line peers.svg"),
    "lockstep -o, over another": Form(f"{LOCKSTEP} --ticks 200 -o there --force"),
    "sims --check": Form("sims --check 'exec:isotick serve --sim spring'"),
    "bisect ticks": Form("bisect ticks game.isotick ./hurts.so --sim-a ./good.so", (1,)),
    "bisect step": Form("bisect step game.isotick --sim ./hurts.so", (1,)),
    "bisect commits": Form("bisect commits game.isotick --repo repo --good main~3 "
                           f"--build '{BUILD}' --sim '{{out}}/game.so' --work repo.work",
                           (0, 3), "repo.work"),
    "bisect build": Form("bisect build world.isotick "
                         "--compile-commands world/compile_commands.json --with=-ffast-math "
                         "--units-only --work world.work", (1, 3), "world.work"),
}


def until(happened, what):
    deadline = time.monotonic() + TIME_LIMIT
    while not happened():
        if time.monotonic() > deadline:
            raise AssertionError(what)
        time.sleep(0.005)


def unread_bytes(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


class Interrupted(ProgramTest):
    ends_wanted, seed = 8, random.randrange(10000)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path("tmp").mkdir()
        cls.path("there").mkdir()
        for name in ("report.txt", "why.md", "peer-1.isotick", "mine.txt"):
            cls.path(f"there/{name}").write_text("of an earlier run", encoding="utf-8")
        cls.record("s.isotick", "--sim ./faulty.so --ticks 60")
        cls.record("over.isotick", "--sim spring --ticks 20")
        cls.record("long.isotick", "--sim skirmish --config units=20 --ticks 4000")
        cls.record("leak.isotick", "--sim control:render-random --ticks 100")
        cls.record("leak2.isotick", "--sim control:render-random --ticks 100 --schedule 144hz")
        cls.shell("isotick export s.isotick -o s.jsonl; isotick export long.isotick -o long.jsonl")
        cls.copy_with("torn.isotick", "long.isotick", lambda content: content.__setitem__(
            len(content) // 2, content[len(content) // 2] ^ 1))
        cls.make_sources()

    @classmethod
    def make_sources(cls):
        build_game(cls.folder, "good")
        build_game(cls.folder, "hurts", HURTS_FROM=40)
        cls.record("game.isotick", "--sim ./good.so --ticks 100 --inputs random")
        repository = Repository(cls.folder / "repo")
        for number in range(1, 5):
            repository.commit(revision(number, **({"HURTS_FROM": 40} if number >= 3 else {})))
        repository.write()
        write_project(cls.folder / "world", units_of({7: 12}))
        build_project(cls.folder / "world", cls.folder / "world.so")
        cls.record("world.isotick", "--sim ./world.so --ticks 30 --inputs none")

    def setUp(self):
        self.mark = f"ISOTICK_TEST_MARK={os.getpid()}-{self.id()}"

    def begin(self, command, stdin=subprocess.DEVNULL):
        name, value = self.mark.split("=")
        environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
                       "LC_ALL": "C", "TMPDIR": str(self.path("tmp")), name: value}
        return subprocess.Popen(
            ["isotick", *shlex.split(command)], cwd=self.folder, stdin=stdin, env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))

    def processes(self):
        """Of all that this test has started, as far as they have not ended."""
        found = []
        for process in Path("/proc").iterdir():
            try:
                if process.name.isdigit() and \
                        self.mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:  # it has just ended, or is another user's
                pass
        return found

    def wait_for_all(self):
        deadline = time.monotonic() + 10
        while left := self.processes():
            self.assertLess(time.monotonic(), deadline, left)
            time.sleep(0.005)

    def files(self, kept=None):
        """All files and folders, and what is in those that are no links."""
        return {str(path.relative_to(self.folder)):
                path.read_bytes() if path.is_file() and not path.is_symlink() else None
                for path in self.folder.rglob("*")
                if kept is None or not path.is_relative_to(self.path(kept))}

    def restore(self, before, kept=None):
        for name in sorted(self.files(kept).keys() - before.keys(), reverse=True):
            path = self.path(name)
            (path.rmdir if path.is_dir() and not path.is_symlink() else path.unlink)()
        for name, content in before.items():
            if content is not None and (not self.path(name).exists()
                                        or self.content(name) != content):
                self.path(name).write_bytes(content)

    def end(self, running, number):
        running.send_signal(number)
        self.assertEqual(running.wait(TIME_LIMIT), -number)
        self.wait_for_all()

    def check_stuck(self, command, output, code=0, simulation=IN_PROCESS):
        """Ends the command at tick 20 of the simulation, by each signal; then lets it finish."""
        command = f"{command} {simulation} {STUCK}"
        for number in SIGNALS:
            with self.subTest(command, signal=number.name):
                before = self.files()
                with self.begin(command) as running:
                    until(self.path("here").exists, "the simulation did not get to tick 20")
                    self.end(running, number)
                self.path("here").unlink()
                self.assertEqual(self.files(), before)
        if simulation == IN_PROCESS:
            self.path("here").touch()  # it gets on from tick 20
            self.ends(code, command)
            self.path("here").unlink()
        if output:
            self.assertTrue(self.path(output).exists())
            self.path(output).unlink()

    def test_stuck_record(self):
        self.check_stuck("record --ticks 60 -o new.isotick", "new.isotick")
        self.check_stuck("record --ticks 60 -o new.isotick", None, simulation=OTHERS)

    def test_stuck_verify_with_a_report(self):
        self.check_stuck("verify s.isotick --trials 4 --report made/report",
                         "made/report/report.txt")
        shutil.rmtree(self.path("made"))

    def test_stuck_minimize(self):
        self.check_stuck("minimize s.isotick --trials 4 -o small.isotick", None, 4)

    def test_stuck_audit(self):
        self.check_stuck("audit --ticks 60", None)

    def test_stuck_serve(self):
        for number in SIGNALS:
            with self.subTest(signal=number.name):
                reading, writing = os.pipe()
                with self.begin("serve --sim spring", reading) as running:
                    until(lambda: self.processes() == ["isotick serve --sim spring "], "not begun")
                    self.end(running, number)
                os.close(reading)
                os.close(writing)

    def test_import_whose_text_does_not_end(self):
        text = self.content("long.jsonl")
        for number in SIGNALS:
            with self.subTest(signal=number.name):
                before = self.files()
                reading, writing = os.pipe()
                with self.begin("import - -o imported.isotick", reading) as running:
                    with open(writing, "wb") as pipe:
                        pipe.write(text[:len(text) // 2])
                        pipe.flush()
                        until(lambda: unread_bytes(reading) == 0, "the text is not read")
                        self.end(running, number)
                os.close(reading)
                self.assertEqual(self.files(), before)

    def test_builds_end_before_another_bisection_begins(self):
        """Each build says who it is, and fails where an earlier one still lives."""
        self.path("builds").mkdir()
        alone = "for each in builds/*; do grep -q 'State:.[^ZX]' /proc/$(cat $each)/status && " \
                "touch beside; done 2>/dev/null; " \
                "sh -c 'echo $$ >builds/$$; : >here; sleep 1000 & wait' & wait"
        alone = f"cd {self.folder}; {alone}"
        command = FORMS["bisect commits"].command.replace(BUILD, alone.replace("'", "'\"'\"'"))
        command = command.replace("repo.work", "alone.work")
        for number in SIGNALS * 2:
            with self.subTest(signal=number.name):
                with self.begin(command) as running:
                    until(self.path("here").exists, "no build has begun")
                    self.path("here").unlink()
                    running.send_signal(number)
                    self.assertEqual(running.wait(TIME_LIMIT),
                                     3 if number == signal.SIGINT else -number)
        self.wait_for_all()
        self.assertFalse(self.path("beside").exists())
        for name in ("builds", "alone.work"):
            shutil.rmtree(self.path(name))

    def check_end(self, form, whole, before, code, number):
        codes = {*form.codes, -number} | ({*STOPPED} if number == signal.SIGINT and
                                          (form.kept or form.codes == STOPPED) else set())
        self.assertIn(code, codes)
        self.wait_for_all()
        after = self.files(form.kept)
        if after.keys() != whole.keys():
            self.assertEqual(sorted(after), sorted(before))
        expected = whole if after.keys() == whole.keys() else before
        for name, content in before.items():
            if code == -number and before.keys() == whole.keys():
                self.assertIn(after[name], (content, whole[name]), name)
            elif code == -number or content == whole.get(name):
                self.assertEqual(after.get(name), expected.get(name), name)

    def test_commands_at_any_moment(self):
        print(f"--ends {self.ends_wanted} --seed {self.seed}", file=sys.stderr)
        drawn = random.Random(self.seed)
        # A few ends are to be quick, and bisections are not.
        forms = [(name, form) for name, form in FORMS.items()
                 if self.ends_wanted >= len(FORMS) or not form.kept]
        drawn.shuffle(forms)
        ended = Counter()
        for at, (name, form) in enumerate(forms):
            share = range(at, self.ends_wanted, len(forms))
            if not share:
                continue
            before = self.files(form.kept)
            begun = time.monotonic()
            with self.begin(form.command) as running:
                self.assertIn(running.wait(TIME_LIMIT), form.codes, form.command)
            took = time.monotonic() - begun
            self.wait_for_all()
            whole = self.files(form.kept)
            self.restore(before, form.kept)
            for number_of_end in share:
                number, moment = SIGNALS[number_of_end % len(SIGNALS)], took * drawn.random()
                if form.kept and drawn.random() < 0.7:
                    shutil.rmtree(self.path(form.kept), ignore_errors=True)
                with self.subTest(name, signal=number.name, moment=round(moment, 3)):
                    begun = time.monotonic()
                    with self.begin(form.command) as running:
                        time.sleep(moment)
                        to_all = drawn.random() < 0.5
                        if running.poll() is None:
                            (os.killpg if to_all else os.kill)(running.pid, number)
                        code = running.wait(TIME_LIMIT)
                    ended[number.name if code < 0 else "by itself"] += 1
                    took = took if code < 0 else min(took, time.monotonic() - begun)
                    self.check_end(form, whole, before, code, number)
                self.restore(before, form.kept)
            if form.kept:
                with self.begin(form.command) as running:
                    self.assertEqual(running.wait(TIME_LIMIT), form.codes[0], form.command)
                self.wait_for_all()
                self.assertEqual(self.files(form.kept).keys(), whole.keys())
        print(dict(ended), file=sys.stderr)

    def test_what_killed_processes_left_is_removed(self):
        for command in ("record --sim spring --ticks 20", "import long.jsonl",
                        "export long.isotick"):
            for name in ("out.isotick-partial0", "out.isotick-partial3", "out.isotick-partial7"):
                self.path(name).touch()
                if not name.endswith("3"):  # which a user has made
                    self.path(name).chmod(0o1644)
            self.ends(0, f"{command} -o out --force")
            left = [path.name for path in self.folder.iterdir() if "partial" in path.name]
            self.assertEqual(left, ["out.isotick-partial3"])
            self.path("out.isotick-partial3").unlink()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ends", type=int, default=Interrupted.ends_wanted)
    arguments.add_argument("--seed", type=int, default=Interrupted.seed)
    given, rest = arguments.parse_known_args()
    Interrupted.ends_wanted, Interrupted.seed = given.ends, given.seed
    unittest.main(argv=[sys.argv[0], *rest])
