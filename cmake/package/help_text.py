"""Reads what `isotick --help` and `isotick COMMAND --help` print, also of commands in groups."""

import dataclasses
import json
import re
import subprocess

ROW = re.compile(r"  (\S+(?: \S+)*)(?: {2,}(\S.*))?$")
CONTINUED = re.compile(r" {30}(\S.*)$")


@dataclasses.dataclass
class Row:
    """A line of a table: `-o,--output FILE`, `recording` or `record`, and what it is for."""
    left: str
    text: str

    @property
    def names(self):
        """What an option is written as: -o and --output."""
        return self.left.split(" ")[0].split(",")

    @property
    def value(self):
        """What follows an option: FILE; nothing after a flag."""
        return self.left.partition(" ")[2]


@dataclasses.dataclass
class Help:
    """One help text. `notes` are the paragraphs after the tables, (heading, lines) each."""
    summary: str
    usage: str
    tables: dict[str, list[Row]]
    notes: list[tuple[str, list[str]]]

    @property
    def options(self):
        return self.tables["Options"]

    @property
    def arguments(self):
        return self.tables.get("Arguments", [])

    @property
    def commands(self):
        """The commands of a group by their last words; none of a command."""
        return self.tables.get("Commands", [])


@dataclasses.dataclass
class Program:
    version: str
    help: Help
    commands: dict[str, Help]  # by name: `verify`, `bisect` (a group), `bisect step`
    simulations: list[str]
    loops: list[str]

    @property
    def groups(self):
        return [name for name, command in self.commands.items() if command.commands]


def ask(program):
    """All that the program, a list of words, says about itself."""
    def said(*arguments):
        return subprocess.run([*program, *arguments], check=True, stdout=subprocess.PIPE,
                              encoding="utf-8").stdout

    def names(kind):
        return [each["name"] for each in json.loads(said(kind, "--json"))[
            {"sims": "simulations"}.get(kind, kind)]]

    own = parse(said("--help"))
    commands = {}
    for row in own.commands:
        commands[row.left] = parse(said(row.left, "--help"))
        for each in commands[row.left].commands:
            commands[f"{row.left} {each.left}"] = parse(said(row.left, each.left, "--help"))
    return Program(said("--version").split()[-1], own, commands, names("sims"), names("loops"))


def parse(text):
    """A help text: its first paragraph, its usage, its tables and the rest."""
    summary, usage, *rest = [paragraph.split("\n") for paragraph in text.strip().split("\n\n")]
    found = Help(" ".join(summary), usage[0].removeprefix("Usage: "), {}, [])
    for lines in rest:
        heading = lines.pop(0)[:-1] if lines[0].endswith(":") else ""
        if heading in ("Arguments", "Options", "Commands"):
            found.tables[heading] = rows(lines)
        else:
            found.notes.append((heading, lines))
    return found


def rows(lines):
    """The rows of a table; what stands in the right column alone continues the row above."""
    table = []
    for line in lines:
        if continued := CONTINUED.match(line):
            table[-1].text = f"{table[-1].text} {continued[1]}".strip()
        elif row := ROW.match(line):
            table.append(Row(row[1], row[2] or ""))
        else:
            raise ValueError(f"this is no row of a table: '{line}'")
    return table
