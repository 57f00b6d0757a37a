"""A host for clients of harness/PROTOCOL.md, byte by byte: what the tests of clients share."""

import os
import struct
import subprocess
import sys
import threading
import time
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
TIME_LIMIT = 30  # seconds; nothing comes near it unless it hangs
PYTHON = (sys.executable, "-B", "-S")  # without its own packages it starts in half the time

(HELLO, CREATE, BEGIN_FRAME, STEP, RENDER, HASH, PROPOSE_INPUT, SAVE, LOAD, VISIT_FIELDS,
 DESCRIBE_INPUT, COMPOSE_INPUT, NOTE_WRITES) = range(1, 14)
OK, FAILED, BAD_SETTINGS, UNKNOWN_VERB = range(4)
WORLD = 0xffffffff
MAGIC = b"isotick\n"

Ended = namedtuple("Ended", "code answers err")
Info = namedtuple("Info", "version rate players verbs flags texts")


def python_command(program, *arguments):
    """What --sim takes, quoted for the command line of a test."""
    return f"'exec:{' '.join(PYTHON)} {HERE / program} {' '.join(arguments)}'"


def request(verb, body=b""):
    return struct.pack("<IB", 1 + len(body), verb) + body


def hello():
    return request(HELLO, MAGIC + struct.pack("<I", 1))


def text(content):
    return struct.pack("<I", len(content.encode())) + content.encode()


def create(players=1, seed=5, config=None, environment=None):
    body = struct.pack("<IQII", players, seed, 60, 1)
    for settings in (config or {}, environment or {}):
        body += struct.pack("<I", len(settings))
        body += b"".join(text(key) + text(value) for key, value in settings.items())
    return request(CREATE, body)


def step(tick, *inputs, dt=1 / 60):
    """Inputs of the players and then the world's: bytes or None."""
    body = struct.pack("<QdQQI", tick, dt, 1, 60, len(inputs))
    for each in inputs:
        body += b"\xff" * 4 if each is None else struct.pack("<I", len(each)) + each
    return request(STEP, body)


def answers_in(data):
    """[(status, body)]; raises where the last one is not whole."""
    found, at = [], 0
    while at < len(data):
        size, status = struct.unpack_from("<IB", data, at)
        if at + 4 + size > len(data):
            raise ValueError(f"an answer of {size} bytes ends too early")
        found.append((status, data[at + 5:at + 4 + size]))
        at += 4 + size
    return found


def info_in(body):
    version, *numbers, verbs, flags = struct.unpack_from("<6IQI", body)
    texts, at = [], 36
    while at < len(body):
        size, = struct.unpack_from("<I", body, at)
        texts.append(body[at + 4:at + 4 + size].decode())
        at += 4 + size
    return Info(version, tuple(numbers[:2]), tuple(numbers[2:]),
                {verb for verb in range(64) if verbs >> verb & 1}, flags, texts)


class Client:
    """A process of one of the simulations here."""

    def __init__(self, program, *arguments, **variables):
        self.process = subprocess.Popen(
            [*PYTHON, str(HERE / program), *arguments], bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "", **variables})
        self.watchdog = threading.Timer(TIME_LIMIT, self.process.kill)
        self.watchdog.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def send(self, data):
        self.process.stdin.write(data)

    def answer(self):
        size, status = struct.unpack("<IB", self._read(5))
        return status, self._read(size - 1)

    def ask(self, data):
        """The answer to one request, while nothing else is to be had."""
        self.send(data)
        return self.answer()

    def end(self):
        """What there is to read after the end of stdin."""
        out, err = self.process.communicate(timeout=TIME_LIMIT)
        return Ended(self.process.returncode, out, err.decode())

    def _read(self, size):
        data = b""
        while len(data) < size:
            piece = self.process.stdout.read(size - len(data))
            if not piece:
                raise EOFError(f"no more answers; stderr: {self.process.stderr.read().decode()}")
            data += piece
        return data


def play(program, requests, *arguments, **variables):
    """All at once, then the end of stdin."""
    with Client(program, *arguments, **variables) as client:
        out, err = client.process.communicate(b"".join(requests), timeout=TIME_LIMIT)
        return Ended(client.process.returncode, answers_in(out), err.decode())


def command_of(process):
    """The command line of a process; empty where it is gone, or dead and nobody has asked yet."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def is_gone(process):
    """Whether it is, within seconds: who is killed may take a moment."""
    deadline = time.monotonic() + 5
    while command_of(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not command_of(process)
