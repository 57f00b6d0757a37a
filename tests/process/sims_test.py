"""The simulations that are processes: the spring is the reference's, the planted faults are there.

Those against the program itself take it from ISOTICK_PROGRAM, as all tests of it do.
"""

import csv
import io
import json
import os
import random
import select
import signal
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "program"))

import spring_sim  # noqa: E402
import state_test  # noqa: E402
from host import (BAD_SETTINGS, BEGIN_FRAME, COMPOSE_INPUT, DESCRIBE_INPUT, FAILED,  # noqa: E402
                  HASH, LOAD, OK, PROPOSE_INPUT, RENDER, SAVE, TIME_LIMIT, VISIT_FIELDS, WORLD,
                  Client, create, hello, play, python_command, request, step, text)
from isotick import HASH_ALGORITHM, Description  # noqa: E402
from program import ProgramTest  # noqa: E402

HERE = Path(__file__).resolve().parent
SPRING = Description(spring_sim.State)


def after_ticks(program, ticks, last, config=None, **variables):
    """The body of the answer to the request `last`, then."""
    played = play(program, [hello(), create(config=config),
                            *(step(tick, None, None) for tick in range(ticks)), request(last)],
                  **variables)
    return played.answers[-1][1]


def state_dump(fields, state_hash):
    """A *.state file as core/FIELDS.md has it, of tick 3."""
    return (b"\x8aISD\r\n\x1a\n" + struct.pack("<I", 1) + text("some-simulation")
            + struct.pack("<Q", 3) + text(HASH_ALGORITHM) + struct.pack("<Q", state_hash) + fields)


