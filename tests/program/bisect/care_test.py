"""isotick bisect commits where something is wrong: a clear message, and nothing of the user's runs
or changes."""

import os
import shutil
import subprocess
import time
import unittest

from history import BUILD, QUIET, BisectTest, revision

SIM = "--sim '{out}/game.so'"


class Care(BisectTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build("good")
        cls.record("s.isotick", "--sim ./good.so --ticks 100 --inputs random")
        cls.repo = cls.repository("repo")
        for number in range(1, 13):
            cls.repo.commit(revision(number, **({"HURTS_FROM": 40} if number >= 7 else {})))
        cls.repo.write()

    def bisect(self, code, says, good=1, bad=12, repo="repo", build=BUILD, more="",
               recording="s.isotick", sim=SIM):
        good, bad = (self.repo.hashes.get(each, each) for each in (good, bad))
        return self.ends(code, f"bisect commits {recording} --repo {repo} --good {good} "
                               f"--bad {bad} --build \"{build}\" {sim} --work care.work "
                               f"{more}", says)

    def test_ends_that_are_not_what_they_are_said_to_be(self):
        self.bisect(2, "the good end", good=12, bad=1)
        self.bisect(2, "is good: it comes to the recorded hashes", bad=3)
        self.bisect(2, "is bad: it diverges at tick 40", good=8)
        self.bisect(2, "both ends are the same commit", good=12)
        self.bisect(2, "--good v9: there is no such commit in repo", good="v9")
        self.bisect(2, "--bad --help", bad="--help")
        self.bisect(2, "is good: it comes to the recorded hashes as far as was looked",
                    more="--expect 'tick 3'")

    def test_repositories_that_are_none_or_incomplete(self):
        self.path("plain").mkdir()
        self.bisect(2, "is no git repository", repo="plain")
        self.bisect(2, "nowhere: is no git repository", repo="nowhere")
        subprocess.run(["git", "clone", "-q", "--depth", "3", f"file://{self.repo.folder}",
                        str(self.path("shallow"))], env=QUIET, check=True)
        self.bisect(2, "is a shallow clone", repo="shallow")

    def test_partial_clones_are_refused_until_they_are_complete(self):
        for kind in ("blob:none", "tree:0"):
            name = kind.replace(":", "-")
            clone = self.path(name)
            subprocess.run(["git", "clone", "-q", "-u",
                            "git -c uploadpack.allowFilter=true upload-pack", "--filter", kind,
                            f"file://{self.repo.folder}", str(clone)], env=QUIET, check=True)
            for good in (f"--good {self.repo.hashes[1]}", ""):
                run = self.refuses(f"bisect commits s.isotick --repo {name} {good} --build "
                                   f"\"{BUILD}\" {SIM} --work partial.work",
                                   f"{name}: is a partial clone, which lacks ")
                self.assertIn("git fetch --refetch --no-filter", run.err)
            subprocess.run(["git", "fetch", "-q", "--refetch", "--no-filter"], cwd=clone,
                           env=QUIET, check=True)
            self.bisect(0, "is the first bad commit", repo=name)

    def test_git_fetches_nothing(self):
        clone = self.path("fetches")
        marker = self.path("fetched")
        subprocess.run(["git", "clone", "-q", "-u",
                        "git -c uploadpack.allowFilter=true upload-pack", "--filter", "blob:none",
                        f"file://{self.repo.folder}", str(clone)], env=QUIET, check=True)
        subprocess.run(["git", "config", "remote.origin.uploadpack", f"touch {marker}; false"],
                       cwd=clone, env=QUIET, check=True)
        old = self.path("old")  # a git that does not know GIT_NO_LAZY_FETCH
        old.mkdir()
        (old / "git").write_text(f"#!/bin/sh\nunset GIT_NO_LAZY_FETCH\n"
                                 f"exec {shutil.which('git')} \"$@\"\n")
        (old / "git").chmod(0o755)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{old}:{path}"
        try:
            self.bisect(2, "there is no such commit", bad="1" * 40, repo="fetches")
            self.assertFalse(marker.exists())
            self.bisect(2, "is a partial clone", repo="fetches")
            self.assertFalse(marker.exists())
        finally:
            os.environ["PATH"] = path

    def test_subjects_reach_no_log_raw(self):
        evil = self.repository("evil")
        for number in range(1, 9):
            evil.commit(revision(number, **({"HURTS_FROM": 40} if number >= 5 else {})),
                        message=f"\x1b[2J\u202e{number}")
        evil.write()
        log = self.path(self.commits(evil)["regressions"][0]["log"])
        content = log.read_text(encoding="utf-8")
        self.assertNotIn("\x1b", content)
        self.assertNotIn("\u202e", content)
        self.assertIn("\\u001b[2J\\u202e5", content)
        evil.git("bisect", "replay", str(log))

    def test_a_work_tree_in_disorder_takes_no_part(self):
        (self.repo.folder / "rules.h").write_text("nonsense")
        (self.repo.folder / "new.txt").write_text("new")
        try:
            run = self.bisect(0, "1 file in the work tree look changed")
            self.assertIn(f"{self.repo.hashes[7][:10]} is the first bad commit", run.out)
        finally:
            self.repo.git("checkout", "-q", "rules.h")
            (self.repo.folder / "new.txt").unlink()

    def test_builds_that_never_end(self):
        began = time.monotonic()
        self.bisect(2, "does not build: the build took longer than 1 s",
                    build="sleep 60 & sleep 60", more="--build-timeout 1")
        self.bisect(2, "does not build: the build printed more than 64 MiB", build="yes")
        self.assertLess(time.monotonic() - began, 30)

    def test_builds_that_take_all_memory(self):
        eat = "python3 -c 'print(len(bytes(1 << 31)))'"
        self.bisect(2, "does not build", build=eat, more="--build-memory 256")
        log = self.bisect(2, "does not build", build=eat,
                          more="--build-memory 256").err.rpartition("log: ")[2].rstrip(")\n")
        self.assertIn("MemoryError", self.path(log).read_text())

    def test_recordings_and_simulations_that_do_not_fit(self):
        self.record("spring.isotick", "--sim spring --ticks 10")
        self.bisect(2, "the recording is of 'spring'", recording="spring.isotick")
        self.bisect(3, "none.isotick", recording="none.isotick")
        self.bisect(2, "has neither {out} nor {src}", sim="--sim ./good.so")
        self.bisect(2, "does not load", sim="--sim '{out}/none.so'")
        torn = bytearray(self.content("s.isotick"))
        torn[len(torn) * 2 // 5] ^= 1
        self.path("torn.isotick").write_bytes(torn)
        self.bisect(3, "damaged at byte", recording="torn.isotick")

    def test_options_that_make_no_sense(self):
        self.bisect(2, "--overlay none: is no folder", more="--overlay none")
        self.bisect(2, "--glue-from and --glue need each other", more="--glue-from main")
        self.bisect(2, "--work", more="", recording="s.isotick", sim=f"{SIM} --work s.isotick/x")

    def test_one_work_folder_for_one_bisection(self):
        self.path("held").mkdir()
        with subprocess.Popen(["flock", str(self.path("held/lock")), "sleep", "30"]) as holder:
            try:
                for _ in range(100):
                    if self.path("held/lock").exists():
                        break
                    time.sleep(0.05)
                time.sleep(0.2)
                run = self.isotick(f"bisect commits s.isotick --repo repo --good "
                                   f"{self.repo.hashes[1]} --build true {SIM} --work held")
                self.assertEqual(run.code, 2)
                self.assertIn("another bisection works in this folder", run.err)
            finally:
                holder.kill()

    def test_nothing_of_the_users_runs(self):
        hostile = self.repository("hostile")
        marker = self.path("ran")
        trap = f"#!/bin/sh\ntouch {marker}\n"
        for number in range(1, 9):
            files = revision(number, **({"HURTS_FROM": 40} if number >= 5 else {}))
            files[".gitattributes"] = "* filter=trap diff=trap text\n"
            files[".gitmodules"] = ("[submodule \"x\"]\n\tpath = x\n\turl = ../repo\n"
                                    f"\tupdate = !touch {marker}\n")
            hostile.commit(files)
        hostile.write()
        for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"):
            path = hostile.folder / ".git/hooks" / hook
            path.parent.mkdir(exist_ok=True)
            path.write_text(trap)
            path.chmod(0o755)
        for key, value in (("filter.trap.smudge", f"touch {marker}; cat"),
                           ("filter.trap.clean", f"touch {marker}; cat"),
                           ("diff.trap.textconv", f"touch {marker}; cat"),
                           ("core.fsmonitor", f"touch {marker}"),
                           ("core.pager", f"touch {marker}"),
                           ("core.sshCommand", f"touch {marker}"),
                           ("alias.log", f"!touch {marker}")):
            hostile.git("config", key, value)
        template = self.path("template/hooks")
        template.mkdir(parents=True)
        (template / "reference-transaction").write_text(trap)
        (template / "reference-transaction").chmod(0o755)
        self.path(".gitconfig").write_text(f"[init]\n\ttemplateDir = {self.path('template')}\n"
                                           f"[core]\n\thooksPath = {template}\n")
        (hostile.folder / "rules.h").write_text("changed")
        home, os.environ["HOME"] = os.environ["HOME"], str(self.folder)
        try:
            said = self.commits(hostile)
        finally:
            os.environ["HOME"] = home
        self.assertEqual(self.found(hostile, said), [(5, 40, ["units[*].health"])])
        self.assertFalse(marker.exists())

    def test_users_own_bisection_and_stash_stay(self):
        own = self.repository("own")
        for number in range(1, 9):
            own.commit(revision(number, **({"HURTS_FROM": 40} if number >= 5 else {})))
        own.write()
        own.git("config", "user.email", "a@b.c")
        own.git("config", "user.name", "a")
        (own.folder / "notes.txt").write_text("stashed")
        own.git("stash", "-q")
        own.git("bisect", "start", "main", own.hashes[1])
        (own.folder / "notes.txt").write_text("changed")
        said = self.commits(own)  # which compares the whole folder
        self.assertEqual(self.found(own, said), [(5, 40, ["units[*].health"])])

    def test_links_in_a_tree_lead_an_overlay_nowhere(self):
        linked = self.repository("linked")
        self.path("outside").mkdir()
        (self.path("outside") / "rules.h").write_text("mine")
        for number in range(1, 4):
            files = revision(number)
            files["rules.h"] = ("120000", str(self.path("outside") / "rules.h"))
            linked.commit(files)
        linked.write()
        self.path("cover").mkdir()
        (self.path("cover") / "rules.h").write_text("")
        self.ends(2, f"bisect commits s.isotick --repo linked --good {linked.hashes[1]} --build "
                     f"\"{BUILD}\" {SIM} --work linked.work --overlay cover", "is good")
        self.assertEqual((self.path("outside") / "rules.h").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
