"""Man page and completions against what the program prints, read here by other means.

Usage: pages_test.py PROJECT PAGES ISOTICK
"""

import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT, PAGES, ISOTICK = Path(sys.argv.pop(1)), Path(sys.argv.pop(1)), sys.argv.pop(1)
OPTION = re.compile(r"^  (?:(-\w),)?(--[\w-]+)(?: (\S+))?", re.MULTILINE)


def run(*words, **how):
    return subprocess.run(words, check=True, encoding="utf-8", stdout=subprocess.PIPE, **how).stdout


def names(kind):
    return {each["name"] for each in json.loads(run(ISOTICK, *kind.split()[:1], "--json"))[
        kind.split()[-1]]}




def helps(*command):
    """The help texts of a program's or a group's commands, by their names."""
    text = run(ISOTICK, *command, "--help").partition("Commands:")[2].partition("\n\n")[0]
    found = {}
    for name in re.findall(r"^  (\w+) {2,}", text, re.MULTILINE):
        found[" ".join([*command, name])] = run(ISOTICK, *command, name, "--help")
        found |= helps(*command, name)
    return found


HELP = helps()
SIMULATIONS, LOOPS = names("sims simulations"), names("loops")


def options(command):
    """The options of a command: all their names."""
    return {name for short, long, _ in OPTION.findall(HELP[command]) for name in (short, long)
            if name}


