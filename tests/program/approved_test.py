"""What the program prints, held against approved transcripts in approved/.

A transcript lists commands (`$ isotick …`), what each prints, and its exit code where it is not 0.
After a change that is meant: `ISOTICK_BLESS=1 python3 tests/program/approved_test.py`, then read
the difference that git shows before committing it. Sizes in bytes are left out (`N bytes`), since
they depend on the version of zstd.
"""

import os
import re
import unittest

from program import PROJECT, ProgramTest

APPROVED = PROJECT / "tests" / "program" / "approved"
CAPTURES = PROJECT / "tests" / "harness" / "capture" / "samples"
BLESS = os.environ.get("ISOTICK_BLESS", "") != ""

# Audits name members by debug information, where the program can read it.
NAMES = "ISOTICK_WITHOUT_DEBUG_INFORMATION" not in os.environ

BATTLE = "--config units=100 --ticks 300"
TRANSCRIPTS = {
    "help": [
        "--help",
        *(f"{command} --help" for command in ("sims", "loops", "record", "replay", "verify",
                                              "lockstep", "netplay", "minimize", "diff",
                                              "inspect", "repair", "export", "import", "audit",
                                              "corpus")),
    ],
    "sims": ["sims", "sims skirmish", "sims spring", "sims ./faulty.so"],
    "check": [
        "sims --check spring",
        "sims --check 'exec:./sinful render-changes'",
        "sims --check 'exec:./sinful prints-first'",
    ],
    "loops": [
        "loops",
        *(f"loops {name}" for name in ("threaded", "ranged")),
        "replay spring.isotick --loop milliseconds --schedule 30hz",
        "record --sim spring --ticks 300 --loop milliseconds -o whole.isotick",
        "inspect whole.isotick",
        "verify spring.isotick --loop all --trials 13",
        "verify spring.isotick --loop growing",
        "verify leak.isotick --loop 'accumulator(most-ticks=4)'",
    ],
    "shrink": [
        "verify provoked.isotick --sim ./provoked.so",
        "verify provoked.isotick --sim ./provoked.so --shrink none",
        "verify provoked.isotick --sim ./provoked.so --shrink 100",
        "verify repro.isotick --sim ./provoked.so --trials 2",
        "verify broken-repro.isotick --sim ./provoked.so --trials 2",
    ],
    "lockstep": [
        f"lockstep --sim skirmish --peers 3 {BATTLE} --trials 3 --spectators 1",
        f"lockstep --sim control:render-random --peers 2 {BATTLE} --mode rollback --network mobile",
        "lockstep --sim skirmish --peers 4 --config units=100 --ticks 900 --trials 1 "
        "--event 'kill 2@4s' --event 'join 2@8s' --event 'leave 1@12s'",
        f"lockstep --sim skirmish --peers 4 {BATTLE} --trials 1 --fault '2 wrong-hashes'",
    ],
    "record": [
        f"record --sim skirmish {BATTLE} -o battle.isotick",
        "inspect battle.isotick",
        "record --sim spring --ticks 6000 --rate 100hz --seed 0xcafe --hash-every 10 "
        "--schedule 'jitter(60hz, 3ms, seed=7)' --inputs random --note who=me -o long.isotick",
        "inspect long.isotick",
    ],
    "inspect": [
        "inspect torn.isotick --ticks 60..130",
        "inspect torn.isotick",
    ],
    "repair": [
        "repair s.isotick -o copy.isotick",
        "repair torn.isotick -o first.isotick",
        "repair tailless.isotick -o tail.isotick",
        "repair cut.isotick -o end.isotick",
    ],
    "replay": [
        "replay s.isotick",
        "replay s.isotick --until 99 --schedule '3x10ms, 101.4ms'",
        "replay leak.isotick --schedule '40x16.667ms, 101.4ms'",
        "replay leak.isotick --schedule 144hz --time-scale 50% --longest-frame none",
        "replay sparse.isotick --schedule 45hz",
        "replay faulty.isotick --sim ./faulty.so --environment fault=build",
        "replay faulty.isotick --sim ./faulty.so --environment fault=abort",
        "replay faulty.isotick --sim ./faulty.so --environment 'fault=throw' --environment "
        "in=render",
        "replay s.isotick --schedule 1ns --most-frames 100",
    ],
    "captures": [
        "replay s.isotick --schedule presentmon-1.9.csv",
        "replay leak.isotick --schedule 'capture(\"mangohud-0.8.csv\", scale=500%, loops=2), 1s'",
        "replay leak.isotick --schedule drive.schedule",
        "verify s.isotick --schedule capframex.json",
        "record --sim spring --ticks 100 --schedule plain.txt -o captured.isotick",
        "inspect captured.isotick",
    ],
    "look": [
        "replay s.isotick --until 99 --print units.position_x[17] --print players[1]",
        "replay s.isotick --until 3 --print 'players[*].alive' --print world",
        "replay faulty.isotick --sim ./faulty.so --environment fault=build --print ''",
        "replay s.isotick --until 12 --watch units.velocity_x[17] --watch orders[0].kind",
        "replay faulty.isotick --sim ./faulty.so --environment fault=abort --watch counter",
        "replay leak.isotick --schedule '40x16.667ms, 101.4ms' --in-process",
    ],
    "verify": [
        "verify s.isotick --trials 20",
        "verify leak.isotick --trials 20",
        "verify sparse.isotick --trials 3",
        "verify s.isotick --trials 1",
        "verify driven.isotick --trials 20",
        "verify faulty.isotick --sim ./faulty.so --environment fault=throw",
        "verify s.isotick leak.isotick --trials 4",
        "verify chunks.isotick --sim ./chunks.so --trials 9 --vary workers=1,2,8",
        "replay chunks.isotick --sim ./chunks.so --schedule 45hz --vary environment.log=all",
    ],
    "pages": [
        "verify frames.isotick --trials 24",
        "verify sparse.isotick --trials 24 --audit none",
        "verify stale.isotick --trials 24 --audit none",
        "verify leftover.isotick --sim ./faulty.so --environment fault=leftover --trials 24 "
        "--audit none",
        "verify faulty.isotick --sim ./faulty.so --environment fault=process",
        "verify faulty.isotick --sim ./faulty.so --environment fault=build",
        "verify faulty.isotick --sim ./other_build.so --sim-a ./faulty.so",
        "verify faulty.isotick --sim ./faulty.so --environment fault=abort",
        "verify s.isotick --trials 24",
        "verify s.isotick --trials 24 --verbose",
        "verify frames.isotick --trials 24 --verbose",
    ],
    "diff": [
        "diff s.isotick s.isotick",
        *(f"diff s.isotick other-{what}.isotick" for what in ("simulation", "rate", "players",
                                                              "seed", "config", "inputs")),
        "diff faulty.isotick other-build.isotick",
        "diff s.isotick prefix.isotick",
        "diff leak.isotick other-drive.isotick",
    ],
    "text": [
        "export words.isotick",
        "export words.isotick --raw -o words.jsonl",
        "import words.jsonl -o imported.isotick",
        "import words.jsonl -o imported.isotick --force --rehash",
        "import words.jsonl -o again.isotick --json",
        "export again.isotick -o words.jsonl --force --json",
    ],
    "dt": [
        "import paces.jsonl -o paces.isotick",
        "inspect paces.isotick",
        "inspect paces.isotick --ticks 2..5",
        "inspect paces.isotick --ticks 3..4 --json",
        "export paces.isotick",
        "verify paces.isotick --trials 3",
        "diff paces.isotick other-pace.isotick",
    ],
    "audit": [
        f"audit --sim skirmish {BATTLE}",
        "audit --sim fault:stale-cache",
        "audit --sim control:alpha --config units=100",
    ],
}
ERRORS = [
    "", "frobnicate", "verify", "verify s.isotick --trials 0", "verify none.isotick",
    "replay faulty.isotick", "replay s.isotick --sim spring", "sims sprong",
    "record --sim spring -o s.isotick", "record --sim skirmish --players 65 -o x.isotick",
    "replay s.isotick --schedule 'jitter(60hz)'", "inspect ./faulty.so",
    "inspect s.isotick --ticks 20..10", "inspect s.isotick --ticks 300",
    "repair torn.isotick -o s.isotick", "repair torn.isotick -o ./torn.isotick --force",
    "record --sim ./bad_symbol.so -o x.isotick", "verify s.isotick --trials 3 --trials 4",
    "record --sim ./faulty.so --environment fault=abort -o x.isotick",
    "replay s.isotick --print units..health", "replay s.isotick --print units[17].healht",
    "replay s.isotick --watch units.healht[17] --until 0", "replay s.isotick --watch units.health",
    "replay s.isotick --watch units.health[*]", "replay s.isotick --watch world.side --json",
    "import s.isotick -o new.isotick", "import none.jsonl -o new.isotick", "export none.isotick",
    "export s.isotick --sim spring", "verify s.isotick --vary units",
    "replay hasty.isotick --sim ./faulty.so", "verify hasty.isotick --sim ./faulty.so",
    "audit hasty.isotick --sim ./faulty.so",
    "import hasty.jsonl --rehash --sim ./faulty.so -o hurried.isotick",
    "verify s.isotick --vary units=100", "verify s.isotick --vary units=two",
    "replay s.isotick --schedule presentmon-1.9.csv --until 0", "replay s.isotick --schedule x.csv",
    "replay s.isotick --schedule mangohud-sampled.csv", "replay s.isotick --schedule s.isotick",
    "replay s.isotick --schedule 'capture(\"plain.txt\", from=1000s)'",
    "loops sprong", "verify s.isotick --loop all --time-scale 2", "replay s.isotick --loop all",
    "replay s.isotick --loop 'fixed(most-ticks=4)'", "replay s.isotick --loop 'ranged(least=1)'",
    "verify faulty.isotick --sim ./faulty.so --loop variable", "verify s.isotick --shrink a-lot",
    "replay s.isotick --most-ticks 4 --loop variable",
]
SESSIONS = {
    "s": f"--sim skirmish {BATTLE}",
    "leak": f"--sim control:long-frame {BATTLE}",
    "sparse": f"--sim control:alpha {BATTLE} --hash-every 60 --players 3",
    "driven": f"--sim control:frame-time {BATTLE} --schedule 144hz",
    "faulty": "--sim ./faulty.so --ticks 60",
    "frames": f"--sim control:frame-time {BATTLE}",
    "stale": f"--sim fault:stale-cache {BATTLE}",
    "leftover": "--sim ./faulty.so --ticks 60 --environment fault=leftover",
    "chunks": "--sim ./chunks.so --ticks 120 --inputs random --config workers=1",
    "other-simulation": f"--sim twin:alpha {BATTLE}",
    "other-rate": f"--sim skirmish {BATTLE} --rate 60000/1001hz",
    "other-players": f"--sim skirmish {BATTLE} --players 4",
    "other-seed": f"--sim skirmish {BATTLE} --seed 2",
    "other-config": "--sim skirmish --config units=101 --ticks 300",
    "other-inputs": f"--sim skirmish {BATTLE} --inputs none",
    "other-build": "--sim ./faulty.so --ticks 60 --environment fault=build",
    "other-drive": f"--sim control:long-frame {BATTLE} --inputs bot --longest-frame none "
                   "--schedule '100x60hz, 150ms, 300x60hz'",
    "prefix": "--sim skirmish --config units=100 --ticks 100",
    "spring": "--sim spring --ticks 600",
    "provoked": "--sim ./provoked.so --ticks 3000",
    "repro": "--sim ./provoked.so --ticks 3000 --note 'isotick.repro=accumulator | 2290xnominal, "
             "101.4ms'",
    "broken-repro": "--sim ./provoked.so --ticks 3000 --note 'isotick.repro=2290xnominal'",
    "words": "--sim skirmish --config units=20 --ticks 20 --rate 10hz --hash-every 10 "
             "--note who=me",
}


