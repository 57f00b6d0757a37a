#!/usr/bin/env python3
"""Planted faults, each on a line marked `# planted: NAME`. Without `--environment fault=NAME` it
behaves correctly.

    isotick record -o p.isotick --sim "exec:python3 painting_sim.py"
    isotick verify p.isotick --sim "exec:python3 painting_sim.py" --environment fault=render-draws
"""

import random
from dataclasses import dataclass

import isotick

FAULTS = ("none render-draws frame-time new-spark shuffle helper element begin-frame "
          "draws-again appended sorted").split()


@dataclass
class Spark:
    heat: float
    ticks_left: int


@dataclass
class State:
    chance: random.Random
    sparks: list[Spark]
    order: list[int]
    score: dict[str, int]
    total: float


class Painting:
    info = isotick.Info("python-painting", "sparks, with planted faults", players=(0, 0, 0))
    state: State

    def __init__(self, setup):
        self.fault = setup.environment.get("fault", "none")
        if self.fault not in FAULTS:
            raise isotick.BadSettings(f"there is no fault {self.fault}")
        self.state = State(random.Random(setup.seed), [], list(range(8)), {"red": 0, "blue": 0},
                           0.0)
        self.frames = 0
        self.frame_time = 0
        self.glow = 0.0

    def begin_frame(self, frame_time_ns):
        self.frames += 1
        self.frame_time = frame_time_ns * 1e-9
        if self.fault == "begin-frame" and frame_time_ns > 20_000_000:
            self.state.total += 1.0  # planted: begin-frame

    def step(self, step):
        state = self.state
        dt = self.frame_time if self.fault == "frame-time" and self.frames > 10 else step.dt
        state.total += dt  # planted: frame-time
        if step.tick % 4 == 0:
            state.sparks.append(Spark(state.chance.random(), 9))
        if self.fault == "new-spark" and self.frames % 7 == 3:
            state.sparks.append(Spark(0.5, 3))  # planted: new-spark
        for spark in state.sparks:
            cool(spark, dt)
        state.sparks = [spark for spark in state.sparks if spark.ticks_left > 0]
        if self.fault == "shuffle" and self.frames % 7 == 3:
            random.Random(self.frames).shuffle(state.order)  # planted: shuffle
        if self.fault == "helper":
            self.remember(state.score, "red")
        if self.fault == "element" and self.frames % 7 == 3:
            state.score["blue"] += 1  # planted: element
        first = state.chance.random()
        second = state.chance.random()
        state.total += first - second
        if self.fault == "appended" and step.tick % 8 == 0:
            state.sparks.append(Spark(self.frames * 0.25, 9))  # planted: appended
        if self.fault == "sorted":
            state.order.sort(key=lambda each: (each + self.frames) % 8)  # planted: sorted
        if self.fault == "draws-again" and self.frames % 7 == 3:
            state.total += state.chance.random()  # planted: draws-again

    def remember(self, score, color):
        if self.frames % 5 == 2:
            score[color] = self.frames  # planted: helper

    def render(self, alpha):
        if self.fault == "render-draws":
            self.glow = self.state.chance.random()  # planted: render-draws


def cool(spark, dt):
    spark.heat -= spark.heat * 0.5 * dt
    spark.ticks_left -= 1


if __name__ == "__main__":
    isotick.serve(Painting)