class Bash(unittest.TestCase):
    """One that knows nothing of isotick but this file."""

    def setUp(self):
        if not shutil.which("bash"):
            self.skipTest("no bash")
        self.folder = Path(tempfile.mkdtemp(prefix="isotick-pages-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("one.isotick", "two.isotick", "text.jsonl"):
            (self.folder / name).touch()
        (self.folder / "folder").mkdir()

    def offers(self, line):
        """What <TAB> offers at the end of `line`, whose words are parted as bash does it."""
        words = re.findall(r"[^\s=:]+|[=:]", line) + ([""] if line.endswith(" ") else [])
        script = (f"source '{PAGES}/isotick.bash'; COMP_LINE=$1 COMP_POINT=${{#1}}; shift; "
                  "COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)); _isotick; "
                  "[ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\"")
        offered = run("bash", "--norc", "-c", script, "bash", line, *words, cwd=self.folder)
        self.assertEqual(len(offered.split()), len(set(offered.split())), line)
        return set(offered.split())

    def test_commands(self):
        self.assertEqual(self.offers("isotick "), {name for name in HELP if " " not in name})
        self.assertEqual(self.offers("isotick bisect "),
                         {name.split()[1] for name in HELP if name.startswith("bisect ")})
        self.assertEqual(self.offers("isotick bisect st"), {"step"})
        self.assertEqual(self.offers("isotick re"), {"record", "replay", "repair", "review"})
        self.assertEqual(self.offers("isotick --"), {"--help", "--version"})

    def test_options_are_those_of_each_commands_help(self):
        for command in HELP:
            self.assertEqual(self.offers(f"isotick {command} -"), options(command), command)
        self.assertEqual(self.offers("isotick verify --json --tr"), {"--trials"})

    def test_values_that_help_enumerates(self):
        enumerated = [(command, option, value) for command, text in HELP.items()
                      for _, option, value in OPTION.findall(text) if re.search(r"\b[a-z]", value)]
        self.assertIn(("record", "--sample", "frame|tick"), enumerated)
        for command, option, value in enumerated:
            words = set(re.findall(r"(?<![^|])[a-z]+(?![^|])", value))
            self.assertLessEqual(words, self.offers(f"isotick {command} {option} "), value)
        self.assertEqual(self.offers("isotick record --sample=fr"), {"frame"})

    def test_simulations_and_loops_by_name(self):
        self.assertEqual(self.offers("isotick record --loop "), LOOPS)
        self.assertEqual(self.offers("isotick loops "), LOOPS)
        files = {"one.isotick", "two.isotick", "text.jsonl", "folder"}
        self.assertEqual(self.offers("isotick record --sim "), SIMULATIONS | files)
        self.assertEqual(self.offers("isotick sims ski"), {"skirmish"})

    def test_bash_has_the_part_of_a_name_before_a_colon_already(self):
        for line in ("isotick sims control:f", "isotick record --sim control:f",
                     "isotick record --sim=control:f"):
            self.assertEqual(self.offers(line), {"frame-time"}, line)
        self.assertIn("frame-time", self.offers("isotick sims control:"))

    def test_files(self):
        recordings = {"one.isotick", "two.isotick", "folder"}
        for command in ("replay", "verify", "minimize", "inspect", "repair", "export", "audit"):
            self.assertEqual(self.offers(f"isotick {command} "), recordings, command)
        self.assertEqual(self.offers("isotick verify one.isotick --strict tw"), {"two.isotick"})
        self.assertEqual(self.offers("isotick import "), recordings | {"text.jsonl"})
        self.assertEqual(self.offers("isotick verify --report "), {"folder", "github"})
        self.assertEqual(self.offers("isotick record --ticks "), set())


class OtherPages(unittest.TestCase):
    def test_fish_has_every_option_of_every_command(self):
        text = (PAGES / "isotick.fish").read_text(encoding="utf-8")
        for command in HELP:
            lines = re.findall(rf"'__isotick_(?:in|at_group) {command}' (.*?) -d ", text)
            found = {dashes.replace("s", "-").replace("l", "--") + name for line in lines
                     for dashes, name in re.findall(r"(?:^| )-([sl]) (\S+)", " " + line)}
            self.assertEqual(found, options(command), command)
        self.assertIn(" -l sample -x -a 'frame tick' ", text)  # these words, and no files

    def test_zsh_has_every_option_of_every_command(self):
        text = (PAGES / "_isotick").read_text(encoding="utf-8")
        for command in HELP:
            line = re.search(rf"^'{command}'\) .*", text, re.MULTILINE)[0]
            found = set(re.findall(r" '\*(--?[\w-]+)", line))
            self.assertEqual(found, options(command), command)

    def test_shells_that_are_here_can_read_them(self):
        for shell, name in (("fish", "isotick.fish"), ("zsh", "_isotick")):
            if shutil.which(shell):
                run(shell, "-n", str(PAGES / name))

    def test_the_same_program_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            run(sys.executable, str(PROJECT / "cmake/package/pages.py"), folder, ISOTICK)
            for page in PAGES.iterdir():
                self.assertEqual(page.read_bytes(), (Path(folder) / page.name).read_bytes())


class ManPage(unittest.TestCase):
    text = gzip.decompress((PAGES / "isotick.1.gz").read_bytes()).decode("ascii")

    def test_has_every_command_with_exactly_its_options(self):
        sections = re.findall(r"^\.SS isotick ([\w ]+)\n(.*?)(?=^\.S[SH])", self.text,
                              re.MULTILINE | re.DOTALL)
        self.assertEqual([command for command, _ in sections], list(HELP))
        for command, text in sections:
            bold = re.findall(r"^\.TP\n\\fB(.*?)\\fR", text, re.MULTILINE)
            found = {name for each in bold for name in each.replace("\\", "").split(", ")
                     if name.startswith("-")}
            self.assertEqual(found, options(command), command)

    def test_renders_without_complaint_and_loses_no_text(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=500n"],
                              input=self.text, check=True, capture_output=True, encoding="utf-8")
        self.assertEqual(done.stderr, "")
        plain = lambda text: re.sub(r"[\s\u2010]+", " ", text)
        for command, text in HELP.items():
            for line in text.splitlines():
                said = re.split(r" {2,}", line.strip())[-1]
                if said and not said.endswith(":"):
                    self.assertIn(plain(re.sub(r"^(-\w),|^Usage: ", r"\1", said)),
                                  plain(done.stdout.replace(", --", "--")), command)


if __name__ == "__main__":
    unittest.main()
