"""Exit code 3, and what becomes of files: damage, newer versions, full disks, --force."""

import os
import resource
import shutil
import unittest

from program import ProgramTest, row

READERS = ("inspect {}", "replay {}", "verify {} --trials 4", "diff {} s.isotick",
           "diff s.isotick {}")
SMALLEST_READER = 10  # its offset in the head
BODY = 60             # an offset within the head's fields
HEADER = 24           # bytes of a chunk's header


def flip(offset):
    def change(content):
        content[offset] ^= 1
    return change


def flip_middle(content):
    content[len(content) // 2] ^= 1


def cut(end):
    def change(content):
        del content[end:]
    return change


def chunks(content):
    """Where the chunks of a recording begin, and where the last one ends."""
    at = 20 + int.from_bytes(content[12:16], "little")
    places = [at]
    while at < len(content):
        at += HEADER + int.from_bytes(content[at + 8:at + 12], "little") + 4
        places.append(at)
    return places


def no_growth_beyond(size):
    """Stands in for a full disk. The limit counts for memory that a worker shares (114 kB), too."""
    def before():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return before


class Files(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim skirmish --config units=60 --ticks 600")
        cls.record("old.isotick", "--sim spring --ticks 20")

    def every_reader_says(self, name, says):
        for reader in READERS:
            run = self.ends(3, reader.format(name), says)
            self.assertEqual(run.out, "", reader)
            self.assertIn(f"{name}: ", run.err, reader)

    def test_what_is_no_recording(self):
        self.path("text.isotick").write_text("hello\n" * 100, encoding="utf-8")
        self.path("empty.isotick").touch()
        self.path("folder.isotick").mkdir()
        self.every_reader_says("text.isotick", "not an isotick recording")
        self.every_reader_says("empty.isotick", "not an isotick recording")
        self.every_reader_says("folder.isotick", "is a directory")
        self.every_reader_says("none.isotick", "cannot be opened: No such file or directory")
        self.every_reader_says("/dev/null", "is not a regular file")
        self.every_reader_says("s.isotick/x", "cannot be opened: Not a directory")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_what_may_not_be_read(self):
        self.copy_with("locked.isotick", "s.isotick", lambda content: None)
        self.path("locked.isotick").chmod(0)
        self.every_reader_says("locked.isotick", "cannot be opened: Permission denied")

    def test_heads_that_cannot_be_used(self):
        self.copy_with("magic.isotick", "s.isotick", flip(1))
        self.copy_with("newer.isotick", "s.isotick", flip(SMALLEST_READER + 1))
        self.copy_with("head.isotick", "s.isotick", flip(BODY))
        self.copy_with("cut.isotick", "s.isotick", cut(BODY))
        self.every_reader_says("magic.isotick", "not an isotick recording")
        self.every_reader_says("newer.isotick", "needs an isotick that reads version 257")
        self.every_reader_says("head.isotick", "head is damaged: its checksum is wrong")
        self.every_reader_says("cut.isotick", "head is damaged: the file ends within it")

    def test_damage_in_the_middle_is_reported_with_what_survives(self):
        self.copy_with("middle.isotick", "s.isotick", flip_middle)
        run = self.ends(3, "inspect middle.isotick", "a chunk's checksum is wrong")
        self.assertRegex(row(run.out, "damage"), r"^at byte \d+: ")
        self.assertRegex(row(run.out, "surviving"), r"^ticks 0 to (\d+), (\d+) to 599$")
        intact = int(row(run.out, "surviving").split()[3].rstrip(",")) + 1
        self.assertTrue(row(run.out, "intact").startswith(f"the first {intact} ticks"))
        damage = row(run.out, "damage").replace("at byte", "damaged at byte")
        replay = self.ends(3, "replay middle.isotick", "UNREADABLE")
        self.assertEqual(row(replay.out, "reason"), f"{damage}; the {intact} ticks before it are "
                         "intact and were replayed")
        verify = self.ends(3, "verify middle.isotick --trials 4 --perturb none",
                           "UNREADABLE  4 of 4 trials")
        self.assertEqual(row(verify.out, "reason"), row(replay.out, "reason"))
        self.assertIn(f"{4 * intact:,} hashes in ", row(verify.out, "compared"))

    def test_damage_in_json(self):
        self.copy_with("middle.isotick", "s.isotick", flip_middle)
        survey = self.read_json(3, "inspect middle.isotick")
        self.assertEqual(len(survey["damages"]), 1)
        self.assertEqual(survey["surviving"][1]["end"], 600)
        self.assertEqual(self.read_json(3, "replay middle.isotick")["verdict"], "unreadable")
        self.assertEqual(self.read_json(3, "verify middle.isotick --trials 4")["verdict"],
                         "unreadable")

    def test_a_cut_in_the_middle(self):
        half = len(self.content("s.isotick")) // 2
        self.copy_with("half.isotick", "s.isotick", cut(half))
        self.ends(0, "inspect half.isotick", "unfinished: the writer was interrupted")
        self.ends(0, "replay half.isotick", "unfinished: the writer was interrupted")
        self.ends(4, "diff half.isotick s.isotick", "a is a prefix of b")
        self.copy_with("bare.isotick", "s.isotick", cut(300))
        self.ends(4, "replay bare.isotick", "INCONCLUSIVE")
        self.ends(4, "verify bare.isotick --trials 4", "INCONCLUSIVE")
        self.ends(0, "inspect bare.isotick", "unfinished: the writer was interrupted")

    def test_no_flipped_bit_is_called_identical(self):
        whole = self.content("s.isotick")
        tail = chunks(whole)[-3]
        places = list(range(1, tail, tail // 40)) + list(range(tail, len(whole), 20))
        for place in places:
            with self.subTest(place=place):
                self.copy_with("bit.isotick", "s.isotick", flip(place))
                for command in ("diff bit.isotick s.isotick", "diff s.isotick bit.isotick",
                                "diff bit.isotick bit.isotick"):
                    if place < tail:
                        run = self.ends(3, command)
                        self.assertNotIn("IDENTICAL", run.out)
                        self.assertNotIn("DIFFERS", run.out)
                    else:
                        run = self.ends(0, command, "IDENTICAL")
                        self.assertIn("tail damaged at byte ", run.out)

    def test_digests_alone_say_what_they_did_not_read(self):
        self.copy_with("bit.isotick", "s.isotick", flip(chunks(self.content("s.isotick"))[1] + 40))
        run = self.ends(0, "diff --digests bit.isotick s.isotick",
                        "IDENTICAL  same digests of session and hashes")
        self.assertEqual(row(run.out, "read"),
                         "1 chunk of a and 1 chunk of b; damage in others would go unnoticed")

    def test_a_lost_tail_costs_nothing(self):
        self.copy_with("tail.isotick", "s.isotick", cut(-10))
        self.assertEqual(row(self.ends(0, "inspect tail.isotick").out, "tail"), "none")
        self.ends(0, "replay tail.isotick", "600 hashes")
        self.ends(0, "verify tail.isotick --trials 4", "4 of 4 trials identical")
        self.ends(0, "diff tail.isotick s.isotick", "IDENTICAL")

    def test_a_divergence_before_the_damage_counts_more(self):
        self.record("control.isotick", "--sim control:render-random --config units=60 --ticks 600")
        self.copy_with("damaged.isotick", "control.isotick", flip_middle)
        self.ends(1, "replay damaged.isotick --schedule 100hz", "DIVERGED  at tick ")
        run = self.ends(1, "verify damaged.isotick --trials 4", "DIVERGED")
        self.assertTrue(row(run.out, "reason").startswith("damaged at byte "))

    def test_places_where_nothing_can_be_written(self):
        self.ends(3, "record --sim spring -o nowhere/s.isotick", "nowhere/s.isotick: cannot be")
        self.ends(3, "record --sim spring -o /dev/full --force", "No space left on device")
        self.ends(2, "record --sim spring -o /dev/full", "/dev/full exists")

    def test_a_full_disk_leaves_no_recording_that_looks_whole(self):
        run = self.ends(3, "record --sim skirmish --ticks 30000 -o full.isotick",
                        "full.isotick: cannot be written", before=no_growth_beyond(160_000))
        self.assertRegex(run.err, r"full.isotick is left unfinished, with the first [\d,]+ ticks")
        self.assertIn(self.isotick("inspect full.isotick").code, (0, 3))
        self.assertFalse(self.read_json(0, "inspect full.isotick")["finished"])
        run = self.ends(0, "replay full.isotick", "IDENTICAL")
        self.assertTrue(row(run.out, "note").startswith("unfinished: "))

    def test_force_with_nothing_to_replace_keeps_what_there_is(self):
        run = self.ends(3, "record --sim skirmish --ticks 30000 -o new.isotick --force",
                        "new.isotick: cannot be written", before=no_growth_beyond(160_000))
        self.assertRegex(run.err, r"new.isotick is left unfinished, with the first [\d,]+ ticks")

    def test_force_replaces_a_recording(self):
        self.record("force.isotick", "--sim spring --ticks 20")
        self.ends(0, "record --sim skirmish --ticks 20 -o force.isotick --force")
        self.ends(0, "inspect force.isotick", "skirmish")

    def test_force_keeps_the_old_recording_when_the_new_one_fails(self):
        old = self.content("old.isotick")
        before = sorted(path.name for path in self.folder.iterdir())
        crash = "--sim ./faulty.so --environment fault=abort --ticks 600"
        for command, code, limit, beside in (
                (crash, 5, None, "old.isotick.unfinished"),
                ("--sim skirmish --ticks 30000", 3, no_growth_beyond(160_000),
                 "old.isotick.unfinished1")):
            run = self.ends(code, f"record {command} -o old.isotick --force",
                            f"old.isotick is as it was before; {beside} is left unfinished, with",
                            before=limit)
            self.assertEqual("old.isotick.unfinished is a recording that was to replace" in run.err,
                             beside.endswith("1"))
            self.assertEqual(self.content("old.isotick"), old)
            self.assertTrue(self.read_json(0, f"inspect {beside}")["unfinished"])
        for command in ("inspect old.isotick", "repair old.isotick -o saved.isotick"):
            self.assertIn("old.isotick.unfinished1 is a recording that was to replace old.isotick",
                          self.ends(0, command).err)
        for name in ("old.isotick.unfinished", "old.isotick.unfinished1", "saved.isotick"):
            self.path(name).unlink()
        self.ends(2, "record --sim spring --schedule 0ms --ticks 5 -o old.isotick --force")
        self.assertEqual(self.content("old.isotick"), old)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)

    def test_what_is_read_is_not_replaced_under_any_name(self):
        shutil.copy(self.path("faulty.so"), self.path("game.so"))
        self.ends(0, "export s.isotick -o s.jsonl")
        self.path("frames.txt").write_text("16.6ms\n16.7ms\n", encoding="ascii")
        self.path("frames.schedule").write_text("# mine\n60hz\n", encoding="ascii")
        self.record("game.isotick", "--sim ./game.so --ticks 60")
        for read, command in (
                ("s.isotick", "export s.isotick"), ("s.jsonl", "import s.jsonl"),
                ("s.isotick", "minimize s.isotick"),
                ("game.so", "minimize s.isotick --sim ./game.so"),
                ("game.so", "minimize s.isotick --sim-a ./game.so"),
                ("game.so", "record --sim ./game.so"),
                ("game.so", "import s.jsonl --sim ./game.so"),
                ("game.so", "export game.isotick --sim ./game.so"),
                ("frames.txt", "record --sim spring --schedule frames.txt"),
                ("frames.txt", "record --sim spring --schedule 'capture(\"frames.txt\")'"),
                ("frames.schedule", "record --sim spring --schedule frames.schedule"),
                ("frames.txt", "minimize s.isotick --schedule frames.txt"),
                ("s.isotick", "repair s.isotick")):
            self.keeps(read, f"{command} --force -o {{}}")
        run = self.shell("isotick import - --force -o s.jsonl < s.jsonl")
        self.assertEqual(run.code, 2, run.err)

    def keeps(self, read, command):
        content = self.content(read)
        self.path("link").symlink_to(read)
        os.link(self.path(read), self.path("hard"))
        before = sorted(self.folder.iterdir())
        for name in (read, f"./{read}", f"../{self.folder.name}/{read}", self.path(read), "link",
                     "hard"):
            self.ends(2, command.format(name), "name another output")
        self.assertEqual(self.content(read), content)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        self.path("link").unlink()
        self.path("hard").unlink()

    def test_a_report_removes_nothing_that_is_read(self):
        self.path("report").mkdir()
        shutil.copy(self.path("s.isotick"), self.path("report/report.json"))
        self.refuses("verify report/report.json --report report", "name another output")
        self.refuses("verify ./report/../report/report.json s.isotick --report ./report",
                     "name another output")
        self.assertEqual(self.content("report/report.json"), self.content("s.isotick"))

    def test_a_stdout_that_takes_nothing(self):
        for command in ("sims", "inspect s.isotick", "replay s.isotick", "--help",
                        "verify s.isotick --trials 4", "diff s.isotick s.isotick"):
            with open("/dev/full", "wb") as full:
                self.ends(3, command, "cannot write the results: No space left", stdout=full)


if __name__ == "__main__":
    unittest.main()