# A session of the spring whose ticks do not all last equally long.
PACES = """\
{"format":"isotick-text","version":1,"simulation":"spring","rate":"10hz"}
{"repeat":3}
{"dt":"1/30","hex":{"0":"7f"}}
{"dt":"1/100"}
{"repeat":14}
{"finished":true}
"""


def flip_middle(content):
    content[len(content) * 2 // 5] ^= 1


def without_sizes(text):
    text = re.sub(r"\btime-zone=[\w/:+-]+", "time-zone=ZONE", text)  # of those that are here
    text = re.sub(r"\bat byte \d+", "at byte N", text)
    text = re.sub(r"(run A → run B\n +counter  )\d+ → \d+", r"\1A → B", text)
    text = re.sub(r"to\s+\d+(\s+\(was\s+\d+\);\s+in\s+another\s+run,\s+it\s+sets)\s+\d+",
                  r"to A\1 B", text)
    text = re.sub(r"\b[\d,]+ bytes\b", "N bytes", text)
    text = re.sub(r"(\.[ch]pp):\d+\)", r"\1:N)", text)  # moves with every edit
    return re.sub(r"\b\d+\.\d\d per tick\b", "N per tick", text)


class Approved(ProgramTest):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in SESSIONS.items():
            cls.record(f"{name}.isotick", options)
        for sample in CAPTURES.iterdir():
            cls.path(sample.name).symlink_to(sample)
        whole = cls.content("s.isotick")
        cls.copy_with("torn.isotick", "s.isotick", flip_middle)
        cls.path("tailless.isotick").write_bytes(whole[:-10])
        cls.path("cut.isotick").write_bytes(whole[:-500])
        cls.write_paces()

    @classmethod
    def write_paces(cls):
        cls.path("paces.jsonl").write_text(PACES)
        cls.path("other-pace.jsonl").write_text(PACES.replace("1/100", "1/99"))
        cls.isotick("import other-pace.jsonl -o other-pace.isotick")
        hasty = cls.isotick("export faulty.isotick").out
        cls.path("hasty.jsonl").write_text(hasty.replace('{"t":7,', '{"t":7,"dt":"1/30",'))
        cls.isotick("import hasty.jsonl -o hasty.isotick")

    def transcript(self, commands, of, cleaned=without_sizes):
        text = ""
        for command in commands:
            run = self.isotick(command)
            text += f"$ isotick {command}".rstrip() + "\n" + cleaned(of(run))
            text += f"(exit code {run.code})\n\n" if run.code != 0 else "\n"
        return text

    def is_approved(self, name, text):
        path = APPROVED / f"{name}.txt"
        if BLESS:
            path.write_text(text, encoding="utf-8")
        self.assertEqual(text, path.read_text(encoding="utf-8"),
                         "not as approved; see the top of approved_test.py")

    def test_results(self):
        for name, commands in TRANSCRIPTS.items():
            if name == "audit" and not NAMES:
                continue
            with self.subTest(name):
                cleaned = str if name == "audit" else without_sizes
                self.is_approved(name, self.transcript(commands, lambda run: run.out, cleaned))

    def test_errors(self):
        self.is_approved("errors", self.transcript(ERRORS, lambda run: run.err))

    def test_no_page_is_too_wide_but_for_commands(self):
        for command in TRANSCRIPTS["pages"]:
            for line in self.isotick(command).out.splitlines():
                if not line.startswith(("  reproduce ", "  debugger ")):
                    self.assertLessEqual(len(line), 100, line)

    def test_transcripts_are_all_made_by_this_test(self):
        self.assertEqual(sorted(path.stem for path in APPROVED.iterdir()),
                         sorted([*TRANSCRIPTS, "errors"]))

    def test_no_line_is_too_wide_for_a_help_text(self):
        for command in TRANSCRIPTS["help"]:
            for line in self.isotick(command).out.splitlines():
                self.assertLessEqual(len(line), 100, line)


class Json(ProgramTest):
    """--json prints one document, and in it the verdict."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("s", "leak", "faulty", "prefix", "other-inputs", "other-build"):
            cls.record(f"{name}.isotick", SESSIONS[name])

    def simulations(self, command):
        return [simulation["name"] for simulation in self.read_json(0, command)["simulations"]]

    def test_sims(self):
        self.assertIn("skirmish", self.simulations("sims"))
        self.assertEqual(self.simulations("sims ./faulty.so"), ["faulty"])

    def test_record_and_inspect(self):
        report = self.read_json(0, "record --sim spring --ticks 99 -o json.isotick")
        self.assertEqual((report["path"], report["ticks"]), ("json.isotick", 99))
        survey = self.read_json(0, "inspect json.isotick")
        self.assertEqual(survey["ticks"], 99)
        self.assertTrue(survey["finished"])
        self.assertEqual(survey["session_digest"], report["session_digest"])

    def test_replay(self):
        self.assertEqual(self.read_json(0, "replay s.isotick")["verdict"], "identical")
        report = self.read_json(1, "replay leak.isotick --schedule '40x16.667ms, 101.4ms'")
        self.assertEqual(report["verdict"], "diverged")
        self.assertEqual(report["explanation"]["tick"], 40)
        self.assertEqual(self.shell(report["reproduce"]).code, 1)

    def test_verify(self):
        self.assertEqual(self.read_json(0, "verify s.isotick --trials 5")["verdict"], "identical")
        report = self.read_json(1, "verify leak.isotick")
        self.assertEqual(report["verdict"], "diverged")
        failures = report["recordings"][0]["failures"]
        self.assertEqual(failures[0]["verdict"], "diverged")
        self.assertEqual(self.shell(failures[0]["reproduce"]).code, 1)
        self.assertEqual(self.read_json(4, "verify s.isotick --trials 1")["verdict"],
                         "inconclusive")

    def test_diff(self):
        outcomes = {"s.isotick s.isotick": (0, "identical"),
                    "s.isotick prefix.isotick": (4, "prefix"),
                    "s.isotick other-inputs.isotick": (1, "differs"),
                    "faulty.isotick other-build.isotick": (1, "differs")}
        for pair, (code, outcome) in outcomes.items():
            self.assertEqual(self.read_json(code, f"diff {pair}")["outcome"], outcome)


if __name__ == "__main__":
    unittest.main()
