"""Real engines through the program: recorded, verified, audited; planted leaks are caught.

ISOTICK_ENGINES names the plug-ins, as for engines_test.cpp; ISOTICK_NAIVE those that claim to be
restored by places and speeds.
"""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "program"))

from guarantees import addresses_are_random  # noqa: E402
from program import ProgramTest, some  # noqa: E402


def plugins(variable):
    """{engine: path of its plug-in}"""
    entries = os.environ[variable].split(",")
    return dict(entry.split("=", 1) for entry in entries if entry)


ENGINES, NAIVE = plugins("ISOTICK_ENGINES"), plugins("ISOTICK_NAIVE")
SNAPSHOTS = [engine for engine in ENGINES if engine in ("lua", "ode")]


class Engines(ProgramTest):
    def recorded(self, engine, options="", name=None):
        return self.record(f"{name or engine}.isotick",
                           f"--sim {ENGINES[engine]} --ticks 300 --force {options}")

    def needs(self, engine):
        if engine not in ENGINES:
            self.skipTest(f"no {engine} here")

    def test_each_is_identical_in_every_process(self):
        for engine, plugin in some(ENGINES.items(), 2):
            with self.subTest(engine=engine):
                recording = self.recorded(engine)
                self.ends(0, f"verify {recording} --sim {plugin} --trials 10",
                          "IDENTICAL  10 of 10 trials identical")

    def test_each_records_the_same_bytes_twice(self):
        for engine in some(ENGINES, 2):
            with self.subTest(engine=engine):
                once = self.recorded(engine, name=f"{engine}-once")
                twice = self.recorded(engine, name=f"{engine}-twice")
                self.assertEqual(self.content(once), self.content(twice))

    def test_names_the_fields_in_which_two_piles_differ(self):
        for engine, plugin in some(ENGINES.items(), 2):
            with self.subTest(engine=engine):
                for number in (1, 2):
                    self.ends(0, f"replay {self.recorded(engine, f'--seed {number}', 'pile')} "
                              f"--sim {plugin} --until 9 --state {engine}-{number}.state")
                self.ends(1, f"diff {engine}-1.state {engine}-2.state", "bodies[0].position.x ")

    def test_audits_of_those_with_snapshots_find_nothing(self):
        for engine in SNAPSHOTS:
            with self.subTest(engine=engine):
                self.ends(0, f"audit {self.recorded(engine)} --sim {ENGINES[engine]}", "CLEAN")

    def test_audits_see_through_snapshots_of_places_and_speeds_alone(self):
        for engine, plugin in NAIVE.items():
            with self.subTest(engine=engine):
                self.ends(1, f"audit {self.recorded(engine)} --sim {plugin}", "BLIND")

    def test_orders_that_lua_does_not_promise_are_caught(self):
        self.needs("lua")
        for order in ("address", "name") if addresses_are_random() else ("name",):
            with self.subTest(order=order):
                recording = self.recorded("lua", f"--config order={order}", order)
                self.ends(1, f"verify {recording} --sim {ENGINES['lua']}",
                          "\n  when        tick 0")

    def test_frame_times_for_bullets_own_clock_are_caught(self):
        self.needs("bullet")
        recording = self.recorded("bullet", "--config clock=frame", "clock")
        run = self.ends(1, f"verify {recording} --sim {ENGINES['bullet']} --trials 10",
                        "DIVERGED  1 of 10 trials identical")
        self.assertIn("differs in  bodies", run.out)

    def test_ode_with_one_random_sequence_per_process_has_a_blind_spot(self):
        self.needs("ode")
        recording = self.recorded("ode", "--config random=process", "shared-random")
        self.ends(1, f"audit {recording} --sim {ENGINES['ode']}",
                  "restored states match at first, but later ticks differ")


if __name__ == "__main__":
    unittest.main()
