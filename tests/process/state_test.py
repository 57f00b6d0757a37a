"""One description gives hashes, snapshots and fields: of every kind of value, and of none other."""

import enum
import math
import random
import struct
import typing
import unittest
from dataclasses import dataclass, field

from isotick.state import BadSnapshot, BadState, Description, digest


class Mode(enum.Enum):
    IDLE = "idle"
    HOLD = 3


class Point(typing.NamedTuple):
    x: float
    y: float


@dataclass
class Node:
    name: str
    children: list["Node"]


@dataclass(slots=True)
class Everything:
    flag: bool = True
    small: int = -1
    large: int = (1 << 64) - 1
    real: float = -0.0
    text: str = "grün"
    raw: bytes = b"\0\xff"
    mode: Mode = Mode.HOLD
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    reals: list[float] = field(default_factory=lambda: [1.5, math.inf])
    whole: tuple[int, ...] = (1, -2, 3)
    wide: list[int] = field(default_factory=lambda: [1, 1 << 63])
    pair: tuple[int, str] = (1, "one")
    point: Point = Point(1.0, 2.0)
    scores: dict[str, int] = field(default_factory=lambda: {"zoe": 1, "ann": 2})
    names: set[str] = field(default_factory=lambda: {"zoe", "ann"})
    modes: frozenset[Mode] = frozenset(Mode)
    maybe: float | None = None
    tree: Node = field(default_factory=lambda: Node("root", [Node("leaf", [])]))


@dataclass
class Numbers:
    numbers: list[int]


@dataclass
class Counter:
    counter: int


EVERYTHING = Description(Everything)


class States(unittest.TestCase):
    def assert_differs(self, **changed):
        other = EVERYTHING.hashes(Everything(**changed))
        self.assertNotEqual(EVERYTHING.hashes(Everything()), other)

    def refuses(self, says, **changed):
        with self.assertRaisesRegex(BadState, says):
            EVERYTHING.hashes(Everything(**changed))

    def test_come_back_from_snapshots(self):
        state = Everything()
        state.chance.gauss(0, 1)
        copy = EVERYTHING.load(EVERYTHING.save(state))
        self.assertEqual(EVERYTHING.hashes(copy), EVERYTHING.hashes(state))
        for part in [part for part in EVERYTHING.parts if part != "chance"]:
            self.assertEqual(getattr(copy, part), getattr(state, part))
            self.assertIs(type(getattr(copy, part)), type(getattr(state, part)))
        self.assertEqual(math.copysign(1, copy.real), -1)
        self.assertEqual(list(copy.scores), ["zoe", "ann"])
        self.assertEqual([copy.chance.gauss(0, 1) for _ in range(9)],
                         [state.chance.gauss(0, 1) for _ in range(9)])

    def test_have_a_part_for_each_member(self):
        self.assertEqual(EVERYTHING.parts[:3], ("flag", "small", "large"))
        hashes, other = (EVERYTHING.hashes(Everything(small=small)) for small in (1, 2))
        differing = [at // 8 for at in range(0, len(hashes), 8)
                     if hashes[at:at + 8] != other[at:at + 8]]
        self.assertEqual(differing, [1])

    def test_differ_by_every_bit_and_order_that_matters(self):
        self.assert_differs(flag=False)
        self.assert_differs(real=0.0)
        self.assert_differs(scores={"ann": 2, "zoe": 1})
        self.assert_differs(maybe=0.0)
        self.assert_differs(chance=random.Random(2))
        self.assert_differs(mode=Mode.IDLE)
        self.assert_differs(tree=Node("root", [Node("leaf", []), Node("leaf", [])]))

    def test_do_not_differ_by_the_order_of_sets(self):
        names = [f"name {number}" for number in range(100)]  # so that many collide
        one, other = set(names), set(reversed(names))
        self.assertNotEqual(list(one), list(other))
        self.assertEqual(EVERYTHING.hashes(Everything(names=one)),
                         EVERYTHING.hashes(Everything(names=other)))

    def test_say_which_value_is_not_as_described(self):
        self.refuses(r"^state\.real is of type int \(1\), described as float: make it 1.0", real=1)
        self.refuses(r"^state\.small is of type bool", small=True)
        self.refuses(r"^state\.large is 0x10+: an int of a state has at most 64", large=1 << 64)
        self.refuses(r"^state\.scores\['ann'\] is of type str", scores={"ann": "two"})
        self.refuses(r"^state\.reals\[1\] is of type str", reals=[1.0, "x"])
        self.refuses(r"^state\.tree\.children\[0\] is of type NoneType", tree=Node("a", [None]))
        self.refuses(r"^state\.names is of type list", names=["ann"])

    def test_say_what_cannot_be_described(self):
        for kind in (object, list, int | str, typing.Any):
            with self.assertRaisesRegex(BadState, r"^state\.a is described as .*dict\[K, V\]"):
                Description(dataclass(type("Bad", (), {"__annotations__": {"a": kind}})))
        with self.assertRaisesRegex(BadState, "a state is a dataclass"):
            Description(dict)

    def test_as_a_field_stream_are_what_the_format_says(self):
        self.assertEqual(Description(Counter).fields(Counter(42)),
                         b"\x01\x10\x01\x07counter\x27" + struct.pack("<q", 42) + b"\x11\x00")

    def test_refuse_damaged_snapshots(self):
        snapshot = EVERYTHING.save(Everything())
        for place in range(0, len(snapshot), 7):
            damaged = bytearray(snapshot)
            damaged[place] ^= 1
            for each in (bytes(damaged), snapshot[:place]):
                with self.assertRaises(BadSnapshot):
                    EVERYTHING.load(each)

    def test_believe_no_size_in_a_hostile_stream(self):
        """Past the digest, which anybody can compute."""
        stream = EVERYTHING.save(Everything())[8:]
        for place in range(len(stream)):
            for value in (0, 0x7f, 0xff):
                hostile = stream[:place] + bytes([value]) + stream[place + 1:]
                self._load_or_raise(hostile)

    def test_say_which_count_is_hostile(self):
        numbers = Description(Numbers)
        stream = numbers.save(Numbers([1, 2]))[8:]
        for hostile in (stream.replace(b"\x1c\x27\x02", b"\x1c\x27" + b"\xff" * 8 + b"\1"),
                        stream.replace(b"\x1c\x27\x02", b"\x12\xff\xff\xff\xff\1")):
            with self.assertRaisesRegex(BadSnapshot, r"values do not fit into what is left"):
                numbers.load(digest(hostile) + hostile)

    def _load_or_raise(self, stream):
        try:
            EVERYTHING.load(digest(stream) + stream)
        except (ValueError, TypeError, KeyError):
            pass  # what leaves `load` is an answer with status 1


if __name__ == "__main__":
    unittest.main()
