"""The completion for fish: one line for each command, option and kind of argument."""

from completion import ANY, FOLDERS, RECORDINGS, arguments, quoted, values

HEAD = """# Completes isotick's command line in fish. Made of `isotick --help`.
function __isotick_in
  set -l words (commandline -opc)
  test "$words[2]" = "$argv[1]"; and begin
    not set -q argv[2]; or test "$words[3]" = "$argv[2]"
  end
end
function __isotick_at_group
  set -l words (commandline -opc)
  test "$words[2]" = "$argv[1]" -a -z "$words[3]"
end
complete -c isotick -f
"""
FILES = {"": "", ANY: " -F", RECORDINGS: " -k -a '(__fish_complete_suffix .isotick)'",
         FOLDERS: " -a '(__fish_complete_directories)'"}


def fish(program):
    lines = [_option(program, "__isotick_in", row) for row in program.help.options]
    for name, command in program.commands.items():
        group, _, last = name.rpartition(" ")
        before = f"__isotick_at_group {group}" if group else "__isotick_in"
        lines.append(f"{_when(before)} -a {last} -d {quoted(command.summary)}")
        here = f"__isotick_{'at_group' if command.commands else 'in'} {name}"
        lines += [_option(program, here, row) for row in command.options]
        meant = "" if command.commands else _meant(arguments(program, command))
        lines += [_when(here) + meant] if meant else []
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
