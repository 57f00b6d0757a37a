"""isotick bisect commits where builds fail, or are of another day: what is believed, and what the
user is told."""

import unittest

from history import COMPILE, BisectTest, long_form, revision

SIM = "--sim '{out}/game.so'"


class FailingBuilds(BisectTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build("good")
        cls.record("s.isotick", "--sim ./good.so --ticks 100 --inputs random")
        cls.repo = cls.history("repo", 12)

    @classmethod
    def history(cls, name, count, broken=()):
        """Commit 7 changes the game; those `broken` do not compile."""
        repository = cls.repository(name)
        for number in range(1, count + 1):
            files = revision(number, **({"HURTS_FROM": 40} if number >= 7 else {}))
            if number in broken:
                files["rules.h"] = "nonsense\n" + files["rules.h"]  # the same error in each
            repository.commit(files)
        return repository.write()

    def script(self, name, text):
        path = self.path(name)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def bisect(self, code, build, work, says="", repo="repo", more="--good HEAD~11"):
        return self.ends(code, f"bisect commits s.isotick --repo {repo} --build \"{build}\" {SIM} "
                               f"--work {work} {more}", says)

    def test_failures_of_a_mended_script_are_forgotten(self):
        script = self.script("mended.sh", "exit 1")
        build = f"{script} {{src}} {{out}}"
        self.bisect(2, build, "mended.work", "does not build")
        self.script("mended.sh", f"{COMPILE} -I$1 $1/game.c -o $2/game.so")
        run = self.bisect(0, build, "mended.work")
        self.assertIn(f"{self.repo.hashes[7][:10]} is the first bad commit", run.out)

    @long_form
    def test_failures_are_tried_again_by_the_same_command(self):
        missing = self.path("missing")
        build = f"test -e {missing} && {self.how}"
        self.bisect(2, build, "missing.work", "does not build")
        missing.mkdir()  # which no digest of a file shows
        self.bisect(0, build, "missing.work", "is the first bad commit")

    def test_builds_of_a_changed_script_are_made_again(self):
        fixed = self.path("fixed")
        fixed.mkdir()
        (fixed / "rules.h").write_text("#define HURTS_FROM 40\n")
        script = self.script("stale.sh", f"{COMPILE} -I{fixed} $1/game.c -o $2/game.so")
        build = f"sh {script} {{src}} {{out}}"
        # With the rules of another place every revision is bad.
        self.bisect(2, build, "stale.work", "is bad: it diverges at tick 40")
        self.script("stale.sh", f"{COMPILE} -I$1 $1/game.c -o $2/game.so")
        run = self.bisect(0, build, "stale.work")
        self.assertIn(f"{self.repo.hashes[7][:10]} is the first bad commit", run.out)

    def test_says_what_it_reuses_and_rebuilds_on_demand(self):
        run = self.bisect(0, self.how, "reused.work")
        self.assertNotIn("--rebuild", run.out)
        builds = run.out.partition("  builds      ")[2].partition("\n")[0]
        run = self.bisect(0, self.how, "reused.work")
        self.assertIn(f"  builds      0, and {builds} reused (--rebuild builds them again)\n",
                      run.out)
        run = self.bisect(0, self.how, "reused.work", more="--good HEAD~11 --rebuild")
        self.assertIn(f"  builds      {builds}\n", run.out)

    @long_form
    def test_a_script_that_changes_while_it_runs_is_believed_by_nobody(self):
        script = self.path("changing.sh")
        build = f"sh {script} {{src}} {{out}}"
        compiles = f"{COMPILE} -I$1 $1/game.c -o $2/game.so"
        self.script("changing.sh", f"echo >> $0; {compiles}")
        self.bisect(0, build, "changing.work", "is the first bad commit")
        changed = script.read_text()
        run = self.bisect(0, build, "changing.work", "is the first bad commit")
        self.assertNotEqual(script.read_text(), changed)
        self.assertNotIn("--rebuild", run.out)

    def test_shows_the_first_error_of_each(self):
        self.history("broken", 12, broken=(5, 9))
        run = self.bisect(0, self.how, "broken.work", repo="broken")
        lines = [line for line in run.err.splitlines() if "does not build" in line]
        self.assertTrue(lines, run.err)
        for line in lines:
            self.assertRegex(line, r"exit code 1: \{src\}/rules\.h:\d+:\d+: error: ")
        self.assertRegex(run.out, r"does not build +built +the build ended .*rules\.h:.*error: ")

    def test_a_command_that_cannot_build_ends_the_search_at_once(self):
        for name, good in (("given", "--good HEAD~11"), ("sought", "")):
            count = self.path(name)
            run = self.bisect(2, f"echo >> {count}; nosuch {{src}}", "wrong.work", more=good,
                              says="does not build: the build ended its process with exit code 127")
            self.assertRegex(run.err, "(?m)^isotick: error: .*nosuch: not found")
            self.assertEqual(count.read_text(), "\n")

    def test_says_that_three_failed_for_one_reason(self):
        for name, broken, says in (("stretch", range(4, 10), 1), ("two", (6, 9), 0)):
            self.history(name, 12, broken)
            run = self.isotick(f"bisect commits s.isotick --repo {name} --good HEAD~11 "
                               f"--build \"{self.how}\" {SIM} --work {name}.work")
            self.assertIn(run.code, (0, 4))
            self.assertEqual(run.err.count("the third build that failed for this reason"), says,
                             run.err)


if __name__ == "__main__":
    unittest.main()
