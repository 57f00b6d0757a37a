"""Runs fuzzers that were built, several at a time, and says what they came to: for scripts/fuzz."""

import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Inputs are this many bytes long at most: texts are short, so that many fit a second.
LONGEST = {"recording": 4096, "recording_pairs": 4096, "session_text": 2048, "captures": 2048,
           "worker_messages": 2048, "protocol_client": 2048, "protocol_server": 2048}
LONGEST_OF_OTHERS = 256

# What costs more, however short the input, is a finding.
LIMITS = ["-timeout=10", "-rss_limit_mb=512", "-malloc_limit_mb=256"]

# For speed: plain choice of inputs, little kept of what was freed, and by whom.
SPEED = ["-entropic=0"]
SANITIZERS = {"ASAN_OPTIONS": "quarantine_size_mb=8:malloc_context_size=0",
              "UBSAN_OPTIONS": "print_stacktrace=1"}

# How much longer an input takes than those of most: with --runs, so many fewer are tried.
COST = {"peers": 5}


class Fuzzer:
    """One target: where its program, its inputs and its findings are. All builds share those."""

    def __init__(self, project, build, name):
        self.name = name
        self.program = project / "build" / build / "tests/fuzz" / f"fuzz_{name}"
        self.corpus = project / "tests/fuzz/corpus" / name
        self.dictionary = project / "tests/fuzz/dictionaries" / f"{name}.dict"
        self.found = project / "build/fuzz/found" / name
        self.findings = project / "build/fuzz/findings"

    def command(self, seed, limit, scratch):
        # Sorted: the order in which a folder lists its files would change what a seed tries.
        corpus = ",".join(map(str, sorted(self.corpus.glob("*"))))
        seeds = Path(scratch) / f"{self.name}.seeds"
        seeds.write_text(corpus, encoding="utf-8")
        dictionary = [f"-dict={self.dictionary}"] if self.dictionary.exists() else []
        # At fixed addresses: the fuzzer builds inputs from values that the target compares, and
        # some of those are addresses.
        return ["setarch", "-R", str(self.program), f"-seed={seed}", limit,
                *LIMITS, *SPEED, *dictionary,
                f"-max_len={LONGEST.get(self.name, LONGEST_OF_OTHERS)}",
                f"-artifact_prefix={self.findings}/{self.name}-", "-print_final_stats=1",
                "-reload=0", *([f"-seed_inputs=@{seeds}"] if corpus else []), str(self.found)]

    def run(self, seed, limit, scratch):
        """The row to print, executions, CPU seconds, and the text of a finding, if any."""
        self.found.mkdir(parents=True, exist_ok=True)
        self.findings.mkdir(parents=True, exist_ok=True)
        log = self.findings / f"{self.name}.log"
        environment = dict(os.environ, TMPDIR=scratch, **SANITIZERS)
        with open(log, "w", encoding="utf-8", errors="replace") as out:
            process = subprocess.Popen(self.command(seed, limit, scratch), stdout=out, stderr=out,
                                       stdin=subprocess.DEVNULL, env=environment)
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        text = log.read_text(encoding="utf-8", errors="replace")
        executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
        executions = int(executed.group(1)) if executed else 0
        seconds = used.ru_utime + used.ru_stime
        row = (f"{self.name:<16} seed {seed:>10} {executions:>12,} executions "
               f"{seconds:>9,.1f} CPU s")
        return row, executions, seconds, self.finding(text) if process.returncode else ""

    def finding(self, text):
        written = re.search(r"Test unit written to (\S+)", text)
        if not written:
            return f"{self.name} failed; see {self.findings}/{self.name}.log"
        shown = shlex.join([str(self.program), *LIMITS, written.group(1)])
        return f"{self.name} found {written.group(1)}; to see it again:\n  {shown}"


def arguments_of(project):
    parser = argparse.ArgumentParser(prog="fuzz")
    parser.add_argument("--build", default="fuzz")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--seconds", type=int, default=60)
    limit.add_argument("--runs", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int)
    parser.add_argument("targets", nargs="*")
    arguments = parser.parse_args(sys.argv[2:])
    all_targets = sorted(path.stem for path in (project / "tests/fuzz/targets").glob("*.cpp"))
    unknown = [name for name in arguments.targets if name not in all_targets]
    if unknown:
        parser.error(f"no such target: {unknown[0]}; there are {', '.join(all_targets)}")
    arguments.targets = arguments.targets or all_targets
    return arguments


def main():
    project = Path(sys.argv[1])
    arguments = arguments_of(project)

    def limit_of(name):
        if arguments.runs is None:
            return f"-max_total_time={arguments.seconds}"
        return f"-runs={arguments.runs // COST.get(name, 1)}"

    seed = arguments.seed or random.randrange(1, 1 << 31)
    executions, seconds, findings = 0, 0.0, []
    printing = threading.Lock()

    def run(name, scratch):
        nonlocal executions, seconds
        row, executed, used, finding = Fuzzer(project, arguments.build, name).run(
            seed, limit_of(name), scratch)
        with printing:
            print(row + ("  FINDING" if finding else ""), flush=True)
            executions += executed
            seconds += used
            findings.extend([finding] if finding else [])

    # In memory, where there is such a folder: some targets write a file for each input.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory, prefix="isotick-fuzz-") as scratch:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(lambda name: run(name, scratch), arguments.targets))
    print(f"{len(arguments.targets)} targets: {executions:,} executions, "
          f"{seconds / 3600:,.2f} CPU hours, {len(findings)} findings")
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
