"""isotick export and isotick import: what comes back, what is refused, what is left behind."""

import json
import os
import re
import resource
import unittest

from program import PROJECT, ProgramTest, row

TEXT_MD = PROJECT / "harness" / "TEXT.md"
SESSIONS = {
    "skirmish": "--sim skirmish --config units=60 --ticks 300",
    "sparse": "--sim skirmish --config units=60 --ticks 310 --hash-every 60 --parts-every 70",
    "random": "--sim skirmish --config units=60 --ticks 200 --inputs random --players 3",
    "spring": "--sim spring --ticks 1000 --rate 60000/1001hz --seed 0xffffffffffffffff",
    "control": "--sim control:alpha --config units=60 --ticks 100 --schedule 144hz --note a=b=c",
    "plugin": "--sim ./faulty.so --ticks 100",
}


def blocks():
    """The code blocks of TEXT.md marked `jsonl`."""
    return re.findall(r"```jsonl\n(.*?)```", TEXT_MD.read_text(encoding="utf-8"), re.DOTALL)


class Text(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in SESSIONS.items():
            cls.record(f"{name}.isotick", options)

    def write(self, name, *lines):
        """A text; lines that are not strings are written as JSON."""
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n"
                       for line in lines)
        self.path(name).write_text(text, encoding="utf-8")
        return name

    def lines(self, recording, options=""):
        run = self.ends(0, f"export {recording} {options}")
        return [json.loads(line) for line in run.out.splitlines()]

    def is_absent(self, *names):
        for name in names:
            self.assertFalse(self.path(name).exists(), name)
        left = [path.name for path in self.folder.iterdir()
                if "-partial" in path.name or ".inputs" in path.name]
        self.assertEqual(left, [])


class RoundTrips(Text):
    def test_every_session_comes_back_byte_for_byte(self):
        for name in SESSIONS:
            for raw in ("", "--raw"):
                with self.subTest(name + raw):
                    run = self.shell(f"isotick export {name}.isotick {raw} | "
                                     f"isotick import - -o back.isotick --force")
                    self.assertEqual(run.code, 0, run.err)
                    self.assertEqual(self.content("back.isotick"), self.content(f"{name}.isotick"))

    def test_hashes_are_computed_as_they_were_recorded(self):
        for name in ("skirmish", "sparse", "spring"):
            self.ends(0, f"export {name}.isotick -o {name}.jsonl --force")
            run = self.ends(0, f"import {name}.jsonl -o {name}2.isotick --rehash", "computed by")
            self.assertEqual(self.content(f"{name}2.isotick"), self.content(f"{name}.isotick"))
            self.assertEqual(row(run.out, "finished"), "yes")
        self.is_absent()

    def test_computed_hashes_are_no_longer_of_the_schedule_that_was_recorded(self):
        self.assertEqual(self.lines("control.isotick")[0]["notes"],
                         {"a": "b=c", "isotick.schedule": "144hz"})
        self.ends(0, "export control.isotick -o control.jsonl")
        self.ends(0, "import control.jsonl --rehash -o control2.isotick")
        self.assertEqual(self.lines("control2.isotick")[0]["notes"], {"a": "b=c"})
        self.ends(0, "replay control2.isotick")

    def test_the_plugin_says_what_it_is(self):
        run = self.shell("isotick export plugin.isotick | "
                         "isotick import - --sim ./faulty.so --rehash -o plugin2.isotick")
        self.assertEqual(run.code, 0, run.err)
        self.assertEqual(self.content("plugin2.isotick"), self.content("plugin.isotick"))

    def test_a_recording_whose_writer_was_killed(self):
        whole = self.content("skirmish.isotick")
        marks = [found.start() for found in re.finditer(b"\xfe\xc0\xde\xf5\x01", whole)]
        self.path("killed.isotick").write_bytes(whole[:marks[2]])
        self.assertEqual(self.lines("killed.isotick")[-1], {"ticks": 128, "finished": False})
        self.shell("isotick export killed.isotick > killed.jsonl")
        for options in ("", "--force", "--force --rehash"):
            self.ends(0, f"import killed.jsonl -o killed2.isotick {options}")
            self.assertEqual(self.content("killed2.isotick"), self.content("killed.isotick"))

    def test_one_edited_input_is_the_one_difference(self):
        text = self.lines("skirmish.isotick")
        tick = next(line["t"] for line in text[1:-1] if "1" in line.get("in", {}))
        text[1 + tick]["in"]["1"] = [{"order": "hold", "groups": list(range(8))}]
        self.write("edited.jsonl", *text)
        self.ends(0, "import edited.jsonl -o edited.isotick")
        run = self.ends(1, "diff skirmish.isotick edited.isotick")
        self.assertEqual(row(run.out, "sessions"),
                         f"first differ in the input of player 1 at tick {tick}")
        self.assertNotIn("  hashes ", run.out)
        self.ends(0, "import edited.jsonl -o edited.isotick --rehash --force")
        run = self.ends(1, "diff skirmish.isotick edited.isotick")
        self.assertEqual(row(run.out, "sessions"),
                         f"first differ in the input of player 1 at tick {tick}")
        self.assertEqual(row(run.out, "hashes"), f"first differ at tick {tick}")
        self.ends(0, "replay edited.isotick")

    def test_the_example_of_text_md(self):
        by_hand, exported = blocks()
        self.path("hand.jsonl").write_text(by_hand, encoding="utf-8")
        self.ends(0, "import hand.jsonl -o hand.isotick")
        self.assertEqual(self.ends(0, "export hand.isotick").out, exported)
        self.ends(0, "replay hand.isotick")


