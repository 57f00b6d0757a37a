"""Finds functions and types of a C++ file by its braces: good enough for how isotick is written.

Comments, strings and preprocessor lines are blanked first. Namespaces, classes and `extern "C"`
are scopes to look into; initialisers are skipped; what is left with a parameter list is a
function, and everything inside it (lambdas, local types) belongs to it.
"""

import re
from dataclasses import dataclass

_LEXEMES = re.compile(
    r'R"(?P<raw>[^()\s\\]{0,16})\(.*?\)(?P=raw)"'  # raw string
    r"|//(?:\\\n|[^\n])*|/\*.*?\*/"  # comments
    r'|"(?:\\.|[^"\\\n])*"'  # string
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",  # character, but not a digit separator
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_CONDITIONAL = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")
_TYPE_WORDS = re.compile(r"(?:typedef\s+)?(?:class|struct|union|enum)\b")
_REQUIRES_EXPRESSION = re.compile(r"\brequires\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*$")


@dataclass
class Function:
    """`lines` counts what stands between the braces."""

    name: str
    line: int
    lines: int


@dataclass
class Definition:
    """A type or function that other files of the program can see; `name` has its namespaces."""

    name: str
    line: int


class UnbalancedBraces(Exception):
    """The scan lost its way; `line` says where it noticed."""

    def __init__(self, line):
        super().__init__(line)
        self.line = line


def _blank(match):
    text = match.group(0)
    newlines = "\n" * text.count("\n")
    if text.startswith(("//", "/*")):
        return newlines or " "
    return '""' + newlines


def _drop_lopsided_branches(text):
    """Blanks `#elif`/`#else` branches that open or close braces: the first branch stands."""
    lines, nesting = text.split("\n"), []
    for i, line in enumerate(lines):
        directive = _CONDITIONAL.match(line)
        if not directive:
            continue
        if directive.group(1).startswith("if"):
            nesting.append(None)
            continue
        begin = nesting.pop() if nesting else None
        if begin is not None:
            body = "".join(lines[begin:i])
            if body.count("{") != body.count("}"):
                lines[begin:i] = [""] * (i - begin)
        if directive.group(1) != "endif":
            nesting.append(i + 1)
    return "\n".join(lines)


def clean(text):
    """`text` without comments, string contents and preprocessor lines, line for line."""
    without_strings = _LEXEMES.sub(_blank, text)
    return _DIRECTIVE.sub(_blank_lines, _drop_lopsided_branches(without_strings))


def _blank_lines(match):
    return "\n" * match.group(0).count("\n")


def _without_template(head):
    head = head.strip()
    while head.startswith("template"):
        depth, brackets, i = 0, 0, head.find("<")
        while 0 <= i < len(head):
            brackets += {"(": 1, ")": -1}.get(head[i], 0)
            if brackets == 0:
                depth += {"<": 1, ">": -1}.get(head[i], 0)
            i += 1
            if depth == 0:
                break
        head = head[i:].strip() if i > 0 else ""
    return head


def _outside_brackets(head):
    """`head` with what stands inside (), [] and attributes removed: `f(int a)` gives `f()`."""
    kept, depth = [], 0
    for char in head:
        if char in ")]":
            depth -= 1
        if depth == 0 or (depth == 1 and char in "(["):
            kept.append(char)
        if char in "([":
            depth += 1
    return "".join(kept)


def classify(head):
    """What the brace after `head` opens: "scope", "function" or "initialiser"."""
    head = re.sub(r"\b(?:alignas|__attribute__|__declspec)\s*\((?:[^()]|\([^()]*\))*\)", "",
                  _without_template(head))
    head = re.sub(r"\[\[.*?\]\]", "", head, flags=re.DOTALL).strip()
    if re.match(r'(?:inline\s+)?namespace\b|extern ""$|export$', head):
        return "scope"
    flat = _outside_brackets(re.sub(r"\boperator\s*(?:\(\s*\)|[^\s\w(]+)", "operator", head))
    if _TYPE_WORDS.match(head) and "(" not in re.split(r"(?<!:):(?!:)", flat)[0]:
        return "scope"
    if "(" not in flat or re.search(r"(?<![=!<>])=(?!=)", flat):
        return "initialiser"
    after_parameters = flat[flat.index("(") + 2:]
    in_member_list = re.search(r"(?<!:):(?!:)", after_parameters)
    if in_member_list and re.search(r"[\w>]\s*$", after_parameters[in_member_list.end():]):
        return "initialiser"
    expression = _REQUIRES_EXPRESSION.search(head)
    if expression and re.search(r"(?:requires|&&|\|\|)\s*$", head[:expression.start()]):
        return "initialiser"
    return "function"


def _close_of(text, open_brace):
    depth = 0
    for i in range(open_brace, len(text)):
        if text[i] == "{":
            depth += 1
        elif text[i] == "}":
            depth -= 1
            if depth == 0:
                return i
    raise UnbalancedBraces(text.count("\n", 0, open_brace) + 1)


def _name_of(head):
    head = _without_template(head)
    macro = re.match(r"(TEST(?:_[FP])?|BENCHMARK\w*)\s*\(([^)]*)\)", head)
    if macro:
        return ".".join(part.strip() for part in macro.group(2).split(","))
    names = re.findall(r"(~?\w+|operator\s*[^\s\w]+)\s*(?=\()", head)
    return names[0] if names else "?"


def functions_of(text):
    """Every function of the file with the lines between its braces."""
    return [_measure(*found) for kind, _, *found in _blocks(clean(text)) if kind == "function"]


def definitions_of(text):
    """The types and functions at namespace scope, but for those that only this file can see."""
    text, found = clean(text), []
    for kind, scopes, _, head_start, open_brace, _ in _blocks(text):
        head = " ".join(_without_template(text[head_start:open_brace]).split())
        if not all(_is_visible_namespace(scope) for scope in scopes) or "static" in head.split():
            continue
        if kind == "function":
            name = _signature(head)
        else:
            name = kind == "scope" and _type_name(head)
        if name:
            spaces = [_namespace_name(scope) for scope in scopes]
            line = text.count("\n", 0, open_brace) + 1
            found.append(Definition("::".join([*filter(None, spaces), name]), line))
    return found


def _is_visible_namespace(head):
    return re.match(r'(?:inline )?namespace \w|extern ""', head) is not None


def _namespace_name(head):
    match = re.match(r"(?:inline )?namespace ([\w:]+)", head)
    return match.group(1) if match else ""


def _type_name(head):
    """The type's own name; none for a specialization, an unnamed type or a namespace."""
    head = re.sub(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", "", head)
    match = re.match(r"(?:class|struct|union|enum(?: class)?)\s+([\w:]*\w)\b(?! ?<|::)", head)
    return match.group(1) if match else None


def _signature(head):
    """From the function's name through its parameters; none for a member of a class or a macro."""
    head = re.sub(r"<[^<>]*\(\)>", "", head)  # as in std::function<bool()>
    match = re.search(r"(operator\s*[^\s\w(]+|[\w:~]+)\s*\(", head)
    if not match or not head[:match.start()].strip() or "::" in match.group(1):
        return None
    if "::operator" in head[:match.end()]:
        return None
    depth = 0
    for i in range(head.index("(", match.start()), len(head)):
        depth += {"(": 1, ")": -1}.get(head[i], 0)
        if depth == 0:
            return head[match.start():i + 1]
    return None


def _blocks(text):
    """(kind, scopes around it, text, start of its head, brace, closing brace), outermost first."""
    head_start, brackets, scopes, i = 0, 0, [], 0
    while i < len(text):
        char = text[i]
        if char in "([":
            brackets += 1
        elif char in ")]":
            brackets -= 1
        elif char == ";" and brackets == 0:
            head_start = i + 1
        elif char == "{":
            head = text[head_start:i]
            kind = "initialiser" if brackets else classify(head)
            around = [scope for _, scope in scopes]
            if kind == "scope":
                yield kind, around, text, head_start, i, i
                scopes.append((i, " ".join(head.split())))
                head_start = i + 1
            else:
                close = _close_of(text, i)
                if kind == "function":
                    yield kind, around, text, head_start, i, close
                    head_start = close + 1
                i = close
        elif char == "}":
            if not scopes:
                raise UnbalancedBraces(text.count("\n", 0, i) + 1)
            scopes.pop()
            head_start = i + 1
        elif char == ":" and re.search(r"\b(?:public|protected|private)\s*$", text[head_start:i]):
            head_start = i + 1
        i += 1
    if scopes:
        raise UnbalancedBraces(text.count("\n", 0, scopes[-1][0]) + 1)


def _measure(text, head_start, open_brace, close):
    head = text[head_start:open_brace]
    start = head_start + len(head) - len(head.lstrip())
    lines = max(0, text.count("\n", open_brace, close) - 1)
    return Function(_name_of(head), text.count("\n", 0, start) + 1, lines)