class Spring(ProgramTest):
    def plays_as_the_reference_does(self, name, options, **how):
        """Every tick, bit for bit; the table has the shortest decimals that name a float."""
        self.record(name, f"--sim spring --ticks 600 {options}")
        columns = ("body.position", "body.velocity", "push")
        table = self.ends(0, f"replay {name} " + " ".join(f"--watch {each}" for each in columns))
        lines = [json.loads(line) for line in
                 self.ends(0, f"export --raw {name}").out.splitlines()[1:-1]]
        requests = [hello(), create(**how)]
        for tick, line in enumerate(lines):
            pushed = line.get("hex", {}).get("0")
            pushed = None if pushed is None else bytes.fromhex(pushed)
            requests += [step(tick, pushed, None), request(SAVE)]
        answers = play("spring_sim.py", requests).answers
        states = [SPRING.load(body) for _, body in answers[3::2]]
        expected = [tuple(float(row[column]).hex() for column in columns)
                    for row in csv.DictReader(io.StringIO(table.out))]
        self.assertEqual([(state.body.position.hex(), state.body.velocity.hex(),
                           float(state.push).hex()) for state in states], expected)
        self.assertEqual(len(expected), 600)
        return {state.push for state in states}

    def test_is_the_reference_with_its_bot(self):
        pushes = self.plays_as_the_reference_does("rk4.isotick", "--seed 7", seed=7)
        self.assertGreater(len(pushes), 5)

    def test_is_the_reference_with_the_other_integrator(self):
        config = {"integrator": "semi-implicit-euler", "position": "80"}
        options = " ".join(f"--config {key}={value}" for key, value in config.items())
        self.plays_as_the_reference_does("euler.isotick", options, seed=1, config=config)

    def test_is_the_reference_where_the_timestep_changes(self):
        session = ('{"format":"isotick-text","version":1,"players":1}\n'
                   '{"dt":"1/30","hex":{"0":"7f"}}\n'
                   + "".join(f'{{"dt":"{15000000 + tick * 7919 % 4000000}/1000000000"}}\n'
                             for tick in range(1, 200)) + '{"finished":true}\n')
        self.path("paces.jsonl").write_text(session)
        python = python_command("spring_sim.py")
        bodies = []
        for name, sim in (("reference", "spring"), ("python", python)):
            self.ends(0, f"import paces.jsonl -o {name}.isotick --sim {sim}")
            shown = self.ends(0, f"replay {name}.isotick --sim {sim} --print body").out
            bodies.append(shown[shown.index("after tick 199"):])
        self.assertEqual(bodies[0], bodies[1])
        self.ends(0, f"replay python.isotick --sim {python} --schedule 'mix(seed=1)'")

    def test_goes_on_from_a_snapshot(self):
        snapshot = after_ticks("spring_sim.py", 50, SAVE)
        frame = [request(BEGIN_FRAME, bytes(8)), request(RENDER, struct.pack("<d", 0.5))]
        resumed = play("spring_sim.py", [
            hello(), create(seed=99), request(LOAD, snapshot), *frame,
            *(step(tick, None, None) for tick in range(50, 70)), request(HASH)])
        self.assertEqual(resumed.answers[-1][1], after_ticks("spring_sim.py", 70, HASH))
        self.assertEqual(len(resumed.answers[-1][1]), 16)

    def test_refuses_a_damaged_snapshot(self):
        snapshot = bytearray(after_ticks("spring_sim.py", 5, SAVE))
        snapshot[20] ^= 1
        status, reason = play("spring_sim.py", [hello(), create(),
                                                request(LOAD, bytes(snapshot))]).answers[-1]
        self.assertEqual((status, reason[:12]), (FAILED, b"BadSnapshot:"))

    def test_describes_its_inputs(self):
        player = struct.pack("<I", 0)
        asked = play("spring_sim.py", [hello(), request(DESCRIBE_INPUT, player + b"\xfe"),
                                       request(COMPOSE_INPUT, player + b'{"push": -2}'),
                                       request(COMPOSE_INPUT, player + b'{"push": 200}'),
                                       request(COMPOSE_INPUT, player + b'[]')]).answers
        self.assertEqual(asked[1:3], [(OK, b'{"push": -2}'), (OK, b"\xfe")])
        self.assertEqual([status for status, _ in asked[3:]], [FAILED, FAILED])

    def test_has_a_bot_of_entropy_alone(self):
        def proposals(player):
            asked = [request(PROPOSE_INPUT, struct.pack("<IQQ", player, 0, each << 32 | each))
                     for each in range(600)]
            answers = play("spring_sim.py", [hello(), create(), *asked]).answers
            return [body for _, body in answers[2:]]

        self.assertEqual(proposals(0), proposals(0))
        self.assertEqual(set(proposals(WORLD)), {b"\0"})
        self.assertGreater(len(set(proposals(0))), 10)

    def test_refuses_settings(self):
        for config, says in (({"place": "1"}, b"unknown config key 'place'"),
                             ({"position": "1001"}, b"is not a whole number from 0 to 1000"),
                             ({"integrator": "rk5"}, b"none of rk4, semi-implicit-euler")):
            status, reason = play("spring_sim.py", [hello(), create(config=config)]).answers[-1]
            self.assertEqual(status, BAD_SETTINGS)
            self.assertIn(says, reason)


class Village(ProgramTest):
    def hashes(self, order):
        return {after_ticks("leaky_sim.py", 40, HASH, {"order": order}, PYTHONHASHSEED=str(seed))
                for seed in range(1, 6)}

    def test_with_a_set_differs_by_the_seed_of_hashes(self):
        self.assertEqual(len(self.hashes("set")), 5)

    def test_that_is_sorted_does_not(self):
        self.assertEqual(len(self.hashes("sorted")), 1)

    def test_with_a_set_differs_in_fields_that_the_program_names(self):
        for seed in "12":
            fields = after_ticks("leaky_sim.py", 3, VISIT_FIELDS, PYTHONHASHSEED=seed)
            self.path(f"{seed}.state").write_bytes(state_dump(fields, int(seed)))
        run = self.ends(1, "diff 1.state 2.state")
        self.assertRegex(run.out, r'villagers\["[a-z]{3}"\]\.hunger')
        self.assertRegex(run.out, r"queue\[\d+\]")


