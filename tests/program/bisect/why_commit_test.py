"""isotick why --build: the commit on the page too."""

import unittest

from history import BUILD, BisectTest, revision


class WhyCommit(BisectTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build("good")
        cls.build("bad", HURTS_FROM=40)
        cls.record("s.isotick", "--sim ./good.so --ticks 100 --inputs random")

    def test_the_page_names_commit_tick_and_fields(self):
        repository = self.repository("game")
        for number in range(1, 13):
            repository.commit(revision(number, **({"HURTS_FROM": 40} if number >= 8 else {})))
        repository.write()
        run = self.ends(1, "why s.isotick --sim ./bad.so --sim-a ./good.so --repo game --good "
                           f"{repository.hashes[1]} --build '{BUILD}' --built '{{out}}/game.so' "
                           "--work game.work --trials 5 -o page -v")
        self.assertTrue(run.out.startswith(
            "DIVERGED  s.isotick: This build computes other bits than the one that recorded\n"),
            run.out)
        page = " ".join(run.out.split())
        self.assertIn(f"commit {repository.hashes[8][:10]} commit 8, of 2023-11-14T22:13:28+00:00: "
                      "tick 40, units[*].health", page)
        self.assertIn(f"{repository.hashes[8][:10]} is the first bad commit\n", run.out)
        self.assertIn("- **commit**: ", self.content("page/why.md").decode())

    def test_what_frames_provoke_takes_no_builds(self):
        self.record("leak.isotick", "--sim control:alpha --config units=20 --ticks 60")
        run = self.ends(1, "why leak.isotick --repo nowhere --build false --built '{out}/game.so'")
        self.assertNotIn("commit", run.out)

    def test_mistakes(self):
        self.refuses("why s.isotick --build make", "--built")
        self.ends(2, "why s.isotick --sim ./bad.so --repo nowhere --build true "
                     "--built '{out}/game.so' --work nowhere.work --trials 2", "nowhere")


if __name__ == "__main__":
    unittest.main()
