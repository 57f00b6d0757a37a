"""verify --cache: a verdict of an earlier run stands as long as nothing has changed, and no longer.
"""

import json
import os
import shutil
import subprocess
import unittest

from program import PROGRAM, ProgramTest

KEPT = "nothing has changed since this was verified"
NEW_PROC = ["unshare", "--map-root-user", "--mount-proc", "--pid", "--fork"]


class Cache(ProgramTest):
    def setUp(self):
        self.verify = f"verify --trials 3 --audit none --cache {self.id()}"
        self.environment = {}

    def recorded(self, config="", name=None):
        name = name or f"{self.id().rsplit('.', 1)[1]}.isotick"
        self.ends(0, f"record --force -o {name} --sim ./reading.so --inputs none "
                  f"--ticks 30 {config}",
                  more=self.environment)
        return name

    def runs(self, recording, options="", code=0):
        """It is not taken from the cache."""
        run = self.ends(code, f"{self.verify} {recording} --sim ./reading.so {options}",
                        more=self.environment)
        self.assertNotIn(KEPT, run.out)
        return run

    def is_kept(self, recording, options=""):
        run = self.ends(0, f"{self.verify} {recording} --sim ./reading.so {options}",
                        more=self.environment)
        self.assertIn(KEPT, run.out)
        return run

    def entries(self):
        return sorted(self.path(self.id()).glob("*/*.json"))

    def test_nothing_has_changed(self):
        recording = self.recorded()
        self.verify = f"verify --trials 30 --perturb all --cache {self.id()}"
        fresh = self.runs(recording)
        kept = self.is_kept(recording)
        self.assertEqual(kept.out.replace(f"  cache       {KEPT}\n", ""), fresh.out)
        self.assertEqual(self.is_kept(recording).out, kept.out)
        documents = [json.loads(self.isotick(f"{self.verify} {recording} --sim ./reading.so "
                                             f"--json {more}").out) for more in ("--no-cache", "")]
        self.assertEqual([one["recordings"][0].pop("from_cache") for one in documents],
                         [False, True])
        self.assertEqual(*documents)

    def test_what_the_simulation_reads_has_changed(self):
        data = self.path("data")
        data.mkdir()
        rules = data / "rules.txt"

        def write(text):
            rules.write_text(text, encoding="utf-8")

        changes = {
            "file": (f"file={rules}", lambda: write("walk"), lambda: write("run")),
            "relative": ("file=data/rules.txt", lambda: write("walk"), lambda: write("run")),
            "checked": (f"checked={rules}", lambda: write("walk"), lambda: write("run")),
            "absent": (f"file={rules}", lambda: rules.unlink(missing_ok=True),
                       lambda: write("run")),
            "exists": (f"exists={rules}", lambda: rules.unlink(missing_ok=True),
                       lambda: write("run")),
            "folder": (f"folder={data}", lambda: rules.unlink(missing_ok=True),
                       lambda: write("run")),
            "variable": ("variable=GAME_MODE", lambda: self.environment.pop("GAME_MODE", None),
                         lambda: self.environment.update(GAME_MODE="hard")),
        }
        for name, (config, restore, change) in changes.items():
            with self.subTest(name):
                restore()
                recording = self.recorded(f"--config {config}", f"{name}.isotick")
                self.wait_until_old(data, rules)
                self.runs(recording)
                self.is_kept(recording)
                change()
                self.runs(recording, code=1)
                self.runs(recording, code=1)  # what failed is not kept
                restore()
                self.is_kept(recording)

    def test_another_working_directory_has_other_files(self):
        (self.path("mode.txt")).write_text("walk", encoding="utf-8")
        recording = self.recorded("--config file=mode.txt", "mode.isotick")
        command = f"isotick verify --trials 3 --audit none --cache {self.path(self.id())} " \
                  f"{self.path(recording)} --sim {self.path('reading.so')}"
        folder = self.path("elsewhere")
        folder.mkdir()
        (folder / "mode.txt").write_text("run", encoding="utf-8")
        self.wait_until_old(self.path("mode.txt"))
        for kept in (False, True):
            run = self.shell(command)
            self.assertEqual((run.code, KEPT in run.out), (0, kept), run)
        self.assertEqual(self.shell(f"cd elsewhere; {command}").code, 1)

    def test_the_name_of_the_machine_is_read(self):
        recording = self.recorded("--config host=yes")
        self.runs(recording)
        entry, = self.entries()
        self.assertIn("/proc/sys/kernel/hostname", entry.read_text(encoding="utf-8"))

    @unittest.skipUnless(subprocess.run([*NEW_PROC, "true"], capture_output=True,
                                        check=False).returncode == 0, "no namespaces here")
    def test_the_name_of_the_machine_is_not_new_because_proc_is(self):
        recording = self.recorded("--config host=yes")
        run = self.shell(f"{' '.join(NEW_PROC)} isotick {self.verify} {recording} "
                         "--sim ./reading.so")
        self.assertEqual((run.code, len(self.entries())), (0, 1), run)

    def test_what_only_some_trials_read_has_changed(self):
        patch = self.path("patch.txt")
        recording = self.recorded(f"--config loads={patch}")
        self.runs(recording, "--perturb rollback")
        self.is_kept(recording, "--perturb rollback")
        patch.write_text("new", encoding="utf-8")
        self.runs(recording, "--perturb rollback")

    def wait_until_old(self, *paths):
        """What was changed just before a run is not relied on: see VerdictCache."""
        for path in paths:
            if path.exists():
                long_ago = 1_600_000_000
                os.utime(path, (long_ago, long_ago))
        before = os.stat(self.folder).st_ctime_ns
        marker = self.path("marker")
        while True:
            marker.touch()
            if marker.stat().st_ctime_ns > before + 30_000_000:
                return
            os.utime(marker)

    def test_what_a_run_is_made_of_has_changed(self):
        recording = self.recorded()
        self.runs(recording)
        self.is_kept(recording)
        for options in ("--most-frames 5000", "--seed 7", "--perturb none", "--strict",
                        "--environment a=b", "--cache-key 2", "--verbose", "--schedule 16ms"):
            with self.subTest(options):
                self.runs(recording, options)
                self.assertIn(KEPT, self.is_kept(recording, options).out)
        self.is_kept(recording)
        self.is_kept(recording, "--jobs 1")
        self.is_kept(recording, "--quiet")
        shutil.copy(self.path(recording), self.path("copy.isotick"))
        self.runs("copy.isotick")
        self.recorded("--seed 9")
        self.runs(recording)
        self.is_kept(recording)

    def test_a_file_of_the_options_has_changed(self):
        recording = self.recorded()
        times = self.path("times.csv")
        times.write_text("16ms\n17ms\n16ms\n", encoding="utf-8")
        options = "--schedule 'capture(\"times.csv\")'"
        self.runs(recording, options)
        self.is_kept(recording, options)
        times.write_text("16ms\n18ms\n16ms\n", encoding="utf-8")
        self.runs(recording, options)

    def test_the_simulation_was_built_again(self):
        plugin = self.path("own.so")
        shutil.copy(self.path("reading.so"), plugin)
        recording = self.recorded()
        self.wait_until_old(plugin)
        command = f"{self.verify} {recording} --sim ./own.so"
        self.ends(0, command)
        self.ends(0, command, KEPT)
        listed = json.loads(self.entries()[0].read_text(encoding="utf-8").split("\n", 1)[1])
        names = [os.path.normpath(one["name"]) for one in listed["dependencies"]]
        self.assertIn(str(plugin), names)
        self.assertTrue(any("libc.so" in name for name in names), names)
        with plugin.open("ab") as file:
            file.write(b"\0")
        self.assertNotIn(KEPT, self.ends(0, command).out)

    def test_what_changes_during_the_run_is_not_kept(self):
        plugin = self.path("young.so")
        recording = self.recorded()
        command = f"{self.verify} {recording} --sim ./young.so"
        # A file is as old as its last change; the clock is ahead here, as on another machine.
        shutil.copy(self.path("reading.so"), plugin)
        later = 4_000_000_000
        os.utime(plugin, (later, later))
        run = self.ends(0, command, "young.so was changed meanwhile")
        self.assertNotIn(KEPT, run.out)
        self.assertEqual(self.entries(), [])

    def test_a_damaged_verdict_is_none(self):
        recording = self.recorded()
        self.runs(recording)
        entry, = self.entries()
        whole = entry.read_bytes()
        step = max(1, len(whole) // 8)
        for place in range(0, len(whole), step):
            for damaged in (whole[:place],
                            whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:]):
                entry.write_bytes(damaged)
                run = self.ends(0, f"{self.verify} {recording} --sim ./reading.so")
                self.assertNotIn(KEPT, run.out, f"byte {place}")
        self.is_kept(recording)

    def test_a_verdict_in_another_ones_place_is_none(self):
        first, second = self.recorded(), self.recorded("--seed 2", "second.isotick")
        self.runs(first)
        entry, = self.entries()
        self.runs(second)
        other, = [one for one in self.entries() if one != entry]
        shutil.copy(entry, other)
        self.runs(second)

    def test_only_what_was_identical_is_kept(self):
        self.path("rules").write_text("1", encoding="utf-8")
        recording = self.recorded("--config file=rules")
        self.path("rules").write_text("2", encoding="utf-8")
        self.runs(recording, code=1)
        self.runs("missing.isotick", code=3)
        self.assertEqual(self.entries(), [])

    def test_runs_may_share_it(self):
        names = [self.recorded(f"--seed {seed}", f"shared-{seed}.isotick") for seed in range(4)]
        command = [str(PROGRAM), *f"{self.verify} {' '.join(names)} --sim ./reading.so".split()]
        runs = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                                 env={**os.environ, "LC_ALL": "C"})
                for _ in range(3)]
        for run in runs:
            out, _ = run.communicate(timeout=100)
            self.assertEqual(run.returncode, 0, out)
        kept = self.ends(0, " ".join(command[1:]))
        self.assertTrue(kept.out.endswith("4 recordings, 4 from the cache\n"), kept.out)

    def test_runs_of_which_every_one_is_another_are_not_kept(self):
        recording = self.recorded()
        for options, why in (("--seed random", "with --seed random each run has other trials"),
                             ("--for 200ms", "with --for each run has other trials")):
            run = self.runs(recording, options)
            self.assertIn(why, run.err)
        self.assertEqual(self.entries(), [])

    def test_a_process_takes_a_key(self):
        sim = f"--sim 'exec:{self.path('reading.so')}'"
        run = self.isotick(f"{self.verify} {self.recorded()} {sim}")
        self.assertIn("what a process reads is not seen; name it with --cache-key", run.err)

    def test_what_cannot_be_told_takes_a_key(self):
        recording = self.recorded("--config exists=/proc/self/maps")
        run = self.runs(recording)
        self.assertIn("a verdict is not kept in the cache: the simulation reads /proc/self/maps",
                      run.err)
        self.runs(recording)
        self.runs(recording, "--cache-key maps")
        self.is_kept(recording, "--cache-key maps")

    def test_the_environment_may_name_it(self):
        recording = self.recorded()
        command = f"verify --trials 3 --audit none {recording} --sim ./reading.so"
        self.environment["ISOTICK_CACHE"] = str(self.path(self.id()))
        self.ends(0, command, more=self.environment)
        self.ends(0, command, KEPT, more=self.environment)
        run = self.ends(0, command + " --no-cache", more=self.environment)
        self.assertNotIn(KEPT, run.out)

    def test_a_place_that_is_no_folder_is_an_error(self):
        recording = self.recorded()
        self.ends(3, f"verify {recording} --sim ./reading.so --cache {recording}/x", recording)


if __name__ == "__main__":
    unittest.main()
