"""Measures how fast a client of harness/PROTOCOL.md is, by a host that never waits for it.

Usage: ticks_per_second.py [--ticks 100000] [PROGRAM [ARGUMENT…]]

A tick is begin_frame, step (one player, absent), hash and render. Prints ticks per second of wall
time, which needs a quiet machine, and of the client's CPU time, which does not.
"""

import argparse
import os
import resource
import struct
import threading
import time

from host import (BEGIN_FRAME, HASH, OK, RENDER, Client, create, hello, request, step)

TICKS_AT_ONCE = 64


def tick(number):
    return (request(BEGIN_FRAME, struct.pack("<q", 16666667)) + step(number, None, None)
            + request(HASH) + request(RENDER, struct.pack("<d", 0.5)))


def measure(client, ticks):
    """Seconds; every byte of every answer is read."""
    client.ask(hello())
    parts, = struct.unpack_from("<I", client.ask(create())[1])
    frames = [client.ask(request(verb, bytes(8)))[0] == OK for verb in (BEGIN_FRAME, RENDER)]
    pieces = [b"".join(map(tick, range(first, min(first + TICKS_AT_ONCE, ticks))))
              for first in range(0, ticks, TICKS_AT_ONCE)]
    left = ticks * (4 * 5 + 8 * parts)
    began = time.perf_counter()
    feeder = threading.Thread(target=lambda: [client.send(piece) for piece in pieces])
    feeder.start()
    while left:
        read = len(os.read(client.process.stdout.fileno(), 1 << 20))
        if not read:
            raise EOFError(f"the client ended, {left} bytes early")
        left -= read
    feeder.join()
    return time.perf_counter() - began, frames


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ticks", type=int, default=100000)
    parser.add_argument("program", nargs="*", default=["trivial_sim.py"])
    chosen = parser.parse_args()
    with Client(*chosen.program) as client:
        seconds, frames = measure(client, chosen.ticks)
        ended = client.end()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{' '.join(chosen.program)}: {chosen.ticks / seconds:,.0f} ticks/s, "
          f"{chosen.ticks / (used.ru_utime + used.ru_stime):,.0f} per CPU second"
          + ("" if all(frames) else " (not all verbs)"))
    return ended.code


if __name__ == "__main__":
    raise SystemExit(main())
