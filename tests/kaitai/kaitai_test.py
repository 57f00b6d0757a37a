"""replay/isotick.ksy: what Kaitai Struct reads with it is what stands in recordings."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
GOLDEN = sorted((PROJECT / "tests/replay/golden").glob("*.isotick"))
PREFIX, HEADER, FRAME = 20, 24, 28
TYPES = {1: "TICKS", 2: "FINAL", 0x82: "INDEX", 0x83: "END_MARK"}


def kaitai(*paths):
    """What read.js prints of these files."""
    ran = subprocess.run(
        [os.environ["ISOTICK_NODE"], HERE / "read.js", PROJECT / "replay/isotick.ksy", *paths],
        capture_output=True, check=False, text=True, timeout=300)
    if ran.returncode != 0:
        raise AssertionError(ran.stderr)
    return json.loads(ran.stdout)


def surveyed(path):
    """What isotick says of a recording."""
    ran = subprocess.run([os.environ["ISOTICK_PROGRAM"], "inspect", path, "--json"],
                         capture_output=True, check=True, text=True, timeout=300)
    return json.loads(ran.stdout)


def varint(content, at):
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def eights(content):
    return [content[at:at + 8].hex() for at in range(0, len(content), 8)]


def payload_of(kind, content):
    """What a payload holds, as replay/FORMAT.md says."""
    if kind == 0x82:
        ticks, at = varint(content, 1)
        chunks, at = varint(content, at)
        return {"form": content[0], "ticks": ticks, "chunks": chunks, "list": content[at:].hex()}
    if kind == 0x83:
        return {"bytes": ""}
    blocks = {}
    at = 0
    if kind == 1:
        flags = content[0]
        size, at = varint(content, 1)
        blocks = {"zstd": bool(flags & 1), "dt_zstd": bool(flags & 4),
                  "inputs": content[at:at + size].hex(), "dts": None}
        at += size
        if flags & 2:
            size, at = varint(content, at)
            blocks["dts"] = content[at:at + size].hex()
            at += size
    return {**blocks, "hashes": eights(content[at:-32]),
            "digests": [content[-32:-16].hex(), content[-16:].hex()]}


def chunks_of(content):
    """The chunks behind a head, as replay/FORMAT.md says."""
    at = PREFIX + struct.unpack_from("<I", content, 12)[0]
    chunks = []
    while at < len(content):
        kind, version, ticks, size, first, checksum = struct.unpack_from("<4xBBHIQI", content, at)
        end = at + FRAME + size
        chunks.append({
            "offset": at, "end": end, "type": TYPES[kind], "version": version,
            "ticks_less_one": ticks, "first": first, "size": size, "header_checksum": checksum,
            "payload_checksum": struct.unpack_from("<I", content, end - 4)[0],
            "payload": payload_of(kind, content[at + HEADER:end - 4])})
        at = end
    return chunks


class Kaitai(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="isotick-kaitai-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.files = kaitai(*GOLDEN)

    def golden(self):
        self.assertGreaterEqual(len(GOLDEN), 4)
        yield from zip(GOLDEN, self.files, strict=True)

    def read(self, contents):
        paths = []
        for n, content in enumerate(contents):
            paths.append(Path(self.folder.name) / f"{n}.isotick")
            paths[-1].write_bytes(content)
        return kaitai(*paths)

    def read_with(self, changes):
        """What is read of the first golden recording with another byte at a place, for each."""
        content = GOLDEN[0].read_bytes()
        return zip(changes, self.read(content[:place] + bytes([byte]) + content[place + 1:]
                                      for place, byte in changes), strict=True)

    def test_each_language_gets_a_parser(self):
        made = kaitai()
        self.assertEqual(len(made), 11)
        for language, files in made.items():
            self.assertGreater(len(files), 0, language)

    def test_chunks_are_those_of_the_file(self):
        for path, read in self.golden():
            with self.subTest(path.name):
                self.assertEqual(read.get("chunks"), chunks_of(path.read_bytes()), read)

    def test_heads_and_chunks_are_those_that_isotick_reads(self):
        for path, read in self.golden():
            with self.subTest(path.name):
                said = surveyed(path)
                head, chunks = read["head"], read["chunks"]
                rate = f"{head['rate'][0]}/{head['rate'][1]}hz".replace("/1hz", "hz")
                self.assertEqual((head["simulation"], rate, head["players"], head["config"]),
                                 tuple(said["session"][name] for name in
                                       ("simulation", "tick_rate", "players", "config")))
                for name in ("hash_algorithm", "nan_policy", "hash_every", "parts_every", "parts",
                             "notes"):
                    self.assertEqual(head[name], said[name], name)
                ticks = [chunk for chunk in chunks if chunk["type"] == "TICKS"]
                self.assertEqual(len(ticks), said["chunks"])
                self.assertEqual(sum(chunk["ticks_less_one"] + 1 for chunk in ticks),
                                 said["ticks"])
                self.assertEqual([head["offset"], head["end"], chunks[-1]["end"]],
                                 [0, PREFIX + head["len_body"], said["bytes"]])

    def test_tick_chunks_follow_each_other(self):
        for path, read in self.golden():
            with self.subTest(path.name):
                of = {name: [chunk for chunk in read["chunks"] if chunk["type"] == name]
                      for name in TYPES.values()}
                full = read["head"]["chunk_ticks"]
                self.assertEqual([chunk["first"] for chunk in of["TICKS"]],
                                 [n * full for n in range(len(of["TICKS"]))])
                self.assertEqual(of["INDEX"][0]["payload"]["chunks"], len(of["TICKS"]))
                self.assertEqual(of["INDEX"][0]["payload"]["ticks"], of["FINAL"][0]["first"])
                self.assertEqual(of["END_MARK"][0]["first"], of["INDEX"][0]["offset"])

    def test_an_unfinished_recording_is_read(self):
        content = GOLDEN[0].read_bytes()
        chunks = chunks_of(content)
        read = self.read([content[:chunks[0]["end"]]])
        self.assertEqual(read[0]["chunks"], chunks[:1])

    def test_numbers_of_any_length_are_read(self):
        content = GOLDEN[0].read_bytes()
        end = chunks_of(content)[0]["end"]
        longer = b""
        for ticks, chunks in ((b"\x7f", b"\x80\x01"), (b"\xff\xfe\x7d", b"\x81\x82\x83\x04"),
                              (b"\x81\x82\x83\x84\x05", b"\x81\x82\x83\x84\x85\x06"),
                              (b"\x81\x82\x83\x84\x85\x86\x07", b"\0")):
            payload = b"\0" + ticks + chunks
            longer += struct.pack("<4sBBHIQI", b"\xfe\xc0\xde\xf5", 0x82, 1, 0, len(payload), 0, 0)
            longer += payload + bytes(4)
        content = content[:end] + longer
        self.assertEqual(self.read([content])[0]["chunks"], chunks_of(content))

    def test_what_is_no_recording_is_refused(self):
        at = chunks_of(GOLDEN[0].read_bytes())[0]["offset"]
        for change, read in self.read_with((
                (0, 0x88), (3, 0), (10, 2), (15, 1), (at, 0xff), (at + 4, 3), (at + 4, 0x7f),
                (at + 5, 2), (at + 11, 0x7f), (at + HEADER, 8))):
            with self.subTest(change):
                self.assertRegex(read.get("error", ""), "^Validation")
        self.assertRegex(self.read([GOLDEN[0].read_bytes()[:-1]])[0]["error"], "EOF")

    def test_unknown_chunks_that_readers_skip_are_passed_over(self):
        at = chunks_of(GOLDEN[0].read_bytes())[-1]["offset"]
        for change, read in self.read_with(((at + 4, 0x90), (at + 5, 2))):
            with self.subTest(change):
                self.assertEqual(read["chunks"][-1]["payload"], {"bytes": ""})


if __name__ == "__main__":
    sys.exit(unittest.main())
