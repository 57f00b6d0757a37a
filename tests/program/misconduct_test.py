"""Whatever a simulation does to its process: nobody else is hurt, and nothing is left running.

All of this runs in a PID namespace of its own, since a mistake of isotick would kill whatever it
can.
"""

import os
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program import LONG, ProgramTest, row, some

INSIDE = "ISOTICK_TEST_IS_INSIDE"
NUMBERS = (0, 1, 2, -1, -2, 3, 6, 15, 1 << 30, -(1 << 31), (1 << 31) - 1)
SEEDS = 160 if LONG else 16
SERVED = "'exec:isotick serve --sim ./faulty.so'"


def namespace():
    """What starts a command in a PID namespace; None where that is forbidden here."""
    for rights in ([], ["--user", "--map-root-user"]):
        words = ["unshare", *rights, "--pid", "--mount", "--fork", "--mount-proc", "--kill-child"]
        try:
            if subprocess.run([*words, "true"], check=False, capture_output=True).returncode == 0:
                return words
        except OSError:
            break
    return None


def processes():
    """The processes that run, but for those that are just ending."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, state = (folder / "stat").read_text().rsplit(")", 1)
        except OSError:
            continue
        if state.split()[0] not in "ZX":
            found[int(folder.name)] = name
    return found


class Contained(ProgramTest):
    """Its tests leave no process, and the bystander alone."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim ./faulty.so --ticks 60")
        cls.folder.chmod(0o755)
        cls.bystander = subprocess.Popen(["sleep", "10000"], start_new_session=True)
        cls.addClassCleanup(cls.bystander.kill)
        cls.before = processes()

    def tearDown(self):
        self.assertIsNone(self.bystander.poll(), "the bystander was signaled")
        left = {}
        for _ in range(50):
            left = {pid: name for pid, name in processes().items() if pid not in self.before}
            if not left:
                break
            time.sleep(0.1)
        self.assertEqual(left, {})

    @staticmethod
    def command(fault, call="step", what="replay s.isotick", sim="./faulty.so", **settings):
        settings = {"fault": fault, "in": call, **settings}
        return f"{what} --sim {sim} " + " ".join(
            f"--environment {key}={value}" for key, value in settings.items() if value != "")


class SharedMemory(Contained):
    def test_decides_neither_who_is_signaled_nor_what_is_read(self):
        """Hostile numbers and random bytes in the shared page, and then several ends of a trial."""
        numbers = [*NUMBERS, self.bystander.pid, -self.bystander.pid]
        runs = [(f"page+{end}", str(number)) for number in numbers for end in ("wait", "abort")]
        ends = ("", "+abort", "+quick-exit", "+wait")
        runs += [(f"page{ends[seed % 4]}", f"seed:{seed}") for seed in range(SEEDS)]
        runs += [("page+quick-exit", str(number)) for number in numbers]

        def run(one):
            fault, number = one
            timeout = 0.4 if "wait" in fault else 10
            return one, self.isotick(self.command(fault, **{"with": number})
                                     + f" --timeout {timeout}")

        with ThreadPoolExecutor(4) as pool:
            for (fault, number), done in pool.map(run, runs):
                codes = {0, 5} if fault == "page" else {5}
                if number.startswith("seed:"):
                    codes.add(1)  # two runs of such bytes may end differently
                self.assertIn(done.code, codes, (fault, number, done))

    def test_that_is_cut_or_grown_ends_the_trial_at_most(self):
        for fault in some(("truncate", "grow+quick-exit", "truncate+abort", "grow",
                           "truncate+grow"), 2):
            for what in ("replay s.isotick", "verify s.isotick --trials 4"):
                for call in ("step", "destroy"):
                    run = self.isotick(self.command(fault, call, what))
                    self.assertIn(run.code, (0, 5), (fault, what, run))


