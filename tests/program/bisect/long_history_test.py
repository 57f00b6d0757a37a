"""isotick bisect commits over long histories with everything that happens to real ones."""

import random
import signal
import subprocess
import time
import unittest

from history import BUILD, PROGRAM, BisectTest, long_form, revision, some

COUNT = 300


class LongHistories(BisectTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build("good")
        cls.record("s.isotick", "--sim ./good.so --ticks 100 --inputs random")
        cls.overlay = cls.path("overlay")
        cls.overlay.mkdir()
        (cls.overlay / "game.c").write_text(revision(0)["game.c"])

    def history(self, seed, hurts, pushes):
        """Two regressions among unbuildable commits, merges, reverts, a nondeterministic stretch,
        another layout of the state, and a half for which the glue is no file but a folder."""
        chance = random.Random(seed)
        repository = self.repository(f"long{seed}")
        flaky = range(120, 132)
        broken = {n for n in range(4, COUNT) if chance.random() < 0.08 and
                  not {n, n + 1} & {hurts, pushes}} - {hurts, pushes, hurts - 1, pushes - 1, COUNT}
        tip, number = None, 0

        def rules_of(n):
            return {**({"HURTS_FROM": 60} if n >= hurts else {}),
                    **({"PUSHES_FROM": 30} if n >= pushes else {}),
                    **({"HAS_MOODS": 1} if n >= 150 else {}),
                    **({"HAS_WEATHER": 1} if n >= 220 else {}),
                    **({"FLAKY_FROM": 10} if n in flaky else {})}

        def add(n, parents=None, **more):
            files = revision(n, **{**rules_of(n), **more})
            files.pop("game.c")
            if n in broken:
                files["rules.h"] = "#error"
            return repository.commit(files, parents=parents, message=f"step {n}")

        while number < COUNT:
            number += 1
            if number % 40 == 20 and number + 6 < COUNT and not {hurts, pushes} & \
                    set(range(number, number + 8)):
                side = tip  # a branch of three beside the line, and a merge
                for _ in range(3):
                    side = add(number, parents=[side])
                    number += 1
                tip = add(number, parents=[add(number, parents=[tip]), side])
            else:
                tip = add(number, parents=[tip] if tip else [])
            self.steps.setdefault(number, tip)
        return repository.write()

    def test_names_both_regressions_of_each(self):
        for seed, hurts, pushes in some(((1, 88, 251), (2, 171, 204), (3, 30, 97)), 1):
            with self.subTest(seed=seed):
                self.steps = {}
                repository = self.history(seed, hurts, pushes)
                said = self.commits(repository, more="--overlay overlay")
                self.assertEqual(self.found(repository, said),
                                 [(self.steps[pushes], 30, ["units[*].x"]),
                                  (self.steps[hurts], 60, ["units[*].health"])])
                self.assertEqual([one["found"][0]["subject"] for one in said["regressions"]],
                                 [f"step {pushes}", f"step {hurts}"])

    def test_a_clean_history_is_silent(self):
        self.steps = {}
        repository = self.history(4, COUNT + 1, COUNT + 1)
        wrong = self.commits(repository, more="--overlay overlay", code=2)
        self.assertIn("is good: it comes to the recorded hashes", wrong)

    @long_form
    def test_several_builds_at_a_time_come_to_the_same(self):
        repository = self.repository("jobs")
        for number in range(1, 65):
            repository.commit(revision(number, **({"HURTS_FROM": 40} if number >= 23 else {})))
        repository.write()
        said = self.commits(repository, more="--jobs 4")
        self.assertEqual(self.found(repository, said), [(23, 40, ["units[*].health"])])
        alone = self.commits(repository)
        self.assertEqual(alone["builds"], 0)  # whatever was tried had been built

    def test_interrupted_and_started_again_it_goes_on(self):
        repository = self.repository("again")
        for number in range(1, 65):
            repository.commit(revision(number, **({"HURTS_FROM": 40} if number >= 23 else {})))
        repository.write()
        slow = f"sleep 0.3; {BUILD}"
        command = [str(PROGRAM), "bisect", "commits", "s.isotick", "--repo",
                   str(repository.folder), "--good", repository.hashes[1], "--build", slow,
                   "--sim", "{out}/game.so", "--work", f"{repository.folder}.work"]
        began = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE)
        for _ in range(4):  # revisions
            began.stderr.readline()
        began.send_signal(signal.SIGINT)
        said = began.stderr.read()
        began.stderr.close()
        self.assertIn(b"interrupted", said)
        self.assertEqual(began.wait(timeout=20), 3)
        said = self.commits(repository, build=slow)
        self.assertEqual(self.found(repository, said), [(23, 40, ["units[*].health"])])
        self.assertGreaterEqual(said["from_cache"], 4)
        self.assertLessEqual(said["builds"] + said["from_cache"], 9)

    def test_killed_it_leaves_no_build_that_is_half_done(self):
        repository = self.repository("killed")
        for number in range(1, 9):
            repository.commit(revision(number, **({"HURTS_FROM": 40} if number >= 5 else {})))
        repository.write()
        slow = f"{BUILD.replace('game.so', 'half.so')}; sleep 1; mv {{out}}/half.so {{out}}/game.so"
        command = [str(PROGRAM), "bisect", "commits", "s.isotick", "--repo",
                   str(repository.folder), "--good", repository.hashes[1], "--build", slow,
                   "--sim", "{out}/game.so", "--work", f"{repository.folder}.work"]
        began = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(0.7)
        began.kill()
        began.wait()
        said = self.commits(repository, build=slow)
        self.assertEqual(self.found(repository, said), [(5, 40, ["units[*].health"])])


if __name__ == "__main__":
    unittest.main()
