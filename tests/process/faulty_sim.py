#!/usr/bin/env python3
"""A simulation that misbehaves once, as a process can: to test what isotick makes of it.

    --sim "exec:python3 faulty_sim.py fault=hang in=step at=20"
    --sim "exec:python3 faulty_sim.py" --environment fault=hang --environment at=3

Once it has done what `in` says (a verb, default step) of tick `at` (default 20; hello, create,
describe_input and compose_input: the first time), it does what `fault` says:

    hang       never answers               garbage    answers with random bytes
    exit       ends with code 3            text       prints a line to the real stdout
    segfault   kills itself with SIGSEGV   huge       announces an answer of 4 GiB
    raise      raises RuntimeError         twice      answers twice
    close      closes stdout, goes on      hashes     appends a number to the answer
    child      ends, but its child keeps   half       ends in the middle of its answer
               stdout open for a minute;   status     answers with status 9
               its id goes to stderr       names=…    names checkpoints that are too long, too
                                                      many, a million, no UTF-8, zero, or cut off
    deaf       does not end at the end of stdin (`in` and `at` do not matter)
"""

import os
import signal
import struct
import subprocess
import sys
import time
from dataclasses import dataclass

from isotick import process
from isotick.process import COMPOSE_INPUT, CREATE, DESCRIBE_INPUT, HELLO, STEP

VERBS = {getattr(process, name.upper()): name for name in (
    "hello", "create", "begin_frame", "step", "render", "hash", "propose_input", "save", "load",
    "visit_fields", "describe_input", "compose_input", "note_writes")}


def names(count, *encoded):
    return process.answer(struct.pack("<I", count) + b"".join(
        struct.pack("<I", len(each)) + each for each in encoded))


ANSWERS = {
    "garbage": lambda right: bytes(range(200, 256)) * 3,
    "text": lambda right: b"tick of the simulation\n" + right,
    "huge": lambda right: b"\xff\xff\xff\xff\0",
    "twice": lambda right: right + right,
    "hashes": lambda right: process.answer(right[5:] + bytes(8)),
    "status": lambda right: right[:4] + b"\x09" + right[5:],
    "names=long": lambda right: names(1, b"a" * 10240),
    "names=many": lambda right: names(1001, *[b"a"] * 1001),
    "names=million": lambda right: names(1000000, *[b"a"] * 1000000),
    "names=bytes": lambda right: names(1, b"a\xff"),
    "names=zero": lambda right: names(1, b"a\0b"),
    "names=cut": lambda right: names(2, b"a"),
}
ANSWERS_FD = os.dup(1)  # of its own, since serve() keeps stdout to itself
LONG = 60  # seconds
plan = {"fault": "", "in": "step", "at": "20"} | dict(word.split("=", 1) for word in sys.argv[1:])


@dataclass
class State:
    counter: int
    inputs: int


class Faulty:
    """Counts ticks, from the seed on, and bytes of inputs."""
    info = process.Info("faulty-process", "misbehaves on demand", players=(0, 2, 1))
    state: State

    def __init__(self, setup):
        plan.update(setup.environment)
        self.state = State(setup.seed, 0)

    def begin_frame(self, frame_time_ns):
        pass

    def step(self, step):
        self.state.counter = self.state.counter + 1 & 0xffffffffffffffff
        self.state.inputs += sum(1 + len(each) for each in step.inputs if each is not None)
        if step.tick in (10, 100):
            step.checkpoint(f"tick {step.tick}")

    def render(self, alpha):
        pass

    def propose_input(self, player, tick, entropy):
        return b"\7" * (entropy % 4) if entropy % 3 else None

    @staticmethod
    def describe_input(player, data):
        return list(data)

    @staticmethod
    def compose_input(player, value):
        return bytes(value)


class FaultySession(process.Session):
    """Goes wrong between the call and the answer."""
    tick = 0

    def _known_verbs(self):
        return {verb: self.wrapped(verb, handler)
                for verb, handler in super()._known_verbs().items()}

    def wrapped(self, verb, handler):
        at_any_tick = verb in (HELLO, CREATE, DESCRIBE_INPUT, COMPOSE_INPUT)

        def handle(buffer, at, end):
            if verb == STEP:
                self.tick, = struct.unpack_from("<Q", buffer, at)
            right = handler(buffer, at, end)
            due = plan["in"] == VERBS[verb] and (at_any_tick or int(plan["at"]) == self.tick)
            return go_wrong(plan["fault"], right) if due else right
        return handle


def go_wrong(fault, right):
    if fault == "hang":
        while True:
            time.sleep(1)
    elif fault == "exit":
        os._exit(3)
    elif fault == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif fault == "raise":
        raise RuntimeError("planted")
    elif fault == "close":
        close_stdout()
    elif fault == "child":
        child = subprocess.Popen(["sleep", str(LONG)], stdin=subprocess.DEVNULL,
                                 stdout=ANSWERS_FD, stderr=subprocess.DEVNULL)
        os.write(2, b"%d\n" % child.pid)
        os._exit(0)
    elif fault == "half":
        os.write(ANSWERS_FD, right[:3])
        os._exit(0)
    return ANSWERS.get(fault, lambda right: right)(right)


def close_stdout():
    """Closes every descriptor of the pipe that answers go to."""
    pipe = os.fstat(ANSWERS_FD)
    for descriptor in range(64):
        try:
            if os.path.samestat(os.fstat(descriptor), pipe):
                os.close(descriptor)
        except OSError:
            pass  # not open


if __name__ == "__main__":
    process.Session = FaultySession
    process.serve(Faulty)
    if plan["fault"] == "deaf":
        time.sleep(10 * LONG)