class Words(Text):
    def test_orders_are_in_words_and_raw_in_hexadecimal(self):
        spoken = [line["in"] for line in self.lines("skirmish.isotick")[1:-1] if "in" in line]
        self.assertGreater(len(spoken), 5)
        self.assertLessEqual({order["order"] for inputs in spoken
                              for player, orders in inputs.items() if player != "world"
                              for order in orders}, {"scatter", "move", "attack", "hold"})
        raw = self.lines("skirmish.isotick", "--raw")[1:-1]
        self.assertEqual(sum("hex" in line for line in raw), len(spoken))
        self.assertFalse(any("in" in line for line in raw))

    def test_a_plugin_describes_its_inputs_if_asked_for(self):
        self.write("d.jsonl", {"format": "isotick-text", "version": 1, "simulation": "describing"},
                   {"in": {"0": {"length": 3}}}, {"hex": {"0": "0102", "1": ""}},
                   {"finished": True})
        self.refuses("import d.jsonl -o d.isotick", "there is no describing here")
        self.ends(0, "import d.jsonl -o d.isotick --sim ./describing.so")
        head, first, second, _ = self.lines("d.isotick", "--sim ./describing.so")
        self.assertEqual(head["notes"], {"isotick.build": "b1"})
        self.assertEqual(first["in"], {"0": {"length": 3}})
        self.assertEqual(second["in"], {"1": {"length": 0}})
        self.assertEqual(second["hex"], {"0": "0102"})
        self.assertEqual(self.lines("d.isotick")[1]["hex"], {"0": "070707"})
        self.refuses("export d.isotick --sim skirmish", "a session of describing, not of skirmish")

    def test_a_plugin_that_ends_its_process_over_an_input(self):
        for first, says in (("dd", "Aborted"), ("ee", "it called exit")):
            self.write("bad.jsonl",
                       {"format": "isotick-text", "version": 1, "simulation": "describing"},
                       {"hex": {"0": first}}, {"finished": True})
            self.ends(0, "import bad.jsonl -o bad.isotick --force --sim ./describing.so")
            run = self.ends(5, "export bad.isotick --sim ./describing.so -o bad2.jsonl", says)
            self.assertIn("the plug-in ended its process", run.err)
            self.is_absent("bad2.jsonl")
        self.refuses("export bad.isotick --sim ./none.so", "there is no such shared library")
        self.ends(5, "export bad.isotick --sim ./loading_abort.so")


