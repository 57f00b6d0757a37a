"""A live game in Python: plays and records a match, then plays it back under its own main loop.

Usage: live_game.py LIBISOTICK RECORDING
"""

import struct
import sys
from ctypes import (CDLL, POINTER, Structure, byref, c_char_p, c_int64, c_uint8, c_uint32, c_uint64,
                    c_void_p, cast, create_string_buffer, sizeof)

WORLD = 0xFFFFFFFF


class Message(Structure):
    _fields_ = [("text", c_char_p), ("capacity", c_uint64)]


class Input(Structure):
    _fields_ = [("player", c_uint32), ("present", c_uint32), ("size", c_uint64),
                ("data", POINTER(c_uint8))]


class Hashes(Structure):
    _fields_ = [("state", c_uint64), ("parts", POINTER(c_uint64)), ("part_count", c_uint32),
                ("reserved", c_uint32)]


class Head(Structure):
    _fields_ = [("struct_size", c_uint32), ("players", c_uint32), ("seed", c_uint64),
                *((name, c_uint32) for name in (
                    "rate_numerator", "rate_denominator", "hash_every", "parts_every",
                    "config_count", "note_count", "part_count", "reserved")),
                *((name, c_char_p) for name in ("simulation", "hash_algorithm", "nan_policy")),
                *((name, c_void_p) for name in ("config", "notes", "part_names"))]


class PlaybackOptions(Structure):
    _fields_ = [("struct_size", c_uint32), ("most_rollback", c_uint32), ("schedule", c_char_p),
                ("longest_frame_ns", c_int64), ("most_ticks", c_uint64), ("pace_slack", c_uint64),
                ("ticks", c_uint64)]


class Isotick:
    """The functions that return something else than an int or take a 64-bit number."""

    def __init__(self, path):
        self.c = CDLL(path)
        self.c.isotick_hash_bytes.restype = c_uint64
        self.c.isotick_hash_bytes.argtypes = [c_char_p, c_uint64]
        self.c.isotick_hash_parts.restype = c_uint64
        self.c.isotick_playback_inputs.restype = POINTER(Input)
        self.text = create_string_buffer(1024)
        self.message = Message(cast(self.text, c_char_p), sizeof(self.text))

    def call(self, name, *arguments):
        """Calls what returns a status; raises the reason of a failure."""
        if getattr(self.c, name)(*arguments, byref(self.message)) != 0:
            raise OSError(self.text.value.decode())


class Game:
    """A spring that is pushed, and its main loop: 60 ticks a second, however long a frame takes."""

    TICK_NS, LONGEST_FRAME_NS = 16_666_667, 250_000_000

    def __init__(self, isotick):
        self.isotick, self.tick, self.waiting_ns = isotick, 0, 0
        self.position, self.velocity = 1000, 0

    def hashes(self):
        state = struct.pack("<ii", self.position, self.velocity)
        part = c_uint64(self.isotick.c.isotick_hash_bytes(state, len(state)))
        return Hashes(self.isotick.c.isotick_hash_parts(byref(part), 1),
                      (c_uint64 * 1)(part.value), 1, 0)

    def step(self, push):
        self.velocity += push - int(self.position / 64)  # towards zero, as in C
        self.position += self.velocity
        self.tick += 1

    def frame(self, frame_time_ns, run_tick):
        self.waiting_ns += max(0, min(frame_time_ns, self.LONGEST_FRAME_NS))
        while self.waiting_ns >= self.TICK_NS and run_tick(self.tick):
            self.waiting_ns -= self.TICK_NS


def record(isotick, path):
    game = Game(isotick)
    head = Head(struct_size=sizeof(Head), players=1, simulation=b"spring")
    recorder = c_void_p()
    isotick.call("isotick_recorder_create", path.encode(), byref(head), byref(game.hashes()), None,
                 byref(recorder))

    def run_tick(tick):
        push = (c_uint8 * 1)(5 if tick % 50 < 3 else 0)  # your gamepad
        inputs = (Input * 2)(Input(0, 1, 1, push), Input(WORLD, 0, 0, None))
        game.step(push[0])
        isotick.call("isotick_recorder_record", recorder, c_uint64(tick), inputs, c_uint32(2),
                     byref(game.hashes()))
        return True

    for _ in range(1000):  # your main loop, your clock
        game.frame(7_000_000, run_tick)
    isotick.call("isotick_recorder_finish", recorder, byref(game.hashes()), c_uint32(60_000))
    isotick.c.isotick_recorder_destroy(recorder)


def play(isotick, path, schedule):
    game = Game(isotick)
    options = PlaybackOptions(struct_size=sizeof(PlaybackOptions), schedule=schedule.encode())
    playback = c_void_p()
    isotick.call("isotick_playback_open", path.encode(), byref(options), byref(playback))

    def run_tick(tick):
        inputs = isotick.c.isotick_playback_inputs(playback, c_uint64(tick))
        if not inputs:
            return False  # it is over
        game.step(inputs[0].data[0])
        return isotick.c.isotick_playback_check(playback, c_uint64(tick), byref(game.hashes()))

    frame_time_ns = c_int64()
    while isotick.c.isotick_playback_next_frame(playback, byref(frame_time_ns)):
        game.frame(frame_time_ns.value, run_tick)
    isotick.c.isotick_playback_finish(playback, None, byref(isotick.message))
    isotick.c.isotick_playback_destroy(playback)
    return isotick.text.value.decode()


if __name__ == "__main__":
    library = Isotick(sys.argv[1])
    record(library, sys.argv[2])
    found = play(library, sys.argv[2], "mix(seed=7)")
    print(found)
    sys.exit(0 if found.startswith("identical") else 1)