class Processes(Contained):
    def test_that_are_left_end_with_their_trial(self):
        for sim in ("./faulty.so", SERVED):
            for fault in some(("daemons+wait", "daemons", "child", "daemons+abort"), 1):
                for what in ("replay s.isotick", "verify s.isotick --trials 4"):
                    run = self.isotick(self.command(fault, what=what, sim=sim) + " --timeout 1.5")
                    self.assertIn(run.code, (0, 5), run)
                    self.tearDown()

    def test_that_are_left_are_noted(self):
        for fault, count in (("daemons", "72 processes"), ("child", "1 process")):
            run = self.ends(0, self.command(fault), "IDENTICAL")
            self.assertEqual(row(run.out, "note"), f"after the last hash, it left {count} running")

    def test_whose_parent_is_stopped_time_out_in_the_call_that_did_it(self):
        for call, place in (("step", "in step of tick 20"), ("render", "in render after tick 20"),
                            ("destroy", "in destroy after tick 59")):
            run = self.ends(5, self.command("stop-parent", call) + " --timeout 1", "TIMED-OUT")
            self.assertEqual(row(run.out, "reason"), "no progress for 1000 ms (its parent process "
                             f"was stopped) {place}")
        self.ends(5, self.command("stop-parent+wait", sim=SERVED) + " --timeout 1", "TIMED-OUT")
        self.ends(5, self.command("stop-parent", what="verify s.isotick --trials 4")
                  + " --timeout 1", "TIMED-OUT")

    def test_that_stop_themselves_time_out(self):
        for sim in ("./faulty.so", SERVED):
            run = self.ends(5, self.command("stop", sim=sim) + " --timeout 1", "TIMED-OUT")
            self.assertIn("no progress for 1000 ms in step of tick 20", row(run.out, "reason"))

    def test_of_a_recording_end_with_it(self):
        for fault in ("daemons", "stop-parent"):
            self.isotick(self.command(fault, what="record --force --ticks 60 -o r.isotick")
                         + " --timeout 1")

    def test_that_isotick_leaves_when_it_is_killed_end(self):
        environment = {**os.environ, "PATH": f"{os.environ['PATH']}"}
        for fault in ("daemons+wait", "stop-parent+wait"):
            words = ["sh", "-c", "exec isotick " + self.command(fault)]
            run = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL,
                                   env={**environment, "PATH": self.search_path()})
            for _ in range(100):
                if len(processes()) > len(self.before) + 3:
                    break
                time.sleep(0.1)
            time.sleep(0.5)
            run.kill()
            run.wait()
            self.tearDown()

    @staticmethod
    def search_path():
        return f"{Path(os.environ['ISOTICK_PROGRAM']).parent}:{os.environ['PATH']}"


@unittest.skipIf("ISOTICK_WITHOUT_MEMORY_LIMIT" in os.environ, "sanitizers take their own")
class MemoryLimit(Contained):
    def test_counts_what_is_shared(self):
        for sim in some(("./faulty.so", SERVED), 1):
            for fault in ("files", "shared-memory"):
                run = self.ends(5, self.command(fault, sim=sim) + " --memory-limit 600", "CRASHED")
                self.assertRegex(row(run.out, "reason"), "^had [0-9]+ MiB of shared memory and "
                                 "files in memory, more than --memory-limit allows, in step of")

    def test_leaves_alone_what_is_below_it(self):
        self.ends(0, self.command("silent") + " --memory-limit 600", "IDENTICAL")


# What it does in destroy, what a process is said to have done, what a plug-in is.
CRASHES = {
    "abort": ("its process was killed by signal 6 (Aborted)", "killed by signal 6"),
    "segfault": ("its process was killed by signal 11 (Segmentation fault)", "killed by signal 11"),
    "stack": ("its process was killed by signal 11 (Segmentation fault)", "killed by signal 11"),
    "kill": ("its process was killed by signal 9 (Killed)", "killed by signal 9"),
    "throw": ("its process was killed by signal 6 (Aborted)", "killed by signal 6"),
    "throw-int": ("its process was killed by signal 6 (Aborted)", "killed by signal 6"),
    "double-free": ("its process was killed by signal 6 (Aborted)", "killed by signal 6"),
    "corrupt-heap": ("its process was killed by signal ", "killed by signal "),
    "quick-exit": ("", "exit code 0"),
    "exit": ("", "exit code 0"),
    "close-all": ("", "closed file descriptors that isotick needs"),
    "wait": ("its process was still there 2 s after the end of its stdin", "no progress"),
    "hang": ("its process was still there 2 s after the end of its stdin", "no progress"),
    "stop": ("its process was still there 2 s after the end of its stdin", "no progress"),
}
SIGNALS = (1, 2, 3, 4, 5, 7, 8, 10, 12, 13, 14, 15, 24, 31)
LEFT = {"child": "it left 1 process running", "daemons": "it left 72 processes running",
        "thread": "it left threads running"}


