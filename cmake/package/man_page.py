"""The man page, in roff, of all that the program's help texts say."""

import re

SECTIONS = {"Example": "EXAMPLES", "Exit codes": "EXIT STATUS"}  # as man pages call them


def man_page(program):
    own = program.help
    what = own.summary[0].lower() + own.summary[1:].rstrip(".")
    lines = [f'.TH ISOTICK 1 "" "isotick {program.version}" "User Commands"',
             ".SH NAME", rf"isotick \- {escaped(what)}",
             ".SH SYNOPSIS", rf"\fB{escaped(own.usage)}\fR",
             ".SH OPTIONS", *table(own.options),
             ".SH COMMANDS"]
    for name, command in program.commands.items():
        lines += [f".SS isotick {name}", escaped(command.summary) + ".",
                  ".P", rf"\fB{escaped(command.usage)}\fR",
                  *table(command.arguments), *table(command.options)]
        for heading, text in command.notes:
            lines += note([".P", *([escaped(heading + ":")] if heading else [])], text)
    for heading, text in own.notes:
        lines += note([f".SH {SECTIONS[heading]}"], text)
    lines += [".SH SEE ALSO", "README.md and the pages it leads to, in share/doc/isotick."]
    return "\n".join(lines) + "\n"


def escaped(text):
    """Text that roff prints as it is, in ASCII."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    text = text.replace("^", r"\(ha").replace("~", r"\(ti").replace("`", r"\(ga")
    text = re.sub(r"[^\x00-\x7f]", lambda each: rf"\[u{ord(each[0]):04X}]", text)
    return rf"\&{text}" if text.startswith(".") else text


def table(rows):
    """Names in bold, values in italics, and what they are for."""
    for row in rows:
        names = escaped(", ".join(row.names))
        yield ".TP"
        yield rf"\fB{names}\fR" + (rf" \fI{escaped(row.value)}\fR" if row.value else "")
        yield escaped(row.text) + "."


def note(heading, lines):
    """A paragraph after the tables, such as an example: as it is, line by line."""
    yield from (*heading, ".nf", *map(escaped, lines), ".fi")
