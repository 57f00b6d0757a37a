"""What a process answers to isotick, verb by verb (harness/PROTOCOL.md)."""

import dataclasses
import faulthandler
import inspect
import json
import math
import os
import struct
import sys
import traceback
import typing

from .state import HASH_ALGORITHM, Description
from .stream import (BadStream, answer, answer_all, flush, pack_head, take_streams)
from .writes import Writes, text as pack_text

VERSION = 1
MAGIC = b"isotick\n"
(HELLO, CREATE, BEGIN_FRAME, STEP, RENDER, HASH, PROPOSE_INPUT, SAVE, LOAD, VISIT_FIELDS,
 DESCRIBE_INPUT, COMPOSE_INPUT, NOTE_WRITES) = range(1, 14)
OK, FAILED, BAD_SETTINGS, UNKNOWN_VERB = range(4)
WORLD = ABSENT = 0xffffffff
LONGEST_INPUT = 64 << 10
LONGEST_REASON = 64 << 10
MOST_CHECKPOINTS = 1000
TOO_SHORT = "it ends too early"

unpack_u32 = struct.Struct("<I").unpack_from
unpack_i64 = struct.Struct("<q").unpack_from
unpack_f64 = struct.Struct("<d").unpack_from
unpack_create = struct.Struct("<IQII").unpack_from  # 20 bytes
unpack_step = struct.Struct("<QdQQI").unpack_from  # 36 bytes
unpack_proposal = struct.Struct("<IQQ").unpack_from  # 20 bytes
NOTHING = pack_head(1, OK)


class BadSettings(Exception):
    """Raise it from __init__: seed, players, rate or config make no sense."""


class BadRequest(Exception):
    """What isotick never sends."""


@dataclasses.dataclass(frozen=True)
class Info:
    """What holds for all simulations of a class."""
    name: str
    summary: str = ""
    players: tuple[int, int, int] = (0, 1, 1)  # least, most, usual
    rate: tuple[int, int] = (60, 1)  # ticks per second, as a fraction
    changing_dt: bool = False  # whether dt may differ from tick to tick
    config_help: str = ""
    build_id: str = ""
    hash_algorithm: str = HASH_ALGORITHM
    nan_policy: str = ""

    def pack(self, verbs):
        texts = (self.name, self.summary, self.hash_algorithm, self.config_help, self.build_id,
                 self.nan_policy)
        return struct.pack("<6IQI", VERSION, *self.rate, *self.players, sum(1 << v for v in verbs),
                           self.changing_dt) + b"".join(map(pack_text, texts))


@dataclasses.dataclass(frozen=True)
class Setup:
    """What a simulation is made from. `config` is recorded, `environment` is not: texts by key."""
    players: int
    seed: int
    rate: tuple[int, int]
    config: dict[str, str]
    environment: dict[str, str]

    def refuse_keys_but(self, *known):
        for key in self.config:
            if key not in known:
                raise BadSettings(f"unknown config key '{key}'; known keys: {' '.join(known)}")

    def number(self, key, fallback, least, most):
        text = self.config.get(key)
        if text is None:
            return fallback
        if not (text.isascii() and text.isdigit() and least <= int(text[:20]) <= most):
            raise BadSettings(f"config {key}={text} is not a whole number from {least} to {most}")
        return int(text)

    def choice(self, key, *choices):
        """One of these texts, the first where the config says nothing."""
        text = self.config.get(key, choices[0])
        if text not in choices:
            raise BadSettings(f"config {key}={text} is none of {', '.join(choices)}")
        return text


class Step(typing.NamedTuple):
    """One tick. Inputs are bytes, or None for one that is absent; b"" is something else."""
    tick: int
    dt: float  # seconds
    dt_numerator: int  # dt as a fraction; 0 and 0 where it is none
    dt_denominator: int
    inputs: list  # one for each player
    world: bytes | None
    checkpoint: typing.Callable[[str], None] = lambda name: None  # says that it has come so far


def serve(simulation_class):
    """Answers isotick until it closes stdin. Call it once, and last."""
    requests, answers = take_streams()
    faulthandler.enable()
    session = Session(simulation_class)
    waiting = []
    try:
        answer_all(session.handlers, session.failure, requests, answers, waiting)
    except BrokenPipeError:
        waiting.clear()
        sys.exit("isotick reads no more")
    except BadStream as bad:
        sys.exit(f"this is not isotick's protocol: {bad}")
    finally:  # for what leaves the simulation otherwise, as sys.exit does
        flush(answers, waiting)


