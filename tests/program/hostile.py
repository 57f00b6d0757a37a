"""Recordings that somebody made to do harm, with checksums that are right: see FORMAT.md."""

import ctypes
import ctypes.util

XXHASH = ctypes.CDLL(ctypes.util.find_library("xxhash"))
XXHASH.XXH3_64bits.restype = ctypes.c_uint64
ZSTD = ctypes.CDLL(ctypes.util.find_library("zstd"))
ZSTD.ZSTD_compress.restype = ctypes.c_size_t
ZSTD.ZSTD_compressBound.restype = ctypes.c_size_t

HEADER = 24
FRAME = HEADER + 4
TICKS = 4096  # of a chunk, at 4096 Hz


def checksum(content):
    return number(XXHASH.XXH3_64bits(content, ctypes.c_size_t(len(content))) & 0xffffffff, 4)


def number(value, size):
    return value.to_bytes(size, "little")


def varint(value):
    low = value & 0x7f
    return bytes([low]) if value < 0x80 else bytes([low | 0x80]) + varint(value >> 7)


def text(content):
    return number(len(content), 4) + content


def settings(entries):
    return number(len(entries), 4) + b"".join(text(key) + text(value) for key, value in entries)


def head(players=4096, simulation=b"skirmish", notes=()):
    body = (text(simulation) + number(TICKS, 4) + number(1, 4) + number(players, 4) + number(1, 8) +
            settings(()) + number(TICKS, 4) + text(b"isotick-xxh3-1") + text(b"bits") +
            number(2**32 - 1, 4) + number(1, 4) + number(1, 4) + text(b"state") +
            settings(notes) + number(0, 8))
    first = b"\x89ISO\r\n\x1a\n" + number(1, 2) + number(1, 2) + number(len(body), 4)
    return first + checksum(first + body) + body


def header(kind, first, length):
    content = b"\xfe\xc0\xde\xf5" + number(kind, 1) + number(1, 1) + number(TICKS - 1, 2)
    content += number(length, 4) + number(first, 8)
    return content + checksum(content)


def chunk(first, payload):
    return header(1, first, len(payload)) + payload + checksum(payload)


def compressed(content):
    room = ctypes.create_string_buffer(ZSTD.ZSTD_compressBound(ctypes.c_size_t(len(content))))
    size = ZSTD.ZSTD_compress(room, ctypes.c_size_t(len(room)), content,
                              ctypes.c_size_t(len(content)), 19)
    return room.raw[4:size]  # without its magic number


def tick_chunk(first, block, is_zstd=False):
    block = compressed(block) if is_zstd else block
    return chunk(first, bytes([is_zstd]) + varint(len(block)) + block + bytes(32))


def empty_by_turns(columns, runs, players=4096):
    """An input block: in so many columns absent and empty by turns, at each of the first ticks."""
    bits = ((1 << (runs - 1)) - 1).to_bytes(TICKS // 8, "little")
    codes = bytes([1, 0] * runs)[:runs]
    column = varint(0) + varint((runs - 1) << 2 | 2) + bits + codes
    return column * columns + (varint(players + 1 - columns) if columns <= players else b"")


def expanding():
    """A few hundred bytes that stand for as many runs as can be."""
    return head() + tick_chunk(0, empty_by_turns(128, TICKS), True)


def at_the_limit(size=300_000):
    """Small chunks, each of which stands for about as much as it may."""
    content = head()
    block = empty_by_turns(1, 1400)
    first = 0
    while len(content) < size:
        content += tick_chunk(first, block, True)
        first += TICKS
    return content


def idle(size=300_000):
    """The most ticks, and nobody does anything in them."""
    return head() + b"".join(tick_chunk(first * TICKS, varint(4097))
                             for first in range(size // 64))


def overlapping_claims(size=2_200_000):
    content = bytearray(head())
    while len(content) + FRAME < size:
        content += header(1, 0, size - len(content) - FRAME)
    return bytes(content.ljust(size, b"\0"))


def damages(size=2_000_000):
    """As many damaged places as can be."""
    content = bytearray(head())
    first = 0
    while len(content) < size:
        content += header(1, first, 0) + bytes(4)
        first += TICKS
    return bytes(content)


def notes():
    """A head of as many notes as can be."""
    return head(notes=[(f"{number:05x}".encode(), b"") for number in range(76_000)])


FILES = {made.__name__: made
         for made in (expanding, at_the_limit, idle, overlapping_claims, damages, notes)}
