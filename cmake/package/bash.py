"""The completion for bash (4.3 or later): one function, which needs nothing but bash."""

from completion import ANY, FOLDERS, RECORDINGS, arguments, values

# A word ends at a blank for isotick, for bash also at `=` and `:`. What stands before the last of
# these is there already, and left out of the replies.
FRAME = r"""# Completes isotick's command line in bash. Made of `isotick --help`.
_isotick() {
  local line=${COMP_LINE:0:COMP_POINT} piece=${COMP_WORDS[COMP_CWORD]} before options words files
  local word=${line##*[[:blank:]]}
  read -ra before <<<"${line%"$word"}"
  local command=${before[1]-} option=${before[-1]}
  case $command in @GROUPS@) command+=${before[2]:+ ${before[2]}} ;; esac
  case $word in --*=*) option=${word%%=*} word=${word#*=} ;; esac
  case $piece in [=:]) piece= ;; esac
  COMPREPLY=()
  case $command in
@COMMANDS@
  esac
  case $command\ $option in
@VALUES@
    *) [[ $word != -* ]] || words=$options files= ;;
  esac
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$word"
    case $files in
      any) compgen -f -- "$word" ;;
      recordings) compgen -f -X '!*.isotick' -- "$word"; compgen -d -- "$word" ;;
      folders) compgen -d -- "$word" ;;
    esac)
  [[ -z $files ]] || compopt -o filenames 2>/dev/null
  COMPREPLY=("${COMPREPLY[@]#"${word%"$piece"}"}")
}
complete -F _isotick isotick
"""
assert all(f" {kind})" in FRAME for kind in (ANY, FOLDERS, RECORDINGS))


def bash(program):
    commands = [_case('""', program.help, " ".join(row.left for row in program.help.commands))]
    by_values = {}
    for name, command in program.commands.items():
        meant = arguments(program, command)
        commands.append(_case(f'"{name}"', command, " ".join(meant.words), meant.files))
        for row in command.options:
            if row.value:
                by_values.setdefault(values(program, row.value), []).extend(
                    f'"{name} {each}"' for each in row.names)
    cases = [f"    {' | '.join(patterns)})\n      {_set(' '.join(meant.words), meant.files)} ;;"
             for meant, patterns in by_values.items()]
    frame = FRAME.replace("@GROUPS@", "|".join(program.groups))
    return frame.replace("@COMMANDS@", "\n".join(commands)).replace("@VALUES@", "\n".join(cases))


def _case(pattern, found, words, files=""):
    options = " ".join(name for row in found.options for name in row.names)
    return f"    {pattern})\n      options='{options}'\n      {_set(words, files)} ;;"


def _set(words, files):
    return f"words='{words}' files={files}"
