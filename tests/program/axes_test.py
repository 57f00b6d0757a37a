"""Axes besides loop and schedule: named with --vary, drawn with --perturb, given with --drive."""

import os
import platform
import re
import signal
import subprocess
import unittest
from pathlib import Path

from program import ProgramTest, differing, failing_tick, row, some

FAULTY = "--sim ./faulty.so"
ALLOCATING = Path(os.environ.get("ISOTICK_OWN_PROGRAMS", ".")) / "own_allocating"
PLANTED = f"{FAULTY} --environment fault=environ"
HAS_FMA = " fma " in Path("/proc/cpuinfo").read_text(encoding="utf-8")
IS_X86 = platform.machine() == "x86_64"


def counter_is_refused():
    """Whether the processor refuses rdtsc where it is told to: virtual ones may not."""
    look = """import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes([0x0f, 0x31, 0xc3]))  # rdtsc; ret
ctypes.CDLL(None).prctl(26, 2)  # PR_SET_TSC, PR_TSC_SIGSEGV
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
"""
    return IS_X86 and subprocess.run(["python3", "-c", look],
                                     check=False).returncode == -signal.SIGSEGV


COUNTER_IS_REFUSED = counter_is_refused()
AXES = ["rollback", "reload", "restart", "beside", "clock", "random", "heap", "stack", "inputs",
        "host-name", "directory-order", "containers", "locale", "time-zone", "environment-size",
        "descriptors", "addresses", "threads", "timestamp-counter", "cpu", "fpenv", "hitch",
        "working-directory", "environment-bare"]
DRAWN = [name for name in AXES if name != "timestamp-counter" or COUNTER_IS_REFUSED]
CHANCE = {"clock", "random", "timestamp-counter"}
FOUND_BY = {"block-order": "heap", "buckets": "containers", "comma": "locale", "denormal": "fpenv",
            "descriptor": "descriptors", "dice": "random", "entries": "directory-order",
            "environ": "environment-size", "eon": "timestamp-counter",
            "history": "reload", "home": "environment-bare", "leftover": "restart",
            "neighbor": "beside", "kept-input": "inputs", "libm": "cpu", "local": "stack",
            "lustrum": "clock", "machine": "host-name", "relative-file": "working-directory",
            "rounding": "fpenv", "time-zone": "time-zone", "upward": "addresses"}
# Snapshots and other instances take memory, so that blocks come to lie elsewhere, and draw, too;
# sines are rounded.
INSTANCES = ["beside", "reload", "restart", "rollback"]
ALSO_BY = {"block-order": INSTANCES, "dice": INSTANCES, "libm": ["fpenv"],
           "rounding": ["cpu"]}
FOUND_BY_ROLLBACK = {"late-input": "inputs", "missing-member": "inputs",
                     "predicted-leak": "inputs", "stale-cache": "counter", "static": "counter"}


ELSEWHERE = "each instance is a process of its own"
COUNTS_INSTANCES = """import isotick
made = 0
class Counting:
    info = isotick.Info("counting", hash_algorithm="user:sum")
    def __init__(self, setup):
        global made
        made += 1
        self.sum = 0
    def step(self, step):
        self.sum += made
    def hash(self):
        return [self.sum]
isotick.serve(Counting)
"""


def axes_of_trials(report):
    """Which axes the trials varied, and in how many each."""
    return {axis["axis"]: axis["trials"] for axis in report["recordings"][0]["perturbed"]}


