"""Which lines of a simulation change its state: what note_writes tells (harness/PROTOCOL.md).

A trace function looks at the state before each line of the simulation's own code, and at each call
and return. Whatever has changed since the last look is attributed to the line that ran in between.
Python's library and installed packages have no lines of their own: what they change is attributed
to the line of the simulation that called them. A state that cannot be written at the moment is
looked at again at the next line. Only the thread that answers isotick is traced: what others change
is attributed to the line that it happens to run.
"""

import os
import struct
import sys

MOST_LOOKED_AT = 64 << 20  # bytes of states, which takes some seconds
MOST_LOGGED = 64 << 20
DEEPEST = 32  # functions of a call stack
INSTALLED = ("site-packages", "dist-packages")
LIBRARY = os.path.dirname(os.__file__) + os.sep
OWN_FOLDER = os.path.dirname(__file__)


class Writes:
    """A log, from its beginning to end(). `fields` returns the state as a field stream; `home` is
    the folder of the simulation's code."""

    def __init__(self, fields, home):
        self.fields = fields
        self.home = os.path.join(home, "")
        self.known = {}  # whether a file is the simulation's, by its name
        self.verb = 0  # what isotick asked for
        self.first = self.last = self.fields()
        self.log, self.logged, self.looked_at, self.cut = [], 0, 0, False
        self.at = None  # the frame that runs, and its line

    def during(self, verb, call):
        """Calls, and notes what changes meanwhile."""
        self.verb = verb
        before = sys.gettrace()
        sys.settrace(None if self.cut else self._enter)
        try:
            return call()
        finally:
            sys.settrace(before)
            self.look()
            self.at = None

    def end(self):
        return struct.pack("<BI", self.cut, len(self.first)) + self.first + b"".join(self.log)

    def look(self):
        """Notes what has changed since the last time."""
        if self.cut:
            return
        try:
            now = self.fields()
        except Exception:  # it cannot be written at the moment
            now = self.last
        self.looked_at += len(now)
        if now != self.last:
            self.last = now
            entry = self._entry(now)
            self.log.append(entry)
            self.logged += len(entry)
        if self.looked_at > MOST_LOOKED_AT or self.logged > MOST_LOGGED:
            self._give_up()

    def _give_up(self):
        self.cut = True
        self.at = None
        sys.settrace(None)

    def _enter(self, frame, _event, _argument):
        try:
            if self.cut or not self._is_own(frame.f_code.co_filename):
                return None
            self.look()  # what its caller did before the call
            self.at = frame, frame.f_lineno
            return self._follow
        except Exception:  # as where the simulation calls itself too deeply
            self._give_up()
            return None

    def _follow(self, frame, event, _argument):
        try:
            if self.cut:
                return None
            if event == "line":
                self.look()
                self.at = frame, frame.f_lineno
            elif event == "return":
                self.look()
                caller = self._own_caller(frame)
                self.at = (caller, caller.f_lineno) if caller else None
            return self._follow
        except Exception:
            self._give_up()
            return None

    def _own_caller(self, frame):
        frame = frame.f_back
        while frame and not self._is_own(frame.f_code.co_filename):
            if os.path.dirname(frame.f_code.co_filename) == OWN_FOLDER:
                return None  # what isotick asked for begins here
            frame = frame.f_back
        return frame

    def _is_own(self, file):
        if file not in self.known:
            within = file.removeprefix(self.home)
            self.known[file] = not (file.startswith("<") or os.path.dirname(file) == OWN_FOLDER
                                    or any(f"{os.sep}{name}{os.sep}" in os.sep + within
                                           for name in INSTALLED)
                                    or within.startswith(LIBRARY))
        return self.known[file]

    def _entry(self, state):
        calls = []
        frame, line = self.at or (None, 0)
        while frame and len(calls) < DEEPEST:
            calls.append(text(frame.f_code.co_qualname) + text(frame.f_code.co_filename)
                         + struct.pack("<I", line or 0))
            frame = self._own_caller(frame)
            line = frame.f_lineno if frame else 0
        return (struct.pack("<BI", self.verb, len(calls)) + b"".join(calls)
                + struct.pack("<I", len(state)) + state)


def text(value):
    encoded = value.encode(errors="backslashreplace")
    return struct.pack("<I", len(encoded)) + encoded
