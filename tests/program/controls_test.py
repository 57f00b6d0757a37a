"""Every `control:…` is caught, and its reproducing command ends with 1 at the same tick; every
`twin:…` is identical."""

import re
import unittest

from program import ProgramTest, failing_tick, row, some

SESSIONS = {  # name: options of the session
    "two": "",
    "nine": "--players 9",
    "many": "--players 64 --config units=640",
    "sparse": "--hash-every 60",
    "sparse-nine": "--players 9 --hash-every 60",
    "at-144hz": "--rate 144hz",
    "random": "--inputs random --seed 5",
}

# What each control writes into where it should not, as its comment in core says; where that is a
# whole tick, it shows first in what that tick was about.
POSITIONS = {"units.position_x[*]", "units.position_y[*]"}
LEAKS = {
    "control:alpha": [POSITIONS],
    "control:frame-time": [POSITIONS],
    "control:long-frame": [POSITIONS, {"units.velocity_x[*]", "units.velocity_y[*]"}],
    "control:render-random": [{"random.0"}],
}


class Controls(ProgramTest):
    def names(self, prefix):
        return [sim["name"] for sim in self.read_json(0, "sims")["simulations"]
                if sim["name"].startswith(prefix)]

    def recording(self, simulation, session):
        name = f"{simulation.replace(':', '-')}-{session}.isotick"
        config = "" if "units" in SESSIONS[session] else "--config units=80"
        return self.record(name, f"--sim {simulation} --ticks 360 {config} {SESSIONS[session]}")

    def test_each_leak_is_caught_and_reproduced(self):
        controls = self.names("control:")
        self.assertEqual(len(controls), 4)
        for number, control in enumerate(controls):
            for session in some(list(SESSIONS)[number:] + list(SESSIONS)[:number], 1):
                with self.subTest(control=control, session=session):
                    self.is_caught(control, session)

    def is_caught(self, control, session):
        recording = self.recording(control, session)
        self.ends(0, f"replay {recording}", "IDENTICAL")
        run = self.ends(1, f"verify {recording} --trials 40 --perturb none -v", "DIVERGED")
        kinds = self.kinds(recording)
        leaks = [leak for leak in LEAKS[control] if leak <= kinds]
        self.assertTrue(leaks, kinds)
        differs = row(run.out, "differs in")
        self.assertTrue(any(f" {field.split('[')[0]}" in differs for field in leaks[0]), run.out)
        tick = failing_tick(run.out)
        again = self.shell(row(run.out, "reproduce") + " -v")
        self.assertEqual(again.code, 1, again)
        self.assertEqual(again.out.splitlines()[-1], f"DIVERGED  at {tick}")
        for what in ("computed", "recorded", "differs in", "why", "schedule"):
            self.assertEqual(row(again.out, what), row(run.out, what))
        self.assertEqual(row(again.out, "reproduce"), row(run.out, "reproduce"))

    def test_each_clean_twin_is_identical(self):
        twins = self.names("twin:")
        self.assertEqual([name.split(":")[1] for name in twins],
                         [name.split(":")[1] for name in self.names("control:")])
        for twin in twins:
            for session in some(("two", "sparse-nine"), 1):
                with self.subTest(twin=twin, session=session):
                    recording = self.recording(twin, session)
                    self.ends(0, f"verify {recording}", "IDENTICAL  100 of 100 trials identical")

    def kinds(self, recording):
        """The kinds of fields that differ, of the failure that is explained."""
        report = self.read_json(1, f"verify {recording} --trials 40 --perturb none")
        failures = report["recordings"][0]["failures"]
        fields = [failure["explanation"]["fields"] for failure in failures
                  if failure["explanation"]][0]
        self.assertTrue(fields["known"], fields)
        return {kind["path"] for kind in fields["kinds"]}

    def test_a_leak_that_was_recorded_is_not_blamed_on_the_build_alone(self):
        recording = self.record("driven.isotick", "--sim control:frame-time --config units=80 "
                                "--ticks 200 --schedule 100hz")
        run = self.ends(1, f"verify {recording}", "\n  when        tick ")
        self.assertEqual(row(run.out, "why"), "the schedule it was recorded under, 100hz: "
                         "here it replays as recorded under no other")
        self.assertIn("units.position_x[", run.out)

    def test_a_leak_recorded_under_a_loop_of_its_own_may_be_the_schedules_fault(self):
        recording = self.record("slow.isotick", "--sim control:frame-time --config units=80 "
                                "--ticks 200 --schedule 100hz --time-scale 1/2")
        run = self.ends(1, f"verify {recording}", "\n  when        tick ")
        self.assertIn("the schedule it was recorded under, 100hz, and its loop, ",
                      row(run.out, "why"))


if __name__ == "__main__":
    unittest.main()
