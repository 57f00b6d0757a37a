"""What the machine runs out of is named, and so is what a simulation says when it cannot start."""

import ctypes
import os
import platform
import shlex
import struct
import subprocess
import unittest
from pathlib import Path

from program import PLUGINS, PROGRAM, ProgramTest, row

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_GET_TSC = 22, 38, 25
# Numbers of system calls.
PERSONALITY, PRCTL = {"x86_64": (135, 157), "aarch64": (92, 167)}.get(platform.machine(), (0, 0))
CAN_MOUNT = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/tmp"], check=False,
                           stderr=subprocess.DEVNULL).returncode == 0
FULL = "mount -t tmpfs -o size=16k none {0}; head -c 16384 /dev/zero >{0}/full"
READ_ONLY = "mount -t tmpfs -o ro none {0}"


def alone_with_mounts():
    """What is mounted from now on, others do not see."""
    new_namespace = 0x20000
    if ctypes.CDLL(None, use_errno=True).unshare(new_namespace) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def forbid(call, first_argument=None):
    """Of this process and those that it starts, that system call fails from now on."""
    def instruction(code, jump, to_next, value):
        return struct.pack("HBBI", code, jump, to_next, value)

    load, equal, end, allow, refuse = 0x20, 0x15, 0x06, 0x7fff0000, 0x00050001
    program = [instruction(load, 0, 0, 0), instruction(equal, 0, 3, call)]
    if first_argument is None:
        program[1] = instruction(equal, 0, 1, call)
    else:
        program += [instruction(load, 0, 0, 16), instruction(equal, 0, 1, first_argument)]
    program = b"".join([*program, instruction(end, 0, 0, refuse), instruction(end, 0, 0, allow)])
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(program, len(program))
    filters = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
            libc.prctl(PR_SET_SECCOMP, 2, filters, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


# UndefinedBehaviorSanitizer needs a pipe to tell whether memory can be read.
@unittest.skipIf("ISOTICK_WITHOUT_MEMORY_LIMIT" in os.environ, "sanitizers take their own")
class FileDescriptors(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim spring --ticks 30")

    def runs_out(self, options):
        """With every limit that may be too low, the reason is the limit."""
        codes = set()
        for most in range(5, 28):
            run = self.shell(f"ulimit -n {most}; isotick verify s.isotick --trials 2 {options}")
            codes.add(run.code)
            if run.code != 0:
                self.assertEqual(run.code, 3, (most, run))
                self.assertIn("Too many open files", run.err, most)
        self.assertEqual(codes, {0, 3})

    def test_that_run_out_are_the_reason(self):
        self.runs_out("--jobs 2")

    def test_that_run_out_are_the_reason_with_processes_too(self):
        self.runs_out("--jobs 1 --sim 'exec:isotick serve --sim spring'")


class Starts(ProgramTest):
    def test_that_fail_come_with_what_was_printed(self):
        for command in ("echo why >&2; exit 3", "echo why >&2; kill -9 $$"):
            run = self.isotick(f"record -o x.isotick --sim {shlex.quote(f'exec:{command}')}")
            self.assertIn("the simulation printed:\n  | why\n", run.err)
            self.assertFalse(self.path("x.isotick").exists())

    def test_of_a_simulation_with_a_sanitizer_are_not_short_of_memory(self):
        program = Path(os.environ["ISOTICK_OWN_PROGRAMS"]) / "own_sanitized"
        run = self.shell(f"{program} record -o s.isotick --inputs none --ticks 10")
        self.assertEqual(run.code, 0, run.err)


class AxesThatCannotBeSetUp(ProgramTest):
    """They are not varied, with the reason; no verdict changes, and nothing is left behind."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim ./faulty.so --ticks 60")
        cls.path("none").mkdir()

    def check(self, axis, why, before=None, here=""):
        """`here`: shell commands that make the machine such a one."""
        own = set(self.folder.rglob("*"))
        for perturb in (axis, "all"):
            command = f"isotick verify s.isotick --sim {PLUGINS}/libisotick_faulty.so " \
                      f"--trials 12 --perturb {perturb}"
            run = self.start(["sh", "-c", f"{here or ':'}; {command}"], before=before)
            self.assertEqual(run.code, 0, run)
            # `all` names so many axes that each is tried alone once, which takes more trials.
            self.assertRegex(run.out, r"\nIDENTICAL  (12|2\d) of \1 trials")
            self.assertIn(f"{axis}: {why}", row(run.out, "not varied"))
        self.assertEqual(set(self.folder.rglob("*")), own)

    def test_locale(self):
        for place, why in (("none/none", "No such file or directory"),
                           ("s.isotick", "Not a directory")):
            place = self.path(place)
            self.check("locale", f"no locale can be made in {place}: {why}",
                       here=f"export TMPDIR={place}")

    @unittest.skipUnless(CAN_MOUNT, "nothing can be mounted here")
    def test_locale_where_the_disk_is_full_or_read_only(self):
        for mount, why in ((FULL, "cannot be written: No space left on device"),
                           (READ_ONLY, "Read-only file system")):
            places = [(self.path("none"), f"export TMPDIR={self.path('none')}")]
            if not PROGRAM.is_relative_to("/tmp"):
                places.append(("/tmp", "unset TMPDIR"))
            for place, setting in places:
                self.check("locale", f"no locale can be made in {place}: {why}", alone_with_mounts,
                           f"mount --make-rprivate /; {mount.format(place)}; {setting}")

    def test_descriptors(self):
        self.check("descriptors", "fewer than 512 files may be open (ulimit -n)",
                   here="ulimit -n 256")

    def test_environment_size(self):
        self.check("environment-size", "the system takes no larger environment (ulimit -s)",
                   here="ulimit -s 256; export LARGE=$(head -c 115000 /dev/zero | tr '\\0' x)")

    @unittest.skipUnless(PERSONALITY, "system calls have other numbers here")
    def test_addresses(self):
        self.check("addresses", "the system does not permit it", lambda: forbid(PERSONALITY))

    @unittest.skipUnless(platform.machine() == "x86_64", "no such counter")
    def test_timestamp_counter(self):
        self.check("timestamp-counter", "the system does not permit it",
                   lambda: forbid(PRCTL, PR_GET_TSC))


if __name__ == "__main__":
    unittest.main()
