"""One description of a state gives its hashes, its snapshots and its fields.

The description is what Python has anyway, a dataclass with annotations:

    @dataclass
    class Unit:
        hull: int
        velocity: float

    @dataclass
    class State:
        units: dict[str, Unit]
        chance: random.Random

Annotations may be bool, int (64 bits), float, str, bytes, enum.Enum types, random.Random,
list[T], tuple[T, ...], tuple[A, B], dict[K, V], set[T], frozenset[T], T | None, dataclasses and
typing.NamedTuple types of these. A value that is not what its annotation says is an error that
names it: an int where a float belongs would come back from a snapshot as something else.

Every value has one form in bytes, that of core/FIELDS.md. Hashes and snapshots leave out the
names of members. What has an order keeps it, dicts too: they are iterated as they were filled, so
that is part of the state; the field `units (order)` shows it. Sets are sorted: their order is not
part of what they are, and a simulation that lets it decide anything differs from process to
process, soon visibly.

Objects are written wherever they are met: after `load`, what was one object in two places is two.
Keep indices or names instead. A state with cycles cannot be written.
"""

import dataclasses
import enum
import hashlib
import random
import types
import typing

from .values import (END_OF_OBJECT, OBJECT, BadSnapshot, BadState, Bool, Bytes, Enumerator, Float,
                     Int, Map, Optional, Random, Reader, Sequence, Set, Text, put_name)

HASH_ALGORITHM = "user:isotick-python-1"  # BLAKE2b, 8 bytes, of the form described above
MOST_PARTS = 256
DIGEST_SIZE = 8
VERSION, END = b"\x01", b"\x00"  # around the value in a field stream
SCALARS = {bool: Bool, int: Int, float: Float, str: Text, bytes: Bytes, random.Random: Random}


class Record:
    """A dataclass or typing.NamedTuple type: members in their order."""

    def __init__(self, kind):
        self.type = kind
        self.members = []  # name, coder; filled in later, since a type may hold others of its own

    def write(self, out, value, names):
        if type(value) is not self.type:
            raise BadState(f" is of type {type(value).__name__}, described as "
                           f"{self.type.__name__}")
        out.append(OBJECT)
        for name, coder in self.members:
            if names is not None:
                put_name(out, name, names)
            member = getattr(value, name)
            try:
                coder.write(out, member, names)
            except BadState as bad:
                raise bad.within(f".{name}") from None
            if names is not None and isinstance(coder, Map):  # a field for what is hashed with it
                put_name(out, f"{name} (order)", names)
                Sequence(list, coder.key).write(out, list(member), names)
        out.append(END_OF_OBJECT)

    def read(self, reader):
        reader.expect(OBJECT)
        values = [coder.read(reader) for _, coder in self.members]
        reader.expect(END_OF_OBJECT)
        if issubclass(self.type, tuple):
            return self.type(*values)
        value = object.__new__(self.type)  # neither __init__ nor __post_init__ runs again
        for (name, _), each in zip(self.members, values):
            object.__setattr__(value, name, each)
        return value


class Tuple:
    """tuple[A, B, …]: members without names."""

    def __init__(self, coders):
        self.coders = coders

    def write(self, out, value, names):
        if type(value) is not tuple or len(value) != len(self.coders):
            raise BadState(f" is {value!r:.40}, described as a tuple of {len(self.coders)}")
        out.append(OBJECT)
        for place, (coder, each) in enumerate(zip(self.coders, value)):
            try:
                coder.write(out, each, names)
            except BadState as bad:
                raise bad.within(f".{place}") from None
        out.append(END_OF_OBJECT)

    def read(self, reader):
        reader.expect(OBJECT)
        values = tuple([coder.read(reader) for coder in self.coders])
        reader.expect(END_OF_OBJECT)
        return values


class Description:
    """What a dataclass tells about the states of its type. Each member is a part."""

    def __init__(self, state_type):
        if not is_record(state_type):
            raise BadState(f"a state is a dataclass, which {state_type!r} is not")
        self.root = coder_of(state_type, "state", {})
        self.parts = tuple(name for name, _ in self.root.members)
        if not 1 <= len(self.parts) <= MOST_PARTS:
            raise BadState(f"{state_type.__name__} has {len(self.parts)} members; a state has 1 "
                           f"to {MOST_PARTS} parts")

    def hashes(self, state):
        """The hashes of all parts, 8 bytes each."""
        joined = b""
        for name, coder in self.root.members:
            form = bytearray()
            try:
                coder.write(form, getattr(state, name), None)
            except BadState as bad:
                raise bad.within(f"state.{name}") from None
            joined += hashlib.blake2b(form, digest_size=DIGEST_SIZE).digest()
        return joined

    def fields(self, state):
        """A field stream."""
        return self._stream(state, {})

    def save(self, state):
        """A snapshot: a digest of what follows, then a field stream without names."""
        stream = self._stream(state, None)
        return digest(stream) + stream

    def load(self, snapshot):
        """A new state. Raises BadSnapshot, or another exception for bytes that are damaged."""
        stream = snapshot[DIGEST_SIZE:]
        if snapshot[:DIGEST_SIZE] != digest(stream):
            raise BadSnapshot("the snapshot is damaged, or of another kind")
        reader = Reader(stream)
        if reader.take(1) != VERSION:
            raise BadSnapshot("the snapshot is of a later version")
        state = self.root.read(reader)
        if reader.take(1) != END or reader.at != len(stream):
            raise BadSnapshot("the snapshot has extra bytes after its end")
        return state

    def _stream(self, state, names):
        out = bytearray(VERSION)
        try:
            self.root.write(out, state, names)
        except BadState as bad:
            raise bad.within("state") from None
        return bytes(out + END)


def digest(data):
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()


def is_record(kind):
    return isinstance(kind, type) and (dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"))


def coder_of(annotation, path, known):
    """The coder for an annotation; `path` is for people, `known` has those of records met."""
    if annotation in SCALARS:
        return SCALARS[annotation]()
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return Enumerator(annotation)
    if is_record(annotation):
        return record_of(annotation, path, known)
    origin, of = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        others = [each for each in of if each is not type(None)]
        if len(others) == 1:
            return Optional(coder_of(others[0], path, known))
    elif origin is tuple and not (len(of) == 2 and of[1] is Ellipsis):
        return Tuple([coder_of(each, f"{path}.{place}", known) for place, each in enumerate(of)])
    elif origin in (list, tuple):
        return Sequence(origin, coder_of(of[0], f"{path}[*]", known))
    elif origin in (set, frozenset):
        return Set(origin, coder_of(of[0], f"{path}[*]", known))
    elif origin is dict:
        return Map(coder_of(of[0], f"{path}'s key", known), coder_of(of[1], f"{path}[*]", known))
    raise BadState(f"{path} is described as {annotation}, of which no state can be made; there are "
                   "bool, int, float, str, bytes, Enum, random.Random, list[T], tuple[T, ...], "
                   "tuple[A, B], dict[K, V], set[T], frozenset[T], T | None, and dataclasses")


def record_of(kind, path, known):
    if kind not in known:
        known[kind] = Record(kind)
        hints = typing.get_type_hints(kind)
        names = ([each.name for each in dataclasses.fields(kind)]
                 if dataclasses.is_dataclass(kind) else kind._fields)
        for name in names:
            known[kind].members.append(
                (name, coder_of(hints.get(name), f"{path}.{name}", known)))
    return known[kind]
