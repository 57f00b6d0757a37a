"""A simulation in Python as a process for isotick (harness/PROTOCOL.md): python 3.11, no packages.

    @dataclass
    class State:
        position: float

    class Drop:
        info = isotick.Info("drop", players=(0, 0, 0))
        state: State                                # gives hashes, snapshots and fields

        def __init__(self, setup):                  # a Setup
            self.state = State(setup.number("height", 100, 0, 1000) * 1.0)

        def step(self, step):                       # a Step
            self.state.position -= step.dt

    if __name__ == "__main__":
        isotick.serve(Drop)

    isotick record -o drop.isotick --sim "exec:python3 drop.py"

A class has `info`, `__init__` and `step`, and `state: T` for a T that isotick/state.py describes.
What else it has is used: begin_frame(frame_time_ns), render(alpha), propose_input(player, tick,
entropy) which returns bytes or None, and the static methods describe_input(player, data), which
returns what json.dumps takes, and compose_input(player, value), which returns bytes. `load` puts a
new state in place of `state`: keep nothing elsewhere that points into the old one.

step.checkpoint("boss fight") says that the session has come that far, which
`isotick verify --must-reach "boss fight"` asks for.

In place of `state` a class may have hash(), which returns one int of 64 bits for each name in its
`parts` (default: one, "state"), save(), which returns bytes, load(data), and fields(), which
returns a field stream. Then info.hash_algorithm says whose hashes they are.

An exception is reported with its traceback, and ends the simulation. From serve() on stdout is the
protocol's alone: what a simulation prints, and what programs print that it starts, goes to stderr.
"""

from .process import WORLD, BadSettings, Info, Setup, Step, serve
from .state import HASH_ALGORITHM, BadSnapshot, BadState, Description

__all__ = ["HASH_ALGORITHM", "WORLD", "BadSettings", "BadSnapshot", "BadState", "Description",
           "Info", "Setup", "Step", "serve"]
