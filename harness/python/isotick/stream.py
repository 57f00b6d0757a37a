"""The messages of harness/PROTOCOL.md on stdin and stdout, and who answers them does not matter."""

import os
import struct
import sys

BEGIN_FRAME, STEP, LOAD = 3, 4, 9
OK = 0
LONGEST_REQUEST, LONGEST_MESSAGE = 64 << 20, 1 << 30
CHUNK = 1 << 18  # what is read at a time, in bytes

unpack_head = struct.Struct("<IB").unpack_from
unpack_size = struct.Struct("<I").unpack_from
pack_head = struct.Struct("<IB").pack


class BadStream(Exception):
    """After this nobody knows where the next request begins."""


def take_streams():
    """The streams of the protocol, which from now on are stdin and stdout of nothing else."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.flush()
    sys.stdout = sys.stderr
    return requests, answers


def answer_all(handlers, failure, requests, answers, waiting):
    """Reads what there is, answers it, and waits for more only when all answers are written.

    They are also written before each step, so that one which crashes or hangs takes none along,
    and isotick names the right tick. `waiting` has the answers that are not written yet.
    """
    buffer, at = b"", 0
    while True:
        end = len(buffer)
        while end - at >= 5:
            size, verb = unpack_head(buffer, at)
            stop = at + 4 + size
            if not 0 < size <= LONGEST_REQUEST:
                check_size(size, verb)
            if stop > end:
                break
            if waiting and (verb == STEP or verb == BEGIN_FRAME):
                flush(answers, waiting)
            try:
                waiting.append(handlers[verb](buffer, at + 5, stop))
            except Exception as error:
                waiting.append(failure(verb, error))
            at = stop
        flush(answers, waiting)
        buffer = read_more(requests, buffer[at:])
        at = 0
        if not buffer:
            return


def check_size(size, verb):
    most = LONGEST_MESSAGE if verb == LOAD else LONGEST_REQUEST
    if not 1 <= size <= most:
        raise BadStream(f"a request of {size} bytes for verb {verb}")


def read_more(requests, begun):
    """The beginning of a request with all that is missing of it, and perhaps more requests."""
    pieces, length = [begun], len(begun)
    needed = 5
    if length >= 4:
        size = unpack_size(begun)[0]
        check_size(size, begun[4] if length > 4 else LOAD)
        needed = 4 + size
    while True:
        piece = os.read(requests, CHUNK)
        if not piece:
            if length:
                raise BadStream(f"it ends {length} bytes into a request")
            return b""
        pieces.append(piece)
        length += len(piece)
        if length >= needed or not begun:
            return b"".join(pieces)


def flush(answers, waiting):
    if waiting:
        joined = b"".join(waiting)
        waiting.clear()
        written = os.write(answers, joined)
        while written < len(joined):
            written += os.write(answers, memoryview(joined)[written:])


def answer(body, status=OK):
    if len(body) >= LONGEST_MESSAGE:
        raise ValueError(f"an answer of {len(body)} bytes is too long")
    return pack_head(1 + len(body), status) + body
