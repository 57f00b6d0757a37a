"""What `--json` prints, held against harness/json.schema.json.

Without jsonschema 4 (python3-jsonschema) nothing is; CMake then says that this is left out.
"""

import json
import shlex
from pathlib import Path

try:
    from jsonschema import Draft202012Validator as Validator
    from jsonschema.exceptions import best_match
except ImportError:
    Validator = None

PATH = Path(__file__).resolve().parents[2] / "harness/json.schema.json"
SCHEMA = json.loads(PATH.read_text(encoding="utf-8"))
SHELL_OPERATORS = {"|", ">", "<", ";", "&", "&&", "||", "2>", "2>&1"}
VALIDATORS = {}


def validator(definition):
    if definition not in VALIDATORS:
        VALIDATORS[definition] = Validator({"$ref": f"#/$defs/{definition}",
                                            "$defs": SCHEMA["$defs"]})
    return VALIDATORS[definition]


def referred(definition, of):
    """The definitions that stand beneath `of` in one: its alternatives."""
    return [one["$ref"].removeprefix("#/$defs/") for one in definition[of]]


def commands():
    return referred(SCHEMA, "anyOf")


def documents_of(command):
    """The definitions of whole documents that the command may print."""
    definition = SCHEMA["$defs"].get(command, {})
    return referred(definition, "oneOf") if "oneOf" in definition else [command]


def documents():
    return list(dict.fromkeys(document for command in commands()
                              for document in documents_of(command)))


def nearest(command, document):
    """Of a command's documents the one that has most of this one's members."""
    return max(documents_of(command),
               key=lambda one: len(SCHEMA["$defs"][one]["properties"].keys() & document.keys()))


def check(definition, document):
    """Fails where the document is not as the definition says: a command, or one document of it."""
    definition = nearest(definition, document)
    error = Validator and best_match(validator(definition).iter_errors(document))
    if error:
        raise AssertionError(f"not a '{definition}' of {PATH.name}: {error.json_path}: "
                             f"{error.message[:2000]}")


def command_of(words):
    """The command whose document these words print on stdout; none where they print another."""
    words = [word.decode(errors="replace") if isinstance(word, bytes) else str(word)
             for word in words]
    if words[:2] == ["sh", "-c"]:
        words = shlex.split(words[2])
    if "--json" not in words or SHELL_OPERATORS.intersection(words):
        return None
    to_stdout = words[1] == "export" and "-o" not in words
    name = "_".join(words[1:3]) if "_".join(words[1:3]) in commands() else words[1]
    return name if name in commands() and not to_stdout else None


def check_output(words, code, out):
    """Fails where a run printed a document, and it is not as the schema says."""
    command = command_of(words)
    if command and out and code >= 0:
        check(command, json.loads(out))
