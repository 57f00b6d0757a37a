#!/usr/bin/env python3
"""The reference simulation `spring` in Python, bit for bit: a damped spring that a player may push.

    isotick record -o s.isotick --sim "exec:python3 spring_sim.py" --ticks 600
    isotick verify s.isotick --sim "exec:python3 spring_sim.py"

An input is one signed byte, newtons: the push from now on, kept while inputs are absent. An empty
input lets go; one of any other length is ignored.
"""

from dataclasses import dataclass

import isotick

STIFFNESS = 15.0  # newtons per metre
DAMPING = 0.1  # newton seconds per metre
TICKS_PER_INPUT = 30  # of the bot, on average
INPUTS_PER_EMPTY_ONE = 4


@dataclass
class Body:
    position: float  # metres
    velocity: float


@dataclass
class State:
    body: Body
    push: int  # newtons, -128 to 127


class Spring:
    info = isotick.Info(
        "python-spring", "a damped spring that a player may push", changing_dt=True,
        config_help="integrator=rk4|semi-implicit-euler (rk4); position=0…1000 (drawn from the "
                    "seed, 50…150): metres, at the start")
    state: State

    def __init__(self, setup):
        setup.refuse_keys_but("integrator", "position")
        self.integrate = {"rk4": rk4, "semi-implicit-euler": semi_implicit_euler}[
            setup.choice("integrator", "rk4", "semi-implicit-euler")]
        drawn = 50 + Pcg32(setup.seed).below(101)
        position = float(setup.number("position", drawn, 0, 1000))
        self.state = State(Body(position, 0.0), 0)
        self.previous = self.drawn = position  # the renderer's own, which no tick reads

    def step(self, step):
        state = self.state
        if step.inputs and step.inputs[0] is not None and len(step.inputs[0]) <= 1:
            state.push = int.from_bytes(step.inputs[0], "little", signed=True)
        self.previous = state.body.position
        self.integrate(state.body, float(state.push), step.dt)

    def render(self, alpha):
        self.drawn = self.previous + (self.state.body.position - self.previous) * alpha

    def propose_input(self, player, tick, entropy):
        chance = Pcg32(entropy)
        if player == isotick.WORLD or chance.below(TICKS_PER_INPUT) != 0:
            return None
        return bytes([chance.below(256)]) if chance.below(INPUTS_PER_EMPTY_ONE) != 0 else b""

    @staticmethod
    def describe_input(player, data):
        if len(data) != 1:
            raise ValueError("a push is one byte")
        return {"push": int.from_bytes(data, "little", signed=True)}

    @staticmethod
    def compose_input(player, value):
        if not isinstance(value, dict) or value.keys() != {"push"}:
            raise ValueError('write {"push": newtons}')
        return value["push"].to_bytes(1, "little", signed=True)


def acceleration(position, velocity, push):
    return -STIFFNESS * position - DAMPING * velocity + push


def semi_implicit_euler(body, push, dt):
    body.velocity += acceleration(body.position, body.velocity, push) * dt
    body.position += body.velocity * dt


def rk4(body, push, dt):
    """The order of operations is that of isotick/core/integrate.hpp: it decides the bits."""
    x, v = body.position, body.velocity
    half = dt * 0.5
    v1, a1 = v, acceleration(x, v, push)
    v2 = v + a1 * half
    a2 = acceleration(x + v1 * half, v2, push)
    v3 = v + a2 * half
    a3 = acceleration(x + v2 * half, v3, push)
    v4 = v + a3 * dt
    a4 = acceleration(x + v3 * dt, v4, push)
    body.position = x + (v1 + (v2 + v3) * 2.0 + v4) / 6.0 * dt
    body.velocity = v + (a1 + (a2 + a3) * 2.0 + a4) / 6.0 * dt


class Pcg32:
    """Random numbers as isotick/core/random.hpp has them."""

    def __init__(self, seed):
        self.state = 1
        self.state = (self.state + seed) * 6364136223846793005 + 1 & 0xffffffffffffffff

    def next(self):
        old = self.state
        self.state = old * 6364136223846793005 + 1 & 0xffffffffffffffff
        shifted, rotation = ((old >> 18 ^ old) >> 27) & 0xffffffff, old >> 59
        return (shifted >> rotation | shifted << (-rotation & 31)) & 0xffffffff

    def below(self, bound):
        while True:
            drawn = self.next()
            if drawn >= (1 << 32) % bound:
                return drawn % bound


if __name__ == "__main__":
    isotick.serve(Spring)