class Fields(ProgramTest):
    def test_of_every_kind_are_read_by_the_program(self):
        description = Description(state_test.Everything)
        for number, state in enumerate((
                state_test.Everything(),
                state_test.Everything(real=0.5, mode=state_test.Mode.IDLE, maybe=1.0, wide=[1, 2],
                                      scores={"zoe": 1, "ann": 3}, chance=random.Random(2)))):
            self.path(f"{number}.state").write_bytes(
                state_dump(description.fields(state), number))
        same = self.ends(0, "diff 0.state 0.state")
        differences = self.ends(1, "diff 0.state 1.state").out
        for path in ("real ", "mode ", "maybe ", 'scores["ann"] ', "chance.words ", "wide"):
            self.assertIn(f" {path}", differences)
        self.assertNotIn("tree", differences + same.out)

    def test_show_the_order_of_dicts(self):
        description = Description(state_test.Everything)
        for name, scores in (("one", {"zoe": 1, "ann": 2}), ("other", {"ann": 2, "zoe": 1})):
            fields = description.fields(state_test.Everything(scores=scores))
            self.path(f"{name}.state").write_bytes(state_dump(fields, len(name)))
        self.ends(1, "diff one.state other.state", '    scores (order)[0]  "zoe" → "ann"')


class Faults(unittest.TestCase):
    """At tick 2, which the answers before it prove."""

    ticks = [step(tick, None, None) for tick in range(4)]
    before = b"\1\0\0\0\0" * 2

    def after_create(self, fault, *requests, **environment):
        """What comes behind the answer to create, the exit code, and stderr."""
        with Client("faulty_sim.py") as client:
            client.ask(hello())
            client.ask(create(environment={"fault": fault, "at": "2", **environment}))
            client.send(b"".join(requests or self.ticks))
            return client.end()

    def test_that_end_the_process(self):
        for fault, code, more in (("exit", 3, b""), ("segfault", -signal.SIGSEGV, b""),
                                  ("half", 0, b"\1\0\0")):
            ended = self.after_create(fault)
            self.assertEqual((ended.code, ended.answers), (code, self.before + more), fault)

    def test_that_are_no_answers(self):
        ok = b"\1\0\0\0\0"
        for fault, answer in (("garbage", bytes(range(200, 256)) * 3), ("twice", ok + ok),
                              ("text", b"tick of the simulation\n" + ok),
                              ("huge", b"\xff\xff\xff\xff\0"), ("status", b"\1\0\0\0\x09"),
                              ("hashes", b"\x09\0\0\0\0" + bytes(8))):
            ended = self.after_create(fault)
            self.assertEqual(ended.answers, self.before + answer + ok, fault)

    def test_that_raise(self):
        ended = self.after_create("raise")
        self.assertIn(b"\1RuntimeError: planted", ended.answers)
        self.assertIn("RuntimeError: planted", ended.err)

    def test_a_segfault_has_a_traceback(self):
        self.assertIn("Fatal Python error: Segmentation fault", self.after_create("segfault").err)

    def test_that_close_stdout(self):
        ended = self.after_create("close")
        self.assertEqual((ended.code, ended.answers), (1, self.before))

    def test_one_more_hash(self):
        ended = self.after_create("hashes", *self.ticks[:3], request(HASH), **{"in": "hash"})
        self.assertEqual(len(ended.answers), 3 * 5 + 5 + 3 * 8)

    def test_that_leave_a_child_with_stdout(self):
        with Client("faulty_sim.py", "fault=child", "in=hello") as client:
            client.send(hello())
            child = int(client.process.stderr.readline())
            self.assertEqual(client.process.wait(TIME_LIMIT), 0)
            self.assertEqual(select.select([client.process.stdout], [], [], 0.2)[0], [])
            os.kill(child, signal.SIGKILL)
            self.assertEqual(client.process.stdout.read(), b"")

    def test_that_hang(self):
        with Client("faulty_sim.py", "fault=hang", "in=hello") as client:
            client.send(hello())
            self.assertEqual(select.select([client.process.stdout], [], [], 1)[0], [])
            self.assertIsNone(client.process.poll())

    def test_that_outlive_stdin(self):
        with Client("faulty_sim.py", "fault=deaf") as client:
            self.assertEqual(client.ask(hello())[0], OK)
            client.process.stdin.close()
            with self.assertRaises(subprocess.TimeoutExpired):
                client.process.wait(0.5)
            client.process.stdin = client.process.stderr


if __name__ == "__main__":
    unittest.main()
