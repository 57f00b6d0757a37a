"""--json: every document is as harness/json.schema.json says, and no other is."""

import copy
import json
import re
import sys
import unittest

import json_schema
from program import PROJECT, ProgramTest, row

sys.path.insert(0, str(PROJECT / "tests/program/bisect"))
from history import BUILD, Repository, build_game, revision  # noqa: E402
from sources import build_project, units_of, write_project  # noqa: E402

SKIRMISH = "--sim skirmish --config units=20"
# A command for each document there is; more of each are checked wherever tests use --json.
EXAMPLES = {
    "sims_list": (0, "sims spring"),
    "sims_check": (0, "sims --check spring"),
    "loops": (0, "loops accumulator"),
    "record": (0, "record --sim spring --ticks 20 -o new.isotick --force"),
    "replay": (1, "replay leak.isotick --schedule 101.4ms --print units.health[3] --fields 1"),
    "verify": (1, "verify leak.isotick none.isotick --trials 20 --vary units=21 --fields 1"),
    "merge_matrix": (1, "merge --matrix leg=leg.json other=none.json"),
    "review": (0, "review p.isotick --sim-a ./faulty.so --sim ./faulty.so "
                  "--environment fault=build"),
    "corpus": (3, "corpus . --replay"),
    "lockstep": (1, "lockstep leak.isotick --peers 2 --network mobile --trials 8 --fields 1"),
    "netplay": (5, "netplay --peer 'sh -c \"exit {peer}\"' --trials 1 --length 1s"),
    "why": (1, "why leak.isotick --trials 20 -o why --force"),
    "minimize": (0, "minimize leak.isotick -o small.isotick --force --trials 20"),
    "diff_recordings": (1, "diff leak.isotick wide.isotick"),
    "diff_states": (1, "diff a.state b.state --fields=1"),
    "inspect_survey": (3, "inspect torn.isotick"),
    "inspect_ticks": (3, "inspect torn.isotick --ticks .."),
    "repair": (0, "repair torn.isotick -o saved.isotick --force"),
    "export": (3, "export torn.isotick -o words.jsonl --force"),
    "import": (0, "import short.jsonl -o short2.isotick --force"),
    "audit": (1, "audit --sim fault:stale-cache"),
    "bisect_commits": (0, f"bisect commits g.isotick --repo game --good main~2 --build '{BUILD}' "
                          "--sim '{out}/game.so' --work game.work"),
    "bisect_step": (1, "bisect step leak.isotick --sim control:long-frame --drive "
                       "'accumulator | 101.4ms'"),
    "bisect_ticks": (1, "bisect ticks f.isotick ./other_build.so --sim-a ./faulty.so --fields"),
    "bisect_build": (1, "bisect build w.isotick --compile-commands w/compile_commands.json "
                        "--work w.work --with=-ffast-math"),
}
# Commands whose documents have members that are seldom there, and what shows that they are.
SELDOM = (
    (1, "audit --sim control:alpha --config units=20 --ticks 100", '"disturbances": [\n'),
    (5, "audit f.isotick --sim ./faulty.so --environment fault=abort", '"reasons": [\n'),
    (1, "replay f.isotick --sim ./faulty.so --environment fault=build", '"nominal": {'),
    (0, "replay f.isotick --sim ./faulty.so --vary environment.x=1", '"unread": [\n'),
    (1, "diff short.isotick pace.isotick", '"what": "dt"'),
    (3, "diff torn.isotick tail.isotick", '"damage": {'),
    (0, "inspect tail.isotick", '"tail_damage": {'),
    (1, "sims --check 'exec:./sinful render-changes'", '"advice": '),
)
OPTIONAL = {"way", "difference", "reason"}  # of what an audit restored
MAPS = {"config", "notes"}  # whose keys are the user's


