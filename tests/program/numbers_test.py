"""Zero, huge and odd values of every option: a sensible run, or exit code 2 naming the option."""

import unittest

from program import ProgramTest, row

HUGE = 2 ** 64
ODD = ("-1", "x", "", "1.5", "1e3", "0x10", str(HUGE))
COUNTS = {  # option: commands that take it
    "--jobs": ["verify"],
    "--trials": ["verify"],
    "--memory-limit": ["record", "replay", "verify"],
    "--most-ticks": ["record", "replay", "verify"],
    "--most-frames": ["replay", "verify"],
    "--until": ["replay"],
    "--ticks": ["record"],
    "--players": ["record"],
    "--hash-every": ["record"],
    "--parts-every": ["record"],
}
COMMANDS = {
    "record": "record --sim spring -o new.isotick --ticks 30 --force",
    "replay": "replay s.isotick",
    "verify": "verify s.isotick --trials 4",
}


class Numbers(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim skirmish --config units=40 --ticks 90")

    def test_counts_are_whole_numbers(self):
        for option, commands in COUNTS.items():
            for value in ODD:
                command = COMMANDS[commands[0]].replace("--trials 4", "").replace("--ticks 30", "")
                self.refuses(f"{command} {option} '{value}'", f"{option}: '{value}' is not a whole")

    def test_zero_where_it_makes_no_sense(self):
        record = "record --sim spring -o zero.isotick"
        self.refuses(f"{record} --ticks 0", "--ticks: '0' is not a whole number from 1 to")
        self.refuses(f"{record} --hash-every 0", "--hash-every: '0' is not")
        self.refuses(f"{record} --parts-every 0", "--parts-every: '0' is not")
        self.refuses("verify s.isotick --trials 0", "--trials: '0' is not a whole number from 1")

    def test_zero_where_it_means_no_limit(self):
        for option in ("--jobs", "--timeout", "--memory-limit", "--most-ticks", "--most-frames"):
            self.ends(0, f"verify s.isotick --trials 4 {option} 0", "IDENTICAL")

    def test_huge_where_it_means_no_limit(self):
        for option in ("--jobs", "--most-ticks", "--most-frames"):
            self.ends(0, f"verify s.isotick --trials 4 {option} {HUGE - 1}", "IDENTICAL")
        self.ends(0, "verify s.isotick --trials 4 --jobs 1000", "4 of 4 trials")
        self.ends(0, "verify s.isotick --trials 4 --timeout 1000000000", "IDENTICAL")

    def test_more_memory_than_there_is(self):
        self.refuses(f"verify s.isotick --memory-limit {HUGE - 1}", "--memory-limit: ")

    def test_timeouts(self):
        for value in ("nan", "inf", "-1", "1e10", "x", "", "5s"):
            for command in COMMANDS.values():
                self.refuses(f"{command} --timeout '{value}'",
                             f"--timeout: '{value}' is not a number of seconds from 0 to")
        self.ends(0, "verify s.isotick --trials 4 --timeout 2.5", "IDENTICAL")

    def test_time_scales(self):
        for value in ("-1", "x", "1/0", "2000000000", "1/2000000000", "1e3", "", "1/2/3", "%"):
            for command in COMMANDS.values():
                self.refuses(f"{command} --time-scale '{value}'", "--time-scale: ")
        for value in ("34.7712371%", "1/3", "0.25", "250%", "10"):
            self.ends(0, f"verify s.isotick --trials 4 --time-scale {value}", "IDENTICAL")

    def test_a_time_scale_of_zero_ends_inconclusive(self):
        self.ends(4, "replay s.isotick --schedule 60hz --time-scale 0 --most-frames 500",
                  "too little time passes")
        self.ends(2, "record --sim spring -o frozen.isotick --ticks 5 --time-scale 0", "too little")
        self.assertFalse(self.path("frozen.isotick").exists())

    def test_a_tick_shorter_than_a_nanosecond(self):
        self.record("fast.isotick", "--sim spring --rate 1000000000hz --ticks 20")
        for command in ("replay fast.isotick", "verify fast.isotick",
                        "record --sim spring --rate 1000000000hz -o new.isotick --force"):
            self.ends(2, f"{command} --time-scale 2", "a tick would be shorter than a nanosecond")

    def test_start_phases(self):
        for value in ("2", "-1", "x", "101%", "1/0"):
            for command in COMMANDS.values():
                self.refuses(f"{command} --start-phase {value}", "--start-phase: ")
        for value in ("0", "1", "1.0", "100%", "1/3", "99.9999999%"):
            self.ends(0, f"verify s.isotick --trials 4 --start-phase {value}", "IDENTICAL")

    def test_longest_frames(self):
        for value in ("0ms", "-1ms", "60hz", "nominal", "3x1ms", "'1ms, 2ms'", "x", "''", "250"):
            for command in COMMANDS.values():
                self.refuses(f"{command} --longest-frame {value}", "--longest-frame: ")
        for value in ("none", "1ns", "3600s", "250ms"):
            self.ends(0, f"verify s.isotick --trials 4 --longest-frame {value}", "IDENTICAL")

    def test_rates(self):
        record = "record --sim spring -o new.isotick --force"
        for value in ("0hz", "1/0hz", "x", "-60hz", "99999999999hz", "59.94hz"):
            self.refuses(f"{record} --rate {value}", "--rate: ")
        for value in ("1/1000000000hz", "60000/1001hz", "1000hz", "60"):
            self.ends(0, f"{record} --ticks 5 --rate {value}")

    def test_seeds(self):
        for value in ("-1", "x", "0x", "0xg", str(HUGE), "''"):
            self.refuses(f"record --sim spring -o new.isotick --force --seed {value}", "--seed: ")
        self.refuses("record --sim spring -o new.isotick --force --seed random", "--seed: 'random'")
        self.refuses("verify s.isotick --seed x", "--seed: 'x' is not a number of 64 bits")
        self.ends(0, f"verify s.isotick --trials 4 -v --seed {HUGE - 1}", "0xffffffffffffffff")

    def test_until_counts_from_zero_and_may_lie_beyond_the_end(self):
        run = self.ends(0, "replay s.isotick --until 0", "IDENTICAL")
        self.assertIn("1 hash in 1 frame", row(run.out, "compared"))
        run = self.ends(0, f"replay s.isotick --until {HUGE - 1}", "IDENTICAL")
        self.assertIn("90 hashes", row(run.out, "compared"))

    def test_strides_longer_than_the_recording(self):
        self.record("sparse.isotick", "--sim skirmish --config units=40 --ticks 90 "
                    "--hash-every 1000000000 --parts-every 1000000000")
        self.ends(0, "verify sparse.isotick --trials 4", "4 hashes")


if __name__ == "__main__":
    unittest.main()