class Refusals(Text):
    def test_who_goes_wrong_over_what_random_inputs_try_is_told_so(self):
        self.ends(5, "record --sim ./describing.so --inputs random --ticks 5 -o r.isotick",
                  "while describing inputs, before tick 0")

    def test_files_that_exist(self):
        self.path("there").write_text("precious", encoding="utf-8")
        self.ends(0, "export spring.isotick -o spring.jsonl")
        self.refuses("export spring.isotick -o there", "exists; nothing was written")
        self.refuses("import spring.jsonl -o there", "exists; nothing was written")
        self.refuses("import spring.jsonl -o .", "is a directory")
        self.assertEqual(self.content("there"), b"precious")
        self.ends(0, "export spring.isotick -o there --force")
        self.assertEqual(self.content("there"), self.content("spring.jsonl"))
        self.is_absent()

    def test_what_cannot_be_read(self):
        for name in ("none", "none/x", "."):
            self.ends(3, f"import {name} -o new.isotick", name)
            self.ends(3, f"export {name}", name)
        self.is_absent("new.isotick")

    def test_texts_that_make_no_sense_name_the_place_and_leave_nothing(self):
        text = self.ends(0, "export skirmish.isotick").out.splitlines()
        self.write("bad.jsonl", *text[:100], text[100].replace('"t":', '"tt":'), *text[101:])
        self.path("old.isotick").write_bytes(b"precious")
        for options in ("-o new.isotick", "-o old.isotick --force",
                        "-o new.isotick --rehash", "-o old.isotick --force --rehash"):
            run = self.ends(3, f"import bad.jsonl {options}")
            self.assertIn('bad.jsonl: line 101, column 2: "tt" is unknown here', run.err)
            self.assertEqual(run.out, "")
            self.is_absent("new.isotick")
            self.assertEqual(self.content("old.isotick"), b"precious")

    def test_some_hashes_but_not_all(self):
        text = self.ends(0, "export spring.isotick").out.splitlines()
        text[7] = re.sub(',"hash":"[0-9a-f]*"', "", text[7])
        self.write("mixed.jsonl", *text)
        self.ends(3, "import mixed.jsonl -o new.isotick",
                  'line 8, column 1: "hash" is due after tick 6, but missing; --rehash')
        self.is_absent("new.isotick")
        self.ends(0, "import mixed.jsonl -o rehashed.isotick --rehash")
        self.assertEqual(self.content("rehashed.isotick"), self.content("spring.isotick"))

    def test_a_simulation_that_crashes_while_hashes_are_computed(self):
        self.ends(0, "export plugin.isotick -o plugin.jsonl")
        for fault in ("abort", "throw"):
            self.ends(5, "import plugin.jsonl --rehash --sim ./faulty.so -o new.isotick "
                         f"--environment fault={fault}", "tick 20")
            self.is_absent("new.isotick")

    def test_a_damaged_recording_gives_its_intact_ticks(self):
        def flip(content):
            content[len(content) * 3 // 4] ^= 1
        self.copy_with("damaged.isotick", "skirmish.isotick", flip)
        run = self.isotick("export damaged.isotick")
        self.assertEqual(run.code, 3)
        self.assertRegex(run.err, r"damaged.isotick: at byte \d+: .*; only the first \d+ ticks")
        last = json.loads(run.out.splitlines()[-1])
        self.assertFalse(last["finished"])
        self.assertEqual(last["ticks"] + 2, len(run.out.splitlines()))
        self.path("rest.jsonl").write_text(run.out, encoding="utf-8")
        self.ends(0, "import rest.jsonl -o rest.isotick")
        self.ends(3, "export damaged.isotick -o rest2.jsonl")
        self.assertEqual(self.path("rest2.jsonl").read_text(encoding="utf-8"), run.out)

    def test_a_disk_that_is_full(self):
        def no_growth():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        self.ends(0, "export skirmish.isotick -o full.jsonl")
        self.ends(3, "export skirmish.isotick -o new.jsonl", "cannot be written", before=no_growth)
        self.ends(3, "import full.jsonl -o new.isotick", before=no_growth)
        self.is_absent("new.jsonl", "new.isotick")
        if os.path.exists("/dev/full"):
            run = self.shell("isotick export skirmish.isotick > /dev/full")
            self.assertEqual(run.code, 3)
            self.assertIn("stdout: cannot be written", run.err)


if __name__ == "__main__":
    unittest.main()
