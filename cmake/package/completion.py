"""What the shells complete, made of the help texts: commands, options, values and files."""

import dataclasses

ANY, RECORDINGS, FOLDERS = "any", "recordings", "folders"  # kinds of files


@dataclasses.dataclass(frozen=True)
class Values:
    """What may follow an option, or be an argument: these words, and files of a kind."""
    words: tuple[str, ...] = ()
    files: str = ""


def values(program, written):
    """What is meant by a value as help texts write it: `frame|tick`, `NAME|PATH`, `recording`."""
    simulations = Values(tuple(program.simulations), ANY)
    loops, files = Values(tuple(program.loops)), Values(files=ANY)
    recordings = Values(files=RECORDINGS)
    known = {"NAME": simulations, "simulation": simulations, "LOOP": loops, "loop": loops,
             "FILE": files, "SCHEDULE": files, "text": files, "a": files, "b": files,
             "FOLDER": Values(files=FOLDERS), "recording": recordings, "recordings": recordings}
    return union(known.get(each, Values((each,) if each.islower() else ()))
                 for each in written.split("|"))


def arguments(program, command):
    """What may stand in a command where no option does; after a group, its commands."""
    return union([Values(tuple(row.left for row in command.commands)),
                  *(values(program, row.left) for row in command.arguments)])


def union(several):
    several = list(several)
    return Values(tuple(word for each in several for word in each.words),
                  next((each.files for each in several if each.files), ""))


def quoted(text):
    """Text as one word of any shell."""
    return "'" + text.replace("'", "'\\''") + "'"