class Texts:
    """Reads counted texts, which must end where their message does."""

    def __init__(self, buffer, at, end):
        self.buffer, self.at, self.end = buffer, at, end

    def number(self):
        self.at += 4
        if self.at > self.end:
            raise BadRequest(TOO_SHORT)
        return unpack_u32(self.buffer, self.at - 4)[0]

    def text(self):
        size = self.number()
        self.at += size
        if self.at > self.end:
            raise BadRequest(TOO_SHORT)
        return self.buffer[self.at - size:self.at].decode(errors="surrogateescape")

    def settings(self):
        return {self.text(): self.text() for _ in range(self.number())}


class Session:
    """What this process answers, by verb. Which verbs make sense changes as the session goes on."""

    def __init__(self, simulation_class):
        self.type = simulation_class
        self.simulation = None
        self.passed, self.newly_passed = set(), []  # checkpoints: each is told once
        self.writes = None
        self.pass_checkpoint = self._pass_checkpoint  # bound once, not for each step
        self.description = described_state(simulation_class)
        self.parts = self.description.parts if self.description else getattr(
            simulation_class, "parts", ("state",))
        self.known = self._known_verbs()
        self.handlers = [lambda *_: pack_head(1, UNKNOWN_VERB)] * 256
        self._expect_only({HELLO: self.known[HELLO]}, "comes before hello")

    def _pass_checkpoint(self, name):
        if name not in self.passed and len(self.passed) < MOST_CHECKPOINTS:
            self.passed.add(name)
            self.newly_passed.append(name)

    def failure(self, verb, error):
        """The answer to a request that raised `error`."""
        reason = f"{type(error).__name__}: {error}"
        body = reason.encode(errors="backslashreplace")[:LONGEST_REASON]
        if verb in (DESCRIBE_INPUT, COMPOSE_INPUT):  # they are tried with much that means nothing
            return answer(body, FAILED)
        if not isinstance(error, (BadSettings, BadRequest)):
            traceback.print_exception(error)
        self._expect_only({}, "comes after a failure")
        if isinstance(error, BadSettings):
            return answer(str(error).encode(errors="backslashreplace"), BAD_SETTINGS)
        return answer(body, FAILED)

    def _known_verbs(self):
        has = lambda name: callable(getattr(self.type, name, None))
        known = {HELLO: self._hello, CREATE: self._create, STEP: self._step, HASH: self._hash}
        for verb, name, handler in (
                (BEGIN_FRAME, "begin_frame", self._begin_frame), (RENDER, "render", self._render),
                (PROPOSE_INPUT, "propose_input", self._propose_input)):
            if has(name):
                known[verb] = handler
        if self.description or (has("save") and has("load")):
            known |= {SAVE: self._save, LOAD: self._load}
        if self.description or has("fields"):
            known |= {VISIT_FIELDS: self._visit_fields, NOTE_WRITES: self._note_writes}
        if has("describe_input") and has("compose_input"):
            for name in ("describe_input", "compose_input"):
                if not isinstance(inspect.getattr_static(self.type, name), staticmethod):
                    raise TypeError(f"{self.type.__name__}.{name} must be a @staticmethod: it is "
                                    "asked before there is a simulation")
            known |= {DESCRIBE_INPUT: self._describe_input, COMPOSE_INPUT: self._compose_input}
        return known

    def _expect_only(self, handlers, why):
        def refuse(*_):
            raise BadRequest(f"this request {why}")

        for verb in self.known:
            self.handlers[verb] = handlers.get(verb, refuse)

    def _hello(self, buffer, at, end):
        if buffer[at:min(end, at + 8)] != MAGIC or end - at < 12:
            raise BadRequest("hello does not say isotick")
        later = (CREATE, DESCRIBE_INPUT, COMPOSE_INPUT)
        self._expect_only({verb: self.known[verb] for verb in later if verb in self.known},
                          "comes before create, or is a second hello")
        return answer(self.type.info.pack(self.known))

    def _create(self, buffer, at, end):
        need(end - at, 20)
        players, seed, *rate = unpack_create(buffer, at)
        texts = Texts(buffer, at + 20, end)
        setup = Setup(players, seed, tuple(rate), texts.settings(), texts.settings())
        least, most, _ = self.type.info.players
        if not least <= players <= most:
            raise BadSettings(f"it takes {least} to {most} players, not {players}")
        if not all(rate):
            raise BadSettings("a tick rate needs two numbers above 0")
        self.setup = setup
        self.next_tick = 0
        self.simulation = self.type(setup)
        rest = {verb: self.known[verb] for verb in self.known if verb not in (HELLO, CREATE)}
        self._expect_only(rest, "comes a second time")
        return answer(struct.pack("<I", len(self.parts)) + b"".join(map(pack_text, self.parts)))

    def _begin_frame(self, buffer, at, end):
        need(end - at, 8)
        self.simulation.begin_frame(unpack_i64(buffer, at)[0])
        return NOTHING

    def _step(self, buffer, at, end):
        if end - at < 36:
            raise BadRequest(TOO_SHORT)
        tick, dt, numerator, denominator, count = unpack_step(buffer, at)
        self._check_step(tick, dt, numerator, denominator, count)
        at += 36
        inputs = []
        while count and end - at >= 4:
            count -= 1
            size = unpack_u32(buffer, at)[0]
            at += 4
            if size == ABSENT:
                inputs.append(None)
            elif size > LONGEST_INPUT:
                raise BadRequest(f"an input of {size} bytes is too long")
            else:
                inputs.append(buffer[at:at + size])
                at += size
        if count or at > end:
            raise BadRequest(TOO_SHORT)
        world = inputs.pop()
        self.next_tick = tick + 1
        self.simulation.step(Step(tick, dt, numerator, denominator, inputs, world,
                                  self.pass_checkpoint))
        return self._newly_passed() if self.newly_passed else NOTHING

    def _newly_passed(self):
        names = struct.pack("<I", len(self.newly_passed)) + b"".join(
            map(pack_text, self.newly_passed))
        self.newly_passed.clear()
        return answer(names)

    def _check_step(self, tick, dt, numerator, denominator, count):
        """Refuses what no simulation may be asked."""
        if count != self.setup.players + 1:
            raise BadRequest(f"{count} inputs for {self.setup.players} players and the world")
        if tick != self.next_tick and self.next_tick is not None:
            raise BadRequest(f"tick {tick} where {self.next_tick} is next")
        if not 0 <= dt < math.inf or (numerator and not denominator):
            raise BadRequest(f"a dt of {dt}, {numerator}/{denominator}")
        rate, per = self.setup.rate
        if not (self.type.info.changing_dt or denominator and dt == per / rate
                and numerator * rate == denominator * per):
            raise BadRequest("this dt is not the tick rate's")

    def _render(self, buffer, at, end):
        need(end - at, 8)
        alpha, = unpack_f64(buffer, at)
        if not 0 <= alpha < 1:
            raise BadRequest(f"an alpha of {alpha}")
        self.simulation.render(alpha)
        return NOTHING

    def _hash(self, *_):
        if self.description:
            return answer(self.description.hashes(self.simulation.state))
        hashes = self.simulation.hash()
        if len(hashes) != len(self.parts):
            raise ValueError(f"hash() returned {len(hashes)} for {len(self.parts)} parts")
        return answer(struct.pack(f"<{len(hashes)}Q", *hashes))

    def _propose_input(self, buffer, at, end):
        need(end - at, 20)
        player, *rest = unpack_proposal(buffer, at)
        if player >= self.setup.players and player != WORLD:
            raise BadRequest(f"there is no player {player}")
        data = self.simulation.propose_input(player, *rest)
        return answer(b"\0" if data is None else b"\1" + data)

    def _save(self, *_):
        own = not self.description
        return answer(self.simulation.save() if own else
                      self.description.save(self.simulation.state))

    def _load(self, buffer, at, end):
        data = buffer[at:end]
        self.next_tick = None  # the snapshot knows
        if self.description:
            self.simulation.state = self.description.load(data)
        else:
            self.simulation.load(data)
        return NOTHING

    def _fields(self):
        own = not self.description
        return self.simulation.fields() if own else self.description.fields(self.simulation.state)

    def _visit_fields(self, *_):
        return answer(self._fields())

    def _note_writes(self, buffer, at, end):
        need(end - at, 1)
        changing = [verb for verb in (BEGIN_FRAME, STEP, RENDER, LOAD) if verb in self.known]
        if not buffer[at]:
            if not self.writes:
                raise BadRequest("note_writes ends before it begins")
            for verb in changing:
                self.handlers[verb] = self.known[verb]
            writes, self.writes = self.writes, None
            return answer(writes.end())
        file = getattr(sys.modules.get(self.type.__module__), "__file__", None) or ""
        self.writes = Writes(self._fields, os.path.dirname(file))
        for verb in changing:
            self.handlers[verb] = self._noting(verb)
        return NOTHING

    def _noting(self, verb):
        return lambda *request: self.writes.during(verb, lambda: self.known[verb](*request))

    def _describe_input(self, buffer, at, end):
        need(end - at, 4)
        if end - at - 4 > LONGEST_INPUT:
            raise BadRequest(f"an input of {end - at - 4} bytes is too long")
        value = self.type.describe_input(unpack_u32(buffer, at)[0], buffer[at + 4:end])
        return answer(json.dumps(value, allow_nan=False).encode())

    def _compose_input(self, buffer, at, end):
        need(end - at, 4)
        value = json.loads(buffer[at + 4:end])
        return answer(self.type.compose_input(unpack_u32(buffer, at)[0], value))


def need(size, least):
    if size < least:
        raise BadRequest(TOO_SHORT)


def described_state(simulation_class):
    annotation = typing.get_type_hints(simulation_class).get("state")
    return Description(annotation) if annotation else None
