"""The completion for fish: one line for each command, option and kind of argument."""

from completion import ANY, FOLDERS, RECORDINGS, arguments, quoted, values

HEAD = """# Completes isotick's command line in fish. Made of `isotick --help`.
function __isotick_in
  set -l words (commandline -opc)
  test "$words[2]" = "$argv[1]"
end
complete -c isotick -f
"""
FILES = {"": "", ANY: " -F", RECORDINGS: " -k -a '(__fish_complete_suffix .isotick)'",
         FOLDERS: " -a '(__fish_complete_directories)'"}


def fish(program):
    lines = [_option(program, "__isotick_in", row) for row in program.help.options]
    for name, command in program.commands.items():
        lines.append(f"{_when('__isotick_in')} -a {name} -d {quoted(command.summary)}")
        lines += [_option(program, f"__isotick_in {name}", row) for row in command.options]
        meant = _meant(arguments(program, command))
        lines += [_when(f"__isotick_in {name}") + meant] if meant else []
    return HEAD + "\n".join(lines) + "\n"


def _when(condition):
    return f"complete -c isotick -n {quoted(condition)}"


def _option(program, condition, row):
    names = "".join(f" -{'l' if name.startswith('--') else 's'} {name.lstrip('-')}"
                    for name in row.names)
    meant = values(program, row.value)
    value = (" -r" if meant.files == ANY else " -x") + _meant(meant) if row.value else ""
    return f"{_when(condition)}{names}{value} -d {quoted(row.text)}"


def _meant(meant):
    return (f" -a {quoted(' '.join(meant.words))}" if meant.words else "") + FILES[meant.files]
