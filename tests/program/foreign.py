"""Recordings as a stranger might send them: honest ones, exported, changed and imported again."""

import json

from program import ProgramTest


class ForeignTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("honest.isotick", cls.honest)

    honest = "--sim spring --ticks 200 --inputs random"

    @classmethod
    def foreign(cls, name, of="honest.isotick", last_hash=None, **head):
        """A copy of a recording whose head says something else. Strings that are no UTF-8 are given
        as bytes; `last_hash` takes the place of the hash of the last tick."""
        lines = [json.loads(line) for line in cls.isotick(f"export {of} --raw").out.splitlines()]
        lines[0].update(head)
        if last_hash:
            lines[-2]["hash"] = last_hash
            lines[-1]["final"]["hash"] = last_hash
        text = "".join(json.dumps(line, default=lambda raw: {"hex": raw.hex()}) + "\n"
                       for line in lines)
        cls.path("foreign.jsonl").write_text(text, encoding="utf-8")
        run = cls.isotick(f"import foreign.jsonl -o {name} --force")
        if run.code != 0:
            raise RuntimeError(f"cannot make {name}: {run}")
        return name
