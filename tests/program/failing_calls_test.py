#!/usr/bin/env python3
"""Lets each call for memory and to the system fail in turn, in whole commands.

Each command runs undisturbed first, over small recordings. Then it runs again for each kind of
call and each number n: the n-th call of that kind fails, or all from the n-th on, in one of the
command's processes. Whatever fails, the command must either do all that it does undisturbed, or say
what failed and end with 3. Nothing that was there before is lost, no file looks whole that is not,
and no temporary file and no process is left behind.

By default a sample that is drawn from --seed. With --every, every call, which takes some hours of
processor time; what all commands do at their start is tried in `version` alone. --command, --kind
and --role choose some of it.
"""

import argparse
import ctypes
import errno
import fcntl
import mmap
import os
import random
import re
import select
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from files_test import chunks, flip_middle
from program import PLUGINS, PROGRAM, PROJECT

LIBRARY = PLUGINS / "libisotick_failing_calls.so"
CARELESS = PLUGINS / "isotick_careless"
TIME_LIMIT = 120  # seconds
ROLES = ("main", "worker", "trial", "copied")
FOREVER = 2**62
SHORT = 0         # instead of an errno: one byte is read or written

# What calls of a kind fail with; `*`: also all from one on.
FAULTS = {
    "memory": "ENOMEM*", "open": "EMFILE* EACCES", "read": "EIO EINTR SHORT",
    "write": "ENOSPC* EIO EINTR SHORT", "send": "ENOBUFS EINTR", "receive": "ECONNRESET EINTR",
    "sync": "EIO* EINTR", "rename": "EIO*", "link": "EIO*", "unlink": "EIO*", "folder": "ENOSPC*",
    "truncate": "EIO* EINTR", "status": "EIO EACCES*", "map": "ENOMEM*", "anonymous": "EMFILE*",
    "pipe": "EMFILE*", "fork": "EAGAIN*", "spawn": "EAGAIN*", "thread": "EAGAIN*", "wait": "EINTR",
    "poll": "EINTR ENOMEM", "copy": "EMFILE*", "close": "EIO EINTR", "seek": "EIO",
    "lock": "ENOLCK*", "print": "ENOSPC*"}

SESSION = "--config units=4 --rate 16hz"  # chunks of 16 ticks


@dataclass(frozen=True)
class Command:
    name: str
    words: str
    makes: str = ""      # the file or folder that it makes
    over: str = ""       # what stands there before
    keeps: bool = False  # what it makes may be left unfinished
    most: int = 14       # faults in a sample
    program: Path = PROGRAM


COMMANDS = (
    Command("version", "--version"),
    Command("record", f"record --sim skirmish {SESSION} --ticks 40 -o out", "out", keeps=True),
    Command("record-over", f"record --sim skirmish {SESSION} --ticks 40 -o out --force", "out",
            "old.isotick", keeps=True),
    Command("repair", "repair torn.isotick -o out", "out"),
    Command("finish", "repair unfinished.isotick -o out --force", "out", "old.isotick"),
    Command("export", "export s.isotick -o out", "out"),
    Command("print", "export s.isotick"),
    Command("import", "import s.jsonl -o out", "out"),
    Command("import-over", "import s.jsonl -o out --force", "out", "old.isotick"),
    Command("minimize", "minimize leaky.isotick --schedule 30hz --shrink 200 -o out --jobs 1",
            "out", most=4),
    Command("verify", "verify s.isotick --trials 2 --jobs 1", most=6),
    Command("verify-leaky", "verify leaky.isotick --trials 2 --jobs 1 --report out", "out",
            most=4),
    Command("merge", "merge parts --report out", "out"),
    Command("review", "review . --list"),
    Command("corpus", "corpus . --paths"),
    Command("inspect", "inspect s.isotick"),
    Command("inspect-torn", "inspect torn.isotick --json"),
    Command("diff", "diff s.isotick other.isotick"),
    Command("diff-same", "diff s.isotick s.isotick --json"),
    Command("replay", "replay s.isotick --state out", "out"),
)


@dataclass
class Run:
    code: int
    out: bytes
    err: bytes
    files: dict
    failed: int = 0
    counts: dict = field(default_factory=dict)
    where: str = ""
    left: bool = False  # a process was left behind
    hung: bool = False


