"""The completion for zsh: what _arguments wants to know of each command."""

from completion import ANY, FOLDERS, RECORDINGS, arguments, quoted, values

FRAME = """#compdef isotick
# Completes isotick's command line in zsh. Made of `isotick --help`.
_isotick() {
  local -a commands=(
@COMMANDS@)
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  local command=$words[2]
  if (( CURRENT > 2 )); then
    shift words
    (( CURRENT-- ))
  fi
  case $command in
    @GROUPS@)
      if (( CURRENT > 2 )); then
        command+=" $words[2]"
        shift words
        (( CURRENT-- ))
      fi ;;
  esac
  case $command in
@CASES@
  esac
}
_isotick "$@"
"""
FILES = {"": "", ANY: "_files", RECORDINGS: '_files -g "*.isotick(-.)"', FOLDERS: "_files -/"}


def zsh(program):
    commands = [quoted(f"{row.left}:{row.text}") for row in program.help.commands]
    cases = [_case(program, quoted(name), command) for name, command in program.commands.items()]
    cases.append(_case(program, "*", program.help))
    frame = FRAME.replace("@GROUPS@", "|".join(program.groups))
    return frame.replace("@COMMANDS@", "\n".join(commands)).replace("@CASES@", "\n".join(cases))


def _case(program, pattern, command):
    meant = arguments(program, command)
    specs = [_option(program, row, name) for row in command.options for name in row.names]
    what = "command" if command.commands else next((row.left for row in command.arguments), "")
    specs += [f"*:{what}:{_action(meant)}"] if what else []
    return f"{pattern}) _arguments " + " ".join(quoted(spec) for spec in specs) + " ;;"


def _option(program, row, name):
    """`*`, since zsh need not know which option may be given twice."""
    text = row.text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    if not row.value:
        return f"*{name}[{text}]"
    takes = "=" if name.startswith("--") else "+"
    value = row.value.replace(":", "\\:")
    return f"*{name}{takes}[{text}]:{value}:{_action(values(program, row.value))}"


def _action(meant):
    if not meant.words:
        return FILES[meant.files] or " "
    words = " ".join(meant.words).replace(":", "\\:")
    return f"{{compadd -- {words}; {FILES[meant.files]}}}" if meant.files else f"({words})"