class Destroying(Contained):
    def noted(self, what, **how):
        """IDENTICAL, with a note; the same in JSON; and no pass with --strict."""
        run = self.ends(0, self.command(call="destroy", **how), "IDENTICAL")
        self.assertTrue(row(run.out, "note").startswith(f"after the last hash, {what}"), run.out)
        found = self.read_json(0, self.command(call="destroy", **how))
        self.assertTrue(found["bad_end"].startswith(what), found["bad_end"])

    def test_is_the_end_of_a_process_and_noted(self):
        for fault, (what, _) in some(CRASHES.items(), 4):
            if what:
                with self.subTest(fault):
                    self.noted(what, fault=fault, sim=SERVED)

    def test_is_noted_with_each_signal(self):
        for number in some(SIGNALS, 2):
            with self.subTest(number):
                command = self.command("signal", "destroy", sim=SERVED, **{"with": number})
                run = self.ends(0, command)
                self.assertIn(f"after the last hash, its process was killed by signal {number} (",
                              row(run.out, "note"))

    def test_is_a_crash_where_it_ends_the_trial(self):
        for fault, (_, reason) in some(CRASHES.items(), 4):
            with self.subTest(fault):
                run = self.ends(5, self.command(fault, "destroy") + " --timeout 1.5")
                self.assertIn(reason, row(run.out, "reason"))
                self.assertIn("in destroy after tick 59", row(run.out, "reason"))

    def test_leaves_nothing_running_without_a_note(self):
        for fault, what in LEFT.items():
            with self.subTest(fault):
                self.noted(what, fault=fault)

    def test_does_not_pass_strictly(self):
        for sim, fault in ((SERVED, "abort"), ("./faulty.so", "thread"), ("./faulty.so", "child")):
            command = self.command(fault, "destroy", "verify s.isotick --trials 4", sim)
            run = self.ends(0, command, "IDENTICAL")
            self.assertIn("after the last hash, it", row(run.out, "note"))
            found = self.read_json(0, command)["recordings"][0]
            self.assertIn("it", found["bad_end"])
            run = self.ends(1, f"{command} --strict", "IDENTICAL")
            self.assertIn("after the last hash, it", row(run.out, "strict"))

    def test_that_does_nothing_wrong_is_not_noted(self):
        for sim in ("./faulty.so", SERVED):
            for fault in ("silent", "say"):
                run = self.ends(0, self.command(fault, "destroy", sim=sim), "IDENTICAL")
                self.assertNotIn("  note ", run.out)
                self.assertIsNone(self.read_json(0, self.command(fault, "destroy", sim=sim))
                                  ["bad_end"])
                self.ends(0, self.command(fault, "destroy", "verify s.isotick --trials 4 --strict "
                                          "--audit none", sim), "IDENTICAL")


@unittest.skipUnless(os.geteuid() == 0, "the limit of processes takes another user, and root")
class ShortOfProcesses(Contained):
    USER = 431_277

    def limited(self, most, command):
        """Runs `isotick` as a user who may have no more processes than this.

        The user may read every folder, as this checkout may be in one that is only root's. The
        cleanup process ends after isotick, and counts until this process, its parent, waits.
        """
        for _ in range(100):
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
            if not processes().keys() - self.before.keys():
                break
            time.sleep(0.1)
        isotick = Path(os.environ.get("ISOTICK_PROGRAM"))
        reads_all = "--inh-caps +dac_read_search --ambient-caps +dac_read_search"
        return self.shell(f"exec prlimit --nproc={most} setpriv --reuid {self.USER} "
                          f"--clear-groups {reads_all} {isotick} {command}")

    def test_a_limit_is_never_the_fault_of_the_simulation(self):
        codes = set()
        for what in ("replay s.isotick", "verify s.isotick --trials 4 --jobs 2"):
            for most in some(range(1, 14), 7):
                run = self.limited(most, self.command("", what=what))
                codes.add(run.code)
                if run.code != 0:
                    self.assertEqual(run.code, 3, (most, run))
                    self.assertIn("(ulimit -u allows more)", run.out + run.err, (most, run))
        self.assertEqual(codes, {0, 3})


if __name__ == "__main__":
    if INSIDE in os.environ:
        unittest.main()
    WORDS = namespace()
    if WORDS is None:
        print("skipped: no PID namespace can be made here")
        sys.exit(0)
    sys.exit(subprocess.run([*WORDS, sys.executable, *sys.argv], check=False,
                            env={**os.environ, INSIDE: "1"}).returncode)