@dataclass(frozen=True)
class Fault:
    role: str
    kind: str
    error: str
    first: int
    forever: bool

    def __str__(self):
        return (f"{self.role}: {self.kind} {'from ' if self.forever else ''}#{self.first} "
                f"{self.error}")


class Page:
    """What the library and this test share: `struct page` of failing_calls.c."""

    def __init__(self, path):
        self.kinds = kinds()
        assert set(self.kinds) == set(FAULTS)
        self.size = 56 + 8 * len(ROLES) * len(self.kinds) + 8192
        path.write_bytes(bytes(self.size))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), self.size)

    def plan(self, fault):
        self.memory[:] = bytes(self.size)
        if fault is None:
            struct.pack_into("3q", self.memory, 0, os.getpid(), -1, -1)
            return
        last = FOREVER if fault.forever else fault.first
        error = SHORT if fault.error == "SHORT" else getattr(errno, fault.error)
        struct.pack_into("6q", self.memory, 0, os.getpid(), ROLES.index(fault.role),
                         self.kinds.index(fault.kind), fault.first, last, error)

    def read(self, run):
        run.failed = struct.unpack_from("q", self.memory, 48)[0]
        numbers = struct.unpack_from(f"{len(ROLES) * len(self.kinds)}q", self.memory, 56)
        pairs = [(role, kind) for role in ROLES for kind in self.kinds]
        run.counts = {pair: number for pair, number in zip(pairs, numbers) if number != 0}
        run.where = self.memory[self.size - 8192:].rstrip(b"\0").decode()


def kinds():
    text = (ctypes.c_char * 4096).in_dll(ctypes.CDLL(str(LIBRARY)), "failing_calls_kinds").raw
    return text.split(b"\0")[0].decode().split()