class Axes(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "here.txt").touch()
        cls.record("s.isotick", f"{FAULTY} --ticks 60")

    def test_an_environment_that_matters_is_caught_and_shrunk(self):
        run = self.ends(1, f"verify s.isotick {PLANTED} --perturb all --trials 40 --jobs 2 "
                        "--shrink 6000 -v", "\n  when        tick 20;")
        for axis in DRAWN:
            if axis != "fpenv":
                self.assertRegex(row(run.out, "perturbed"), rf"{axis} in \d+")
        shown = re.fullmatch(r"environment-size=(\d+): bytes of padding in the environment of the "
                             "process", row(run.out, "axis"))
        self.assertLessEqual(int(shown[1]), 32768)  # alone enough, whatever else is set here
        self.assertEqual(row(run.out, "why"), f"the size of the environment, which moves the stack "
                         f"(environment-size={shown[1]}); 8 of 8 reruns with it fail, 0 of 8 "
                         "without")
        self.assertIn("an address that is used as a value", row(run.out, "look at"))
        self.assertEqual(row(run.out, "schedule"), "nominal")
        self.assertIn("environment-size=", row(run.out, "shrunk"))
        again = self.shell(row(run.out, "reproduce"))
        self.assertEqual(again.code, 1, again)
        self.assertEqual(row(again.out, "why"), row(run.out, "why"))

    def test_the_clean_twin_is_identical(self):
        run = self.ends(0, f"verify s.isotick {FAULTY} --perturb all --trials 40",
                        "IDENTICAL  40 of 40 trials")
        self.assertIn("environment-size", row(run.out, "varied"))
        self.ends(0, f"verify s.isotick {PLANTED} --trials 40 --perturb none",
                  "IDENTICAL  40 of 40 trials")

    def test_all_leaves_out_what_nearly_every_simulation_depends_on(self):
        rounding = f"{FAULTY} --environment fault=rounding"
        self.record("rounding.isotick", f"{rounding} --ticks 60")
        self.ends(0, f"verify rounding.isotick {rounding} --perturb all,-cpu --trials 60",
                  "IDENTICAL")
        for asked in ("fpenv", "all,-cpu,fpenv"):
            self.ends(1, f"verify rounding.isotick {rounding} --perturb {asked} --trials 60",
                      "DIVERGED")

    def test_axes_are_left_out_by_name(self):
        all_but = self.read_json(0, f"verify s.isotick {FAULTY} --trials 40 "
                                 "--perturb all,-heap,-hitch")
        self.assertEqual(set(axes_of_trials(all_but)), set(DRAWN) - {"heap", "hitch", "fpenv"})
        usual = self.read_json(0, f"verify s.isotick {FAULTY} --trials 4")
        fewer = self.read_json(0, f"verify s.isotick {FAULTY} --trials 4 --perturb default,-clock")
        self.assertEqual(set(axes_of_trials(fewer)), set(axes_of_trials(usual)) - {"clock"})

    def test_axes_that_were_asked_for_are_each_tried_alone(self):
        report = self.read_json(1, f"verify s.isotick {PLANTED} --perturb all --trials 3 "
                                "--shrink none --detect-only --vary environment-size=60000")
        drawn = axes_of_trials(report)
        self.assertEqual({axis for axis, trials in drawn.items() if trials == 0}, set())
        # A setting that fails in each trial that has it hides none of them.
        with_it = [failure["trial"] for failure in report["recordings"][0]["failures"]
                   if "environment-size=60000" in failure["drive"]]
        self.assertEqual(with_it, [1])
        given = self.read_json(0, f"verify s.isotick {FAULTY} --perturb heap,stack "
                               "--schedule 45hz")
        self.assertEqual(axes_of_trials(given), {"heap": 1, "stack": 1})

    @unittest.skipUnless(Path("/usr/share/zoneinfo/Asia/Kathmandu").exists(), "no time zones here")
    def test_a_runtime_that_knows_time_zones_by_name_alone_has_its_own_varied(self):
        planted = f"{FAULTY} --environment fault=zone-name"
        self.record("zone-name.isotick", f"{planted} --ticks 60")
        for seed in 1, 2, 3:
            self.ends(1, f"verify zone-name.isotick {planted} --perturb time-zone --trials 3 "
                      f"--seed {seed}", "\n  when        tick 20; ")

    def test_what_is_a_process_for_each_instance_has_no_others_beside_it(self):
        self.path("counting.py").write_text(COUNTS_INSTANCES, encoding="utf-8")
        modules = Path(__file__).resolve().parents[1] / "process"
        counting = f"--sim 'exec:env PYTHONPATH={modules} python3 counting.py'"
        self.record("counting.isotick", f"{counting} --ticks 30 --inputs none")
        run = self.ends(4, f"verify counting.isotick {counting} --trials 6 "
                        "--perturb restart,beside,heap", "6 of 6 trials identical")
        self.assertEqual(row(run.out, "not varied"), f"restart, beside: {ELSEWHERE}")
        self.assertEqual(row(run.out, "varied"), "heap")

    def test_each_axis_finds_what_no_other_does(self):
        alone = some(FOUND_BY, 2)
        for fault, axis in some(FOUND_BY.items(), 9):
            if (fault == "libm" and not HAS_FMA) or (fault == "eon" and not COUNTER_IS_REFUSED):
                continue  # every processor that could be tried is this one
            with self.subTest(fault=fault):
                planted = f"s-{fault}.isotick {FAULTY} --environment fault={fault}"
                self.record(f"s-{fault}.isotick",
                            f"{FAULTY} --environment fault={fault} --ticks 60")
                others = ",".join(name for name in DRAWN
                                  if name != axis and name not in ALSO_BY.get(fault, ()))
                if fault in alone:
                    self.ends(0, f"verify {planted} --perturb {others} --trials 30", "IDENTICAL")
                chance = axis in CHANCE
                perturb = f"{axis},{others} --trials 60" if fault in alone else \
                    f"{axis} --trials 12"
                run = self.ends(1, f"verify {planted} --perturb {perturb} -v",
                                "NONDETERMINISTIC" if chance else "DIVERGED")
                self.assertEqual(failing_tick(run.out), "tick 20")
                self.assertTrue(row(run.out, "axis").startswith(f"{axis}="), run.out)
                self.assertRegex(row(run.out, "why"),
                                 rf"\({axis}=.*\){', which nothing records' if chance else ''}; "
                                 "8 of 8 reruns with it fail, 0 of 8 without")
                self.assertNotEqual(row(run.out, "look at"), "")
                self.assertIn("counter", row(run.out, "differs in"))
                self.assertEqual(row(run.out, "schedule"), "nominal")

    @unittest.skipIf(COUNTER_IS_REFUSED, "it is refused")
    def test_a_counter_that_cannot_be_refused_is_not_varied(self):
        run = self.ends(0, f"verify s.isotick {FAULTY} --perturb timestamp-counter --trials 3",
                        "IDENTICAL  3 of 3 trials")
        self.assertIn("timestamp-counter: ", row(run.out, "not varied"))

    @unittest.skipUnless(COUNTER_IS_REFUSED, "it cannot be refused here")
    def test_who_reads_the_processors_counter_is_said(self):
        planted = f"{FAULTY} --environment fault=cycles"
        self.record("cycles.isotick", f"{planted} --ticks 60")
        run = self.ends(1, f"verify cycles.isotick {planted} --trials 20", "NONDETERMINISTIC")
        self.assertEqual(failing_tick(run.out), "tick 20")
        self.assertRegex(row(run.out, "why"),
                         "^the processor's timestamp counter, which nothing records: another in "
                         "each run; it calls rdtsc in step of tick 20, called by .*cycles")

    def test_of_several_draws_the_one_that_matters_is_named(self):
        planted = f"{FAULTY} --environment fault=two-draws"
        self.record("draws.isotick", f"{planted} --ticks 60")
        run = self.ends(1, f"verify draws.isotick {planted} --trials 20", "NONDETERMINISTIC")
        self.assertEqual(failing_tick(run.out), "tick 20")
        why = row(run.out, "why")
        self.assertIn("random numbers of the system", why)
        self.assertRegex(why,
                         "it calls getentropy in step of tick 20, called by .*draw_what_counts")
        self.assertNotIn("draw_in_vain", why)

    def test_signals_and_started_programs_work_where_the_counter_is_another(self):
        planted = f"{FAULTY} --environment fault=signals"
        self.record("signals.isotick", f"{planted} --ticks 60")
        self.ends(0, f"verify signals.isotick {planted} --trials 12 "
                  "--perturb timestamp-counter,clock", "IDENTICAL  12 of 12 trials")

    @unittest.skipUnless(ALLOCATING.exists(), "not built here")
    def test_the_heap_stays_that_of_the_allocator_a_program_is_linked_with(self):
        for options in ("--vary 'heap=fill 165 order 7,fill 1'", "--trials 20"):
            run = self.shell(f"{ALLOCATING} verify s.isotick {options}")
            self.assertEqual(run.code, 0, run.out + run.err)
            self.assertIn("IDENTICAL", run.out)

    def test_what_goes_wrong_before_the_snapshot_of_reload_is_the_trials(self):
        for fault, verdict in (("segfault", "CRASHED"), ("hang", "TIMED-OUT")):
            run = self.ends(5, f"replay s.isotick {FAULTY} --environment fault={fault} "
                            "--environment at=10 --vary reload=30 --timeout 1", verdict)
            self.assertIn(" in step of tick 10", row(run.out, "reason"))

    def test_each_change_of_the_processors_words_is_found(self):
        for fault, value in (("rounding", "upward"), ("rounding", "downward"),
                             ("rounding", "toward-zero"), ("denormal", "flush-denormals"),
                             ("x87", "x87-single")):
            with self.subTest(value=value):
                planted = f"{FAULTY} --environment fault={fault}"
                self.record(f"words-{value}.isotick", f"{planted} --ticks 60")
                run = self.ends(1, f"verify words-{value}.isotick {planted} --trials 3 "
                                f"--vary fpenv={value} --perturb none -v",
                                "\n  when        tick 20;")
                self.assertEqual(row(run.out, "axis"), f"fpenv={value}: how the processor rounds "
                                 "when the host calls")

    def test_a_simulation_that_sets_the_words_itself_is_identical(self):
        planted = f"{FAULTY} --environment fault=own-rounding"
        self.record("own-rounding.isotick", f"{planted} --ticks 60")
        run = self.ends(0, f"verify own-rounding.isotick {planted} --trials 30 --perturb fpenv",
                        "IDENTICAL  30 of 30 trials")
        self.assertIn("fpenv", row(run.out, "varied"))

    def test_what_an_axis_adds_to_the_environment_is_not_its_own_fault(self):
        for call, when in (("create", "the initial state"), ("step", "tick 20;")):
            planted = f"variables.isotick {FAULTY} --environment fault=variables --environment " \
                      f"in={call}"
            self.record("variables.isotick", f"{planted[18:]} --ticks 60 --force")
            for varied in ("locale=comma", "time-zone=UTC", "environment-bare=yes"):
                with self.subTest(call=call, varied=varied):
                    run = self.ends(1, f"replay {planted} --vary {varied}",
                                    f"\n  when        {when}")
                    self.assertRegex(row(run.out, "why"), r"^the size of the environment, which "
                                     r"moves the stack \(environment-size=\d+\); 8 of 8 reruns "
                                     "with it fail, 0 of 8 without, 0 of 8 with a placebo; "
                                     f"{varied} changes that as well$")
                    run = self.ends(1, f"verify {planted} --perturb none --vary {varied} "
                                    "--trials 3", f"\n  when        {when}")
                    self.assertIn("(environment-size=", row(run.out, "why"))

    def test_an_axis_is_blamed_where_what_it_brings_along_does_not_matter(self):
        for fault, varied in (("comma", "locale=comma"), ("time-zone", "time-zone=XYZ-5:45"),
                              ("home", "environment-bare=yes")):
            with self.subTest(varied=varied):
                planted = f"own.isotick {FAULTY} --environment fault={fault}"
                self.record("own.isotick", f"{planted[12:]} --ticks 60 --force")
                run = self.ends(1, f"replay {planted} --vary {varied}")
                self.assertIn(f"({varied}); 8 of 8 reruns with it fail, 0 of 8 without",
                              row(run.out, "why"))

    def test_a_variable_that_names_a_locale_is_not_the_decimal_comma(self):
        planted = f"path.isotick {FAULTY} --environment fault=locale-path"
        self.record("path.isotick", f"{planted[13:]} --ticks 60")
        cause = "the variables of the environment that name a locale (locale=point); 8 of 8 " \
                "reruns with it fail, 0 of 8 without"
        for command, more in ((f"replay {planted} --vary locale=point", ""),
                              (f"replay {planted} --vary locale=comma",
                               ", 0 of 8 with a placebo; locale=comma changes that as well"),
                              (f"verify {planted} --vary locale=comma --perturb none --trials 3",
                               "")):
            with self.subTest(command=command):
                self.assertEqual(row(self.ends(1, command).out, "why"), cause + more)

    def test_a_delay_that_the_clock_shows_is_found(self):
        planted = f"{FAULTY} --environment fault=late"
        self.record("late.isotick", f"{planted} --ticks 60")
        report = self.read_json(1, f"verify late.isotick {planted} --trials 3 --vary hitch=20 "
                                "--perturb none --shrink none")["recordings"][0]
        self.assertEqual(report["failures"][0]["explanation"]["provoking_axes"],
                         [{"axis": "hitch", "value": "20"}])
        self.ends(0, f"verify late.isotick {planted} --trials 3 --perturb none", "IDENTICAL")
        self.ends(0, f"verify s.isotick {FAULTY} --trials 3 --vary hitch=20", "IDENTICAL")

    def test_what_a_trial_writes_does_not_depend_on_its_locale(self):
        self.record("reals.isotick", "--sim spring --ticks 30")
        for what in ("--watch body.position", "--print body", "--print body --in-process"):
            usual = self.ends(0, f"replay reals.isotick --until 20 {what}", "")
            comma = self.ends(0, f"replay reals.isotick --until 20 {what} --vary locale=comma", "")
            self.assertRegex(usual.out, r"\d\.\d")
            without_axis = re.sub("(?m)^  axis .*\n", "", comma.out)
            self.assertEqual(usual.out, without_axis)
        planted = f"{FAULTY} --environment fault=comma"
        self.record("comma.isotick", f"{planted} --ticks 60")
        run = self.ends(1, f"replay comma.isotick {planted} --vary locale=comma --in-process",
                        "at tick 20\n")
        self.assertIn("locale=comma", run.out)

    def test_a_process_elsewhere_has_the_same_things_varied_around_it(self):
        serve = f"--sim 'exec:isotick serve {FAULTY}'"
        for fault, value in (("upward", "addresses=upward"), ("home", "environment-bare=yes")):
            with self.subTest(fault=fault):
                planted = f"{serve} --environment fault={fault}"
                self.record(f"served-{fault}.isotick", f"{planted} --ticks 60")
                self.ends(1, f"replay served-{fault}.isotick {planted} --vary {value}",
                          "at tick 20\n")
        run = self.ends(0, f"verify s.isotick {serve} --trials 20 --perturb all", "IDENTICAL")
        there = [reason.split(": ") for reason in row(run.out, "not varied").split("; ")
                 if not reason.startswith("timestamp-counter: ")]
        self.assertEqual({why for _, why in there}, {"its calls go to another process", ELSEWHERE})
        self.assertEqual(", ".join(names for names, _ in there),
                         "restart, beside, stack, inputs, hitch, working-directory")
        says = "--sim 'exec:bash -c \"printf %.1f 0,5 >&2\"; isotick serve ./faulty.so'"
        run = self.shell(f"isotick replay s.isotick {says} --vary locale=comma")
        self.assertIn("0,5", run.err)
        self.assertNotIn("invalid", run.err.rpartition("0,5")[2])

    def test_rollback_finds_what_load_does_not_undo(self):
        for at in 20, 7000:
            self.record(f"by-{at}.isotick", f"{FAULTY} --ticks {at + 40} --inputs random")
            for fault, field in some(FOUND_BY_ROLLBACK.items(), 5 if at == 20 else 1):
                with self.subTest(fault=fault, at=at):
                    planted = (f"by-{at}.isotick {FAULTY} --environment fault={fault} "
                               f"--environment at={at}")
                    self.ends(0, f"verify {planted} --trials 20 --perturb none", "IDENTICAL")
                    self.ends(1, f"verify {planted} --trials 20", "DIVERGED")
                    run = self.ends(1, f"verify {planted} --trials 20 --perturb rollback -v",
                                    "DIVERGED")
                    self.assertRegex(row(run.out, "axis"),
                                     r"^rollback=([12] every [12][^:]*|reloads): ticks")
                    self.assertRegex(row(run.out, "why"), r"\(rollback=.*\); 8 of 8 reruns with it "
                                     "fail, 0 of 8 without$")
                    self.assertRegex(row(run.out, "look at"), "^state that load does not "
                                     "restore|^a member that save leaves out")
                    self.assertEqual(differing(run.out), f"{field} (1 field)")
                    again = self.shell(row(run.out, "reproduce"))
                    self.assertEqual((again.code, row(again.out, "look at")),
                                     (1, row(run.out, "look at")))

    def test_rollback_finds_the_first_load_that_does_not_undo_everything(self):
        for at in 20, 7000:
            self.record(f"at-{at}.isotick", f"{FAULTY} --ticks {at + 40} --inputs random")
            for fault in "missing-member", "stale-cache", "static":
                with self.subTest(fault=fault, at=at):
                    self.ends(1, f"replay at-{at}.isotick {FAULTY} --environment fault={fault} "
                              f"--environment at={at} --rollback 1,1",
                              f"DIVERGED  at tick {at}\n")

    def test_rollback_is_shrunk_to_how_far_and_on_what_inputs(self):
        self.record("r.isotick", f"{FAULTY} --ticks 60 --inputs random")
        run = self.ends(1, f"verify r.isotick {FAULTY} --environment fault=missing-member "
                        "--perturb rollback -v", "\n  when        tick 20;")
        self.assertTrue(row(run.out, "axis").startswith("rollback=1 every 1 right:"), run.out)
        self.assertTrue(row(run.out, "look at").startswith("state that load does not restore"),
                        run.out)
        run = self.ends(1, f"verify r.isotick {FAULTY} --environment fault=predicted-leak "
                        "--perturb rollback -v", "DIVERGED")
        self.assertNotIn("right", row(run.out, "axis"))
        self.assertIn("rollback: ticks are run ahead", row(run.out, "why"))

    def test_rollback_undoes_each_tick(self):
        self.record("all.isotick", f"{FAULTY} --ticks 600 --inputs random")
        run = self.ends(0, f"verify all.isotick {FAULTY} --perturb rollback -v",
                        "IDENTICAL  100 of")
        self.assertRegex(row(run.out, "state loads"),
                         r"^[\d,]+, 1 to 1\d ticks back, \d+% of ticks run again$")
        for how, loads in (("16", r"\d\d, 1 to 16 ticks back, 100%"),
                           ("16,16", "38, 16 ticks back, 101%"),
                           ("8,1", "593, 8 ticks back, 790%"),
                           ("3,50", "13, 3 ticks back, 6%")):
            with self.subTest(rollback=how):
                run = self.ends(0, f"replay all.isotick {FAULTY} --rollback {how} -v", "IDENTICAL")
                self.assertRegex(row(run.out, "state loads"), rf"^{loads} of ticks run again$")
                self.assertIn("600 hashes in", row(run.out, "compared"))
        run = self.ends(0, f"verify all.isotick {FAULTY} --rollback 8,2 --trials 3 --perturb none",
                        "IDENTICAL  3 of 3")
        self.assertTrue("rollback=8 every 2: " in row(run.out, "varied"), run.out)

    def test_no_snapshots_no_rollback(self):
        plain = "--sim ./tanks_plain.so"
        self.record("tanks.isotick", f"{plain} --ticks 60 --inputs random")
        run = self.ends(0, f"verify tanks.isotick {plain} --trials 20", "IDENTICAL")
        self.assertIn("the simulation takes no snapshots", row(run.out, "not varied"))
        self.refuses(f"verify tanks.isotick {plain} --rollback 8",
                     "takes no snapshots (save and load)")

    def test_a_nominal_replay_that_fails_is_tried_with_other_values(self):
        for fault, value, variables in (
                ("libm", "cpu=no-fma", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2"),
                ("time-zone", "time-zone=XYZ-5:45", "TZ=XYZ-5:45"),
                ("heap", "heap=fill 165", "MALLOC_PERTURB_=90")):
            if fault == "libm" and not HAS_FMA:
                continue
            with self.subTest(fault=fault):
                planted = f"{FAULTY} --environment fault={fault}"
                made = self.shell(f"{variables} isotick record -o elsewhere-{fault}.isotick "
                                  f"{planted} --ticks 60")
                self.assertEqual(made.code, 0, made)
                run = self.ends(1, f"verify elsewhere-{fault}.isotick {planted} --trials 10 -v",
                                "NONDETERMINISTIC")
                self.assertIn(f"in a fresh process with {value} was identical",
                              row(run.out, "reason"))
                self.ends(0, f"replay elsewhere-{fault}.isotick {planted} "
                          f"--drive 'accumulator | nominal | {value}'", "IDENTICAL")

    def test_a_simulation_that_hears_of_no_frames_is_perturbed_in_all_trials(self):
        self.record("chunks.isotick", "--sim ./chunks.so --ticks 60 --inputs random")
        verify = "verify chunks.isotick --sim ./chunks.so --trials 40"
        run = self.ends(0, f"{verify} --perturb none",
                        "IDENTICAL  13 of 13 trials identical\n")
        self.assertIn("no frame time reaches the simulation; --perturb all, --vary, ",
                      row(run.out, "try"))
        run = self.ends(0, verify, "IDENTICAL  40 of 40 trials")
        self.assertIn("no frame time reaches the simulation; --vary, ", row(run.out, "try"))

    def test_what_the_user_tells_glibc_stays(self):
        run = self.shell(f"GLIBC_TUNABLES=glibc.malloc.tcache_count=3 isotick replay s.isotick "
                         f"{FAULTY} --environment fault=print-tunables --drive 'accumulator | "
                         "nominal | cpu=no-fma'")
        self.assertIn("GLIBC_TUNABLES=glibc.malloc.tcache_count=3:glibc.cpu.hwcaps=",
                      run.out + run.err)

    def test_a_value_that_is_named_is_tried_first(self):
        report = self.read_json(1, f"verify s.isotick {PLANTED} --vary environment-size=100,40000 "
                                   "--shrink none")["recordings"][0]
        first = report["failures"][0]
        self.assertEqual((first["trial"], first["drive"]),
                         (2, "accumulator | nominal | environment-size=40000"))
        self.assertEqual(first["explanation"]["provoking_axes"],
                         [{"axis": "environment-size", "value": "40000"}])
        again = self.ends(1, f"replay s.isotick {PLANTED} --drive '{first['drive']}'",
                          "DIVERGED  at tick 20\n")
        self.assertEqual(differing(again.out), "counter (1 field)")

    def test_a_line_drives_a_replay(self):
        line = "accumulator | 40x16.667ms, 101.4ms | environment.fault=silent | heap=fill 9"
        report = self.read_json(0, f"replay s.isotick {FAULTY} --drive '{line}'")
        self.assertEqual(report["drive"], line)
        self.assertEqual(report["schedule"], "40x16.667ms, 101.4ms")

    def test_a_line_names_captures(self):
        (self.folder / "run.csv").write_text("MsBetweenPresents\n" + "16.7\n" * 30,
                                             encoding="utf-8")
        line = 'accumulator | capture("run.csv")'
        report = self.read_json(0, f"replay s.isotick {FAULTY} --drive '{line}'")
        self.assertEqual(report["drive"], line)

    def test_a_recording_sets_no_environment(self):
        note = "accumulator | nominal | environment.fault=abort"
        self.record("hostile.isotick", f"{FAULTY} --ticks 60 --note 'isotick.repro={note}'")
        run = self.ends(4, f"verify hostile.isotick {FAULTY} --trials 5", "INCONCLUSIVE")
        self.assertEqual(row(run.out, "reason"), "the recording's isotick.repro cannot be read: a "
                         "file must not set environment.fault; if you trust it, pass --vary "
                         "environment.fault=abort")
        note = "accumulator | nominal | heap=fill 3"
        self.record("friendly.isotick", f"{FAULTY} --ticks 60 --note 'isotick.repro={note}'")
        run = self.ends(0, f"verify friendly.isotick {FAULTY} --trials 5 -v", "IDENTICAL")
        self.assertEqual(row(run.out, "repro"), f"{note}: the recording's own, as trial 1")

    def test_mistakes_are_refused(self):
        self.refuses(f"verify s.isotick {FAULTY} --perturb heat",
                     "expected none, or a list of default, all and, once each, " + ", ".join(AXES))
        self.refuses(f"verify s.isotick {FAULTY} --perturb heap,heap", "names heap twice")
        self.refuses(f"verify s.isotick {FAULTY} --perturb heap,-cpu", "does not draw cpu anyway")
        self.refuses(f"verify s.isotick {FAULTY} --perturb all,-fpenv",
                     "does not draw fpenv anyway")
        self.refuses(f"verify s.isotick {FAULTY} --perturb heap,all", "all must come first")
        self.refuses(f"verify s.isotick {FAULTY} --vary 'heap=fill 1,fill 300'", "up to 255")
        for value in "0", "257", "8 every 0", "8 seed", "8 right right", "eight":
            self.refuses(f"verify s.isotick {FAULTY} --vary 'rollback={value}'", "ticks to go back")
        self.refuses(f"replay s.isotick {FAULTY} --in-process --vary time-zone=UTC0",
                     "before a process starts")
        self.refuses(f"replay s.isotick {FAULTY} --drive accumulator", "a schedule")
        self.refuses(f"replay s.isotick {FAULTY} --drive 'accumulator | 60hz' --schedule 60hz",
                     "--schedule excludes --drive")


if __name__ == "__main__":
    unittest.main()
