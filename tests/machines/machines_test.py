"""A run in parts on a real Slurm and with GNU parallel: killed parts run again, then merge reports.

The commands are those of harness/TESTING.md. Needs slurmctld, slurmd and parallel (Debian's names).
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "program"))

from program import PROGRAM, PROJECT, TIME_LIMIT, ProgramTest  # noqa: E402
from slurm_cluster import Cluster, descendants, missing_programs, wait_until  # noqa: E402

PAGE = (PROJECT / "harness/TESTING.md").read_text(encoding="utf-8")
JOB = PROJECT / "harness/slurm/verify.sbatch"
INSTALLED_JOB = "/usr/local/share/isotick/slurm/verify.sbatch"
RECORDINGS = "recordings/*.isotick"
KILLED = "3"  # the part that is killed
REPORTS = ("txt", "md", "json")
SKIPPED = 77  # as ctest has it
# Another program of that name is in moreutils.
IS_GNU_PARALLEL = shutil.which("parallel") and "GNU" in subprocess.run(
    ["parallel", "--version"], capture_output=True, text=True, check=False).stdout
# Runs the command here, in the home folder and with a SHELL, as sshd does. It stands after the host
# and `--`. Without SHELL, parallel starts nothing and ends with 0.
SSH = """#!/bin/bash
while [ "$1" != -- ]; do shift; done
export SHELL=/bin/bash
cd "$HOME" && shift && eval "$*"
"""


def documented(program):
    """The command of TESTING.md that starts `program`, for this copy of the job and few trials."""
    command = re.search(rf"(?m)^    ({program} (?:.*\\\n)*.*)$", PAGE)[1]
    assert RECORDINGS in command, command
    return command.replace(INSTALLED_JOB, str(JOB)).replace(RECORDINGS, f"{RECORDINGS} --trials 8")


def file_or_nothing(path):
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


class Machines(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path("recordings").mkdir()
        # What fails is of part 3, which is killed, and of part 2, which is requeued.
        for name, simulation, seeds in (("time", "control:frame-time", (2,)),
                                        ("drawing", "control:render-random", (1, 3)),
                                        ("fine", "spring", range(33))):
            for seed in seeds:
                cls.record(f"recordings/{name}-{seed}.isotick",
                           f"--sim {simulation} --ticks {100 + seed} --seed {seed + 1}")
        os.environ["PARALLEL_HOME"] = str(cls.folder)
        os.environ["PATH"] = f"{PROGRAM.parent}:{os.environ['PATH']}"
        cls.whole = cls.shell(f"isotick verify {RECORDINGS} --trials 8 --report whole")

    def setUp(self):
        shutil.rmtree(self.path("results"), ignore_errors=True)
        self.path("results").mkdir()

    def result(self, part):
        return self.path(f"results/{part}.json")

    def merges_to_the_report_of_one_run(self):
        self.assertIn("3 of 36 recordings fail, for 2 reasons", self.whole.out)
        merged = self.isotick("merge results --report merged")
        self.assertEqual((merged.code, merged.out), (self.whole.code, self.whole.out))
        for end in REPORTS:
            self.assertEqual(self.content(f"merged/report.{end}"),
                             self.content(f"whole/report.{end}"), end)

    def begin(self, command, environment=None):
        begun = subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=self.folder,
                                 env=environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(begun.stdout.close)
        self.addCleanup(begun.kill)
        return begun

    def wait_for_work(self, variable):
        """The pid of the isotick with this variable of its surroundings, once it runs trials."""
        def working():
            found = {pid: name for pid, name in descendants().items()
                     if f"{variable}\0".encode() in file_or_nothing(f"/proc/{pid}/environ")}
            with_workers = len(found) > 3
            return with_workers and min(pid for pid, name in found.items() if name == "isotick")
        return wait_until(working, f"{variable} verifies", TIME_LIMIT)  # once a processor is free

    @unittest.skipIf(missing_programs(), f"not here: {', '.join(missing_programs())}")
    def test_tasks_of_slurm_that_were_killed_are_requeued(self):
        try:
            cluster = Cluster(self.path("slurm"))
        except OSError as failed:
            self.skipTest(f"Slurm does not start here: {failed}")
        self.addCleanup(cluster.stop)

        def slurm(*command):
            ran = cluster.run(*command)
            self.assertEqual(ran.returncode, 0, ran)
            return ran.stdout

        def state(task):
            shown = slurm("scontrol", "show", "job", task)
            return re.search(r"JobState=(\w+)", shown)[1], re.search(r"Restarts=(\d+)", shown)[1]

        self.result(KILLED).write_text("yesterday's")
        array = self.begin(documented("sbatch"), cluster.environment)
        job = re.fullmatch(r"Submitted batch job (\d+)\n", array.stdout.readline())[1]
        killed, requeued = f"{job}_{KILLED}", f"{job}_2"
        self.wait_for_work(f"SLURM_ARRAY_TASK_ID={KILLED}")
        slurm("scancel", "--batch", "--signal=KILL", killed)
        self.wait_for_work("SLURM_ARRAY_TASK_ID=2")
        slurm("scontrol", "requeue", requeued)
        wait_until(lambda: state(killed)[0] == "FAILED", "the killed task has failed")
        for part in (KILLED, 2):
            self.assertFalse(self.result(part).exists(), f"part {part} was not killed in time")
        slurm("scontrol", "requeue", killed)
        self.assertEqual(array.wait(TIME_LIMIT), 1)
        for task in (killed, requeued):
            self.assertEqual(state(task), ("FAILED", "1"))  # as it diverges
        self.merges_to_the_report_of_one_run()
        self.assertEqual(cluster.stop(), {}, "left by the daemons")

    def job_log(self):
        return [line.split("\t") for line in self.path("results/log").read_text().splitlines()[1:]]

    def exit_codes(self):
        """The last ones in the job log, by part: code and signal."""
        return {row[0]: (int(row[6]), int(row[7])) for row in self.job_log()}

    @unittest.skipUnless(IS_GNU_PARALLEL, "GNU parallel is not here")
    def test_a_part_of_parallel_that_was_killed_is_resumed(self):
        first = self.begin(documented("parallel"))
        os.kill(self.wait_for_work(f"PARALLEL_SEQ={KILLED}"), signal.SIGKILL)
        first.wait(TIME_LIMIT)
        self.assertFalse(self.result(KILLED).exists())
        codes = self.exit_codes()
        self.assertEqual(codes[KILLED], (0, 9), codes)
        failed = [part for part, code in codes.items() if code != (0, 0)]
        self.assertEqual(first.returncode, len(failed))

        again = self.begin(documented("parallel"))
        out, _ = again.communicate(timeout=TIME_LIMIT)
        self.assertEqual(sorted(re.findall(r"shard (\d)/4", out)), sorted(failed))
        self.assertEqual(self.exit_codes()[KILLED], (1, 0))
        self.merges_to_the_report_of_one_run()

    @unittest.skipUnless(IS_GNU_PARALLEL, "GNU parallel is not here")
    def test_parts_run_over_ssh(self):
        options = re.search(r"`(--sshlogin .*)` runs the parts over ssh", PAGE)[1]
        command = documented("parallel").replace("parallel", f"parallel {options}", 1)
        ssh = self.path("ssh")
        ssh.write_text(SSH, encoding="utf-8")
        ssh.chmod(0o755)
        for parts, says in (("recordings/fine-1*.isotick", "11 recordings"),
                            ("recordings/fine-1.isotick --shard-trials", "8 of 8 trials")):
            with self.subTest(parts):
                run = self.shell(command.replace(RECORDINGS, parts),
                                 more={"HOME": str(self.folder), "PARALLEL_SSH": str(ssh)})
                self.assertEqual(run.code, 0, run)
                self.assertEqual({row[1] for row in self.job_log()}, {"a", "b"})
                self.ends(0, "merge results", says)
                self.setUp()


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    for _, why in outcome.skipped:
        print(why)
    sys.exit(1 if not outcome.wasSuccessful() else SKIPPED if outcome.skipped else 0)