class Scratch:
    """A folder of recordings in which one command runs at a time."""

    def __init__(self, folder, recordings):
        self.folder = folder
        shutil.copytree(recordings, folder / "work")
        (folder / "tmp").mkdir()
        self.page = Page(folder / "page")
        self.before = self.files()
        # Open in all processes that the command starts, as long as they live.
        self.environment = {
            "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "LC_ALL": "C", "HOME": str(folder),
            "TMPDIR": str(folder / "tmp"), "LD_PRELOAD": str(LIBRARY),
            "ISOTICK_FAILING_CALLS": str(folder / "page")}

    def files(self):
        return {str(path.relative_to(self.folder)): self.content(path) if path.is_file() else None
                for name in ("work", "tmp") for path in (self.folder / name).rglob("*")}

    @staticmethod
    def content(path):
        """But for how long a recording took, which JUnit says."""
        content = path.read_bytes()
        return re.sub(rb' time="[0-9.]+"', b"", content) if path.suffix == ".xml" else content

    def is_being_cleaned_up(self):
        """Whether there are folders that the cleanup process, which we cannot wait for, removes."""
        return any((self.folder / "tmp").iterdir()) or \
            any((self.folder / "work").glob("isotick-partial-*"))

    def run(self, command, fault=None):
        self.clean()
        if command.over:
            shutil.copy(self.folder / "work" / command.over, self.folder / "work" / command.makes)
        self.page.plan(fault)
        run = self.start([command.program, *shlex.split(command.words)])
        self.page.read(run)
        return run

    def start(self, words):
        alive, low = os.pipe()
        held = fcntl.fcntl(low, fcntl.F_DUPFD, 200)  # out of the way of those that workers have
        os.close(low)
        with subprocess.Popen(words, cwd=self.folder / "work", env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, pass_fds=(held,)) as process:
            os.close(held)
            hung = False
            try:
                out, err = process.communicate(timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired:
                hung = True
                process.kill()
                out, err = process.communicate()
        left = not select.select([alive], [], [], 5)[0]
        os.close(alive)
        began = time.monotonic()
        while self.is_being_cleaned_up() and time.monotonic() < began + 5:
            time.sleep(0.01)  # what the cleanup process removes
        return Run(process.returncode, out, err, self.files(), left=left, hung=hung)

    def clean(self):
        for name in self.files().keys() - self.before.keys():
            path = self.folder / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        for name, content in self.before.items():
            path = self.folder / name
            if content is not None and (not path.is_file() or path.read_bytes() != content):
                path.write_bytes(content)

    def is_unfinished(self, name):
        """Whether it is a recording that says that it has no end."""
        plain = {**self.environment}
        del plain["LD_PRELOAD"]
        found = subprocess.run([PROGRAM, "inspect", name], cwd=self.folder / "work", env=plain,
                               capture_output=True, check=False, timeout=TIME_LIMIT)
        return found.returncode == 0 and b"unfinished" in found.stdout


# A simulation that itself runs out of memory says so.
OWN_SHORTAGE = re.compile(r"(create|step|hash|save|load|render|begin_frame|visit_fields|"
                          r"visit_memory|propose_input|destroy)[^\n]* (failed|threw): "
                          r"((at )?\S+: )?(std::bad_alloc|no memory is left)")
NAMES_IT = re.compile(r"out of memory|Cannot allocate memory|No space left|Input/output error|"
                      r"Too many open files|Permission denied|Interrupted system call|"
                      r"Resource temporarily unavailable|No locks available|No buffer space|"
                      r"Connection reset|cannot |was lost")


def judge(command, fault, run, clean, scratch):
    """What is wrong with a run; none where nothing is."""
    text = run.out.decode(errors="replace") + run.err.decode(errors="replace")
    if run.hung:
        return "hangs"
    if run.left:
        return "leaves a process"
    if run.code < 0:
        return f"ends by signal {-run.code}"
    made = f"work/{command.makes}"
    others = {name: content for name, content in run.files.items()
              if name in scratch.before or not (command.makes and name.startswith(made))}
    if others != scratch.before:
        changed = {name for name in others.keys() | scratch.before.keys()
                   if others.get(name) != scratch.before.get(name)}
        return f"changes or leaves {', '.join(sorted(changed))}"
    mine = {name: content for name, content in run.files.items() if name not in others}
    wanted = {name: content for name, content in clean.files.items()
              if name not in scratch.before and command.makes and name.startswith(made)}
    if run.code == clean.code != 0 and run.out == clean.out and NAMES_IT.search(run.err.decode()):
        return None if mine.items() <= wanted.items() else f"leaves {sorted(mine)}"
    if command.words.startswith("verify ") and run.code == clean.code == 1 and \
            mine.keys() == wanted.keys() and is_same_finding(fault, run.out, clean.out):
        return None
    report = mine.get(f"work/{command.makes}/report.txt") or b""
    if run.code == clean.code and mine != wanted and \
            not (NOT_VARIED.search(unwrapped(report)) and mine.keys() == wanted.keys()):
        return f"ends with {run.code} and another output"
    if run.code == clean.code and is_same_report(fault, run.out, clean.out):
        return None
    own = fault.role in ("trial", "copied") and OWN_SHORTAGE.search(text)
    if own and run.code in (1, 5) and fault.kind == "memory":
        pass
    elif run.code == 4 and fault.role in ("trial", "copied") and fault.kind == "memory" and \
            b"verify says nondeterministic" in run.err:
        pass  # the simulation itself ran out of memory, once
    elif run.code == clean.code and (run.code != 3 or run.out):
        return f"ends with {run.code} and prints something else"
    elif run.code != 3:
        return f"ends with {run.code}"
    elif not NAMES_IT.search(text):
        return "names no cause"
    return judge_remains(command, mine, wanted, run, scratch)


def is_same_finding(fault, text, clean):
    """Whether the same is found at the same tick, though studied in other runs; or the simulation
    itself has run out of memory, once."""
    def finding(page):
        when = re.search(rb"\n  when +tick \d+", page)
        return page[:8], page[page[:-1].rfind(b"\n"):][:9], when and when[0]
    is_once = fault.kind == "memory" and fault.role in ("trial", "copied") and \
        text.startswith(b"NONDETERMINISTIC ")
    return is_once or (b"\n  when " in clean and finding(text) == finding(clean))


def is_same_report(fault, text, clean):
    """Whether only the size of a file is missing, where that could not be told, or an axis is not
    varied that could not be, and the report says why, or runs were made again."""
    left = [line for line in clean.splitlines() if not line.startswith(b"  size ")]
    return text == clean or (fault.kind == "status" and text.splitlines() == left) or \
        MAY_DIFFER.sub(b"", unwrapped(text)) == MAY_DIFFER.sub(b"", unwrapped(clean))


def unwrapped(text):
    return text.replace(b"\n" + b" " * 14, b" ")


NOT_VARIED = re.compile(rb"\n  not varied [^\n]*(" + NAMES_IT.pattern.encode() + rb")[^\n]*")
MAY_DIFFER = re.compile(NOT_VARIED.pattern + rb"|\n  varied [^\n]*"
                        rb"|; in \d+ trials?|in \d+ trials? from|; (stopped early|not to the end): "
                        rb"[^\n]*(" + NAMES_IT.pattern.encode() + rb")[^\n]*")


def judge_remains(command, mine, wanted, run, scratch):
    before = {f"work/{command.makes}": scratch.before[f"work/{command.over}"]} \
        if command.over else {}
    if mine in (before, wanted):
        return None
    report = mine.get(f"work/{command.makes}/report.txt") or b""
    if NAMES_IT.search(report.decode()) and mine.keys() == wanted.keys():
        return None  # a whole report says what failed
    beside = f"{command.makes}.unfinished"
    if command.keeps and b"left unfinished" in run.err and scratch.is_unfinished(
            beside if f"work/{beside}" in mine else command.makes):
        return None
    return f"ends with {run.code} and leaves {sorted(mine)} that is not whole"


def make_recordings(folder):
    folder.mkdir()

    def isotick(words):
        subprocess.run([PROGRAM, *shlex.split(words)], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
    isotick(f"record --sim skirmish {SESSION} --ticks 40 -o s.isotick")
    isotick(f"record --sim skirmish {SESSION} --ticks 40 --seed 2 -o other.isotick")
    isotick(f"record --sim control:render-random {SESSION} --ticks 40 -o leaky.isotick")
    isotick("record --sim spring --ticks 20 -o old.isotick")
    isotick("export s.isotick -o s.jsonl")
    (folder / "parts").mkdir()
    for part in (1, 2):
        isotick(f"verify s.isotick other.isotick --trials 6 --shard {part}/2 "
                f"--report result:parts/{part}.json")
    shutil.copy(folder / "other.isotick", folder / "other.isotick.pending")
    content = bytearray((folder / "s.isotick").read_bytes())
    (folder / "unfinished.isotick").write_bytes(content[:chunks(content)[2]])
    flip_middle(content)
    (folder / "torn.isotick").write_bytes(content)


def faults_of(counts, options, each, chance, before=()):
    """The faults to try in a command with these counts of calls, by role and kind. `before` counts
    the first ones that are skipped, since another command tries them."""
    for (role, kind), count in sorted(counts.items()):
        if options.role not in (None, role) or options.kind not in (None, kind):
            continue
        tried = min(count, dict(before).get((role, kind), 0))
        for error in FAULTS[kind].split():
            for forever in (False, True)[:1 + error.endswith("*")]:
                step = max(1.0, count / each)
                at = tried + (chance.random() * step if step > 1 else 0.0)
                while at < count:
                    yield Fault(role, kind, error.rstrip("*"), int(at) + 1, forever)
                    at += step


class Driver:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.scratches = threading.local()
        self.problems = defaultdict(list)
        self.runs = Counter()
        self.reached = Counter()  # calls that failed
        self.lock = threading.Lock()
        make_recordings(folder / "recordings")
        # Before it knows its command, and a little less: `version` ends, too.
        version = self.scratch().run(COMMANDS[0])
        self.beginning = {pair: count - count // 50 for pair, count in version.counts.items()}

    def scratch(self):
        if not hasattr(self.scratches, "own"):
            self.scratches.own = Scratch(Path(tempfile.mkdtemp(dir=self.folder)),
                                         self.folder / "recordings")
        return self.scratches.own

    def attempt(self, command, fault, clean):
        scratch = self.scratch()
        run = scratch.run(command, fault)
        wrong = judge(command, fault, run, clean, scratch)
        with self.lock:
            self.runs["all"] += 1
            if run.failed == 0:
                self.runs["unreached"] += 1
            elif not wrong:
                self.runs["unharmed" if run.code == clean.code else "clean"] += 1
            self.reached[command.name, fault.role, fault.kind] += run.failed
            if wrong:
                self.problems[command.name, fault.role, fault.kind, fault.error, wrong,
                              site(run.where)].append((fault, run))

    def check(self, command, pool, every):
        clean = self.scratch().run(command)
        again = self.scratch().run(command)
        if (clean.code, clean.out, clean.files) != (again.code, again.out, again.files):
            raise AssertionError(f"{command.name} is not the same twice: {clean.code} {clean.err}, "
                                 f"{again.code} {again.err}")
        counts = {pair: min(count, again.counts.get(pair, 0))
                  for pair, count in clean.counts.items()}
        chance = random.Random(f"{self.options.seed} {command.name}")
        each = sys.maxsize if every else self.options.each
        begins_alike = command.program == PROGRAM and command.name != "version"
        before = self.beginning if every and begins_alike else {}
        faults = list(faults_of(counts, self.options, each, chance, before))
        most = len(faults) if every else command.most
        faults = chance.sample(faults, min(most, len(faults)))
        list(pool.map(lambda fault: self.attempt(command, fault, clean), faults))
        for fault in faults:
            late = fault.first > counts[fault.role, fault.kind] // 4  # there may be fewer
            if self.reached[command.name, fault.role, fault.kind] == 0 and not late:
                self.problems[command.name, fault.role, fault.kind, "", "is never reached",
                              ""].append((fault, clean))
        return len(faults)


# What must be found in the program that does all of it wrong, and how often.
PLANTED = {("memory", "ends by signal 11"): 2, ("rename", "changes or leaves work/half"): 2,
           ("open", "ends with 0 and another output"): 2,
           ("read", "ends with 0 and another output"): 3,
           ("write", "ends with 0 and another output"): 5}


def check_planted(driver, pool):
    """Fails unless exactly these faults are found in that program; then forgets it."""
    driver.check(Command("careless", "old.isotick out", "out", program=CARELESS), pool, True)
    found = Counter()
    for (_, _, kind, _, wrong, _), runs in driver.problems.items():
        found[kind, wrong] += len(runs)
    for kind in driver.options.kind and [driver.options.kind] or FAULTS:
        planted = {key: count for key, count in PLANTED.items() if key[0] == kind}
        if {key: count for key, count in found.items() if key[0] == kind} != planted:
            raise AssertionError(f"of {planted}, this was found: {found}")
    driver.problems.clear()
    driver.runs.clear()


def site(where):
    """The innermost places of isotick itself in a call's history: addresses in the program."""
    own = [line for line in where.splitlines() if re.search(r"/(isotick|self/exe)\+0x", line)]
    return " ".join(line.split("+")[1] for line in own[:24])


def lines_of(addresses):
    if not addresses or not shutil.which("addr2line"):
        return []
    found = subprocess.run(["addr2line", "-fie", str(PROGRAM), *addresses.split()],
                           capture_output=True, text=True, check=False).stdout
    return [place.removeprefix(f"{PROJECT}/") for place in found.splitlines()
            if place.startswith(f"{PROJECT}/")]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", action="store_true", help="let every call fail")
    parser.add_argument("--each", type=int, default=2, metavar="N",
                        help="draw from N of each kind in each process of a command; default: 2")
    parser.add_argument("--seed", type=int, default=1, help="of the sample; default: 1")
    parser.add_argument("--command", choices=[command.name for command in COMMANDS])
    parser.add_argument("--kind", choices=FAULTS)
    parser.add_argument("--role", choices=ROLES)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def main():
    options = parse_arguments()
    print(f"seed {options.seed}", flush=True)
    commands = [command for command in COMMANDS if options.command in (None, command.name)]
    with tempfile.TemporaryDirectory(prefix="isotick-failing-") as folder:
        driver = Driver(options, Path(folder))
        with ThreadPoolExecutor(options.jobs) as pool:
            if options.role in (None, "main"):
                check_planted(driver, pool)
            for command in commands:
                tried = driver.check(command, pool, options.every)
                print(f"{command.name}: {tried} faults", flush=True)
        return report(driver)


def report(driver):
    for (name, _, _, _, wrong, addresses), found in sorted(driver.problems.items()):
        fault, run = found[0]
        print(f"\n{name} {wrong}\n  {fault}, and {len(found) - 1} more")
        print("  | " + "\n  | ".join(run.err.decode(errors="replace").splitlines()[-3:]))
        print("".join(f"  {place}\n" for place in lines_of(addresses)[:6]), end="")
    runs = driver.runs
    wrong = sum(len(found) for found in driver.problems.values())
    print(f"\n{runs['all']} runs: {runs['unharmed']} did all the same, {runs['clean']} said what "
          f"failed, {wrong} went wrong; in {runs['unreached']} the call did not come")
    return 1 if wrong or runs["unharmed"] + runs["clean"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