def flip_middle(content):
    content[len(content) * 2 // 5] ^= 1


def flip_last(content):
    content[-1] ^= 1


def objects(value, name=""):
    """All objects within a document, with the names of the members that they are."""
    if isinstance(value, dict) and name not in MAPS:
        yield name, value
    members = value.items() if isinstance(value, dict) else \
        ((name, one) for one in value[:3]) if isinstance(value, list) else ()
    for key, member in members:
        yield from objects(member, key)


class Documents(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        leaky = "--sim control:long-frame --ticks 100 --config units"
        cls.record("leak.isotick", f"{leaky}=20")
        cls.record("wide.isotick", f"{leaky}=21")
        cls.record("short.isotick", f"{SKIRMISH} --ticks 3")
        cls.record("long.isotick", f"{SKIRMISH} --ticks 200")
        cls.copy_with("torn.isotick", "long.isotick", flip_middle)
        cls.copy_with("tail.isotick", "long.isotick", flip_last)
        cls.record("f.isotick", "--sim ./faulty.so --ticks 60")
        cls.record("p.isotick", "--sim ./faulty.so --ticks 60")
        cls.isotick("verify p.isotick --sim ./faulty.so --environment fault=build --trials 6 "
                    "--propose")
        cls.isotick("verify leak.isotick --trials 20 --fields 1 --report result:leg.json")
        cls.isotick("export short.isotick -o short.jsonl")
        pace = cls.content("short.jsonl").replace(b'{"t":1', b'{"t":1,"dt":"1/30"')
        cls.path("pace.jsonl").write_bytes(pace)
        cls.isotick("import pace.jsonl -o pace.isotick")
        cls.isotick("replay leak.isotick --until 20 --state a.state")
        cls.isotick("replay leak.isotick --until 21 --state b.state")
        build_game(cls.folder, "game")
        cls.record("g.isotick", "--sim ./game.so --ticks 20 --inputs none")
        game = Repository(cls.folder / "game")
        for number, first in enumerate((99, 99, 7)):
            game.commit(revision(number, HURTS_FROM=first))
        game.write()
        write_project(cls.folder / "w", units_of({7: 4}))
        build_project(cls.folder / "w", cls.folder / "w.so")
        cls.record("w.isotick", "--sim ./w.so --ticks 10 --inputs none")
        cls.documents = {}

    def document(self, name):
        if name not in self.documents:
            self.documents[name] = self.read_json(*EXAMPLES[name])
        return copy.deepcopy(self.documents[name])

    def is_refused(self, name, document, why):
        with self.subTest(document=name, change=why):
            with self.assertRaises(AssertionError, msg=f"{name}: {why}"):
                json_schema.check(name, document)

    def test_the_schema_is_one(self):
        json_schema.Validator.check_schema(json_schema.SCHEMA)

    def listed(self, group=""):
        """The commands in help, or those of a group, with the group's name in front."""
        names = re.findall(r"^  ([a-z]+)  ", self.isotick(f"{group} --help").out
                           .split("Commands:")[1].split("Example:")[0], re.MULTILINE)
        return [f"{group} {name}".strip() for name in names]

    def test_every_command_with_json_has_a_document(self):
        names = self.listed()
        self.assertGreater(len(names), 10)
        groups = [one for one in names if "\nCommands:" in self.isotick(f"{one} --help").out]
        names = [name for one in names for name in (self.listed(one) if one in groups else [one])]
        self.assertEqual([name.replace(" ", "_") for name in names
                          if "  --json  " in self.isotick(f"{name} --help").out],
                         json_schema.commands())

    def test_every_document_has_an_example(self):
        self.assertEqual(json_schema.documents(), [*EXAMPLES])
        for name in EXAMPLES:
            json_schema.check(name, self.document(name))

    def test_what_is_seldom_there(self):
        for code, command, member in SELDOM:
            with self.subTest(command):
                self.ends(code, f"{command} --json", member)

    def test_every_document_begins_with_its_version(self):
        for name in EXAMPLES:
            self.assertEqual(next(iter(self.document(name).items())), ("version", 1), name)

    def test_a_document_of_another_version_is_refused(self):
        for name in EXAMPLES:
            self.is_refused(name, {**self.document(name), "version": 2}, "version 2")
            self.is_refused(name, {**self.document(name), "version": "1"}, "version as text")

    def test_a_member_too_few_is_refused(self):
        for name in EXAMPLES:
            document = self.document(name)
            for of, one in objects(document):
                for key in [*one]:
                    if key not in OPTIONAL or of != "restores":
                        value = one.pop(key)
                        self.is_refused(name, document, f"no {key} of {of}")
                        one[key] = value

    def test_a_member_too_many_is_refused(self):
        for name in EXAMPLES:
            document = self.document(name)
            for of, one in objects(document):
                one["planted"] = 1
                self.is_refused(name, document, f"another member of {of}")
                del one["planted"]

    def test_a_run_fails_that_prints_another_document(self):
        good = json.dumps(self.document("loops"))
        self.path("liar").write_text(f"#!/bin/sh\necho '{good}'\n", encoding="utf-8")
        self.path("liar").chmod(0o755)
        self.start(["./liar", "loops", "--json"])
        for words in (["./liar", "record", "--json"], ["sh", "-c", "./liar verify --json"]):
            with self.assertRaisesRegex(AssertionError, "not a '"):
                self.start(words)


class Seeds(ProgramTest):
    """A seed is text that --seed takes, and the same as in the report for people."""

    SEED = 2**64 - 1

    def test_of_a_session(self):
        self.record("s.isotick", f"--sim spring --ticks 20 --seed {self.SEED:#x}")
        seed = self.read_json(0, "inspect s.isotick")["session"]["seed"]
        self.assertEqual(seed, row(self.isotick("inspect s.isotick").out, "seed"))
        self.record("again.isotick", f"--sim spring --ticks 20 --seed {seed}")
        self.assertEqual(self.content("again.isotick"), self.content("s.isotick"))

    def test_of_trials(self):
        self.record("t.isotick", "--sim spring --ticks 20")
        [usual] = self.read_json(0, "verify t.isotick --trials 4")["recordings"]
        seed = usual["root_seed"]
        again = self.ends(0, f"verify t.isotick --trials 4 -v --seed {seed}").out
        self.assertEqual(again, self.isotick("verify t.isotick --trials 4 -v").out)
        self.assertIn(f"root seed {seed}\n", again)

    def test_as_numbers_are_refused(self):
        self.record("n.isotick", "--sim spring --ticks 20")
        verified = self.read_json(0, "verify n.isotick --trials 4")
        for of, key in ((verified["recordings"][0]["session"], "seed"),
                        (verified["recordings"][0], "root_seed")):
            seed = of[key]
            for wrong in (int(seed, 0), f"{int(seed, 0):016x}"):
                of[key] = wrong
                with self.assertRaisesRegex(AssertionError, f"{key}: "):
                    json_schema.check("verify", verified)
            of[key] = seed


if __name__ == "__main__":
    unittest.main()
