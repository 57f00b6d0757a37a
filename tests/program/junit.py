"""Reads a JUnit report and checks that it follows Jenkins' schema.

The schema is junit-10.xsd of the xUnit plug-in; its rules are restated here.
"""

import re
from xml.etree import ElementTree

TEXT, TIME, COUNT = r"(?s:.*)", r"\d+(\.\d+)?", r"\d+"
COUNTS = {"tests": COUNT, "failures": COUNT, "errors": COUNT}
# Of each element: the attributes that it must have, others that it may have, what may stand in it.
ELEMENTS = {
    "testsuites": ({}, {**COUNTS, "name": TEXT, "time": TIME}, {"testsuite"}),
    "testsuite": ({"name": TEXT, **COUNTS},
                  {"skipped": COUNT, "time": TIME, "timestamp": TEXT, "hostname": TEXT, "id": TEXT,
                   "package": TEXT, "file": TEXT, "log": TEXT, "url": TEXT, "group": TEXT},
                  {"testsuite", "properties", "testcase", "system-out", "system-err"}),
    "properties": ({}, {}, {"property"}),
    "property": ({"name": TEXT, "value": TEXT}, {}, set()),
    "testcase": ({"name": TEXT}, {"time": TIME, "classname": TEXT, "group": TEXT},
                 {"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure",
                  "flakyError", "system-out", "system-err"}),
    **{result: ({}, {"type": TEXT, "message": TEXT}, set())
       for result in ("skipped", "error", "failure")},
    **{rerun: ({"type": TEXT}, {"message": TEXT}, {"stackTrace", "system-out", "system-err"})
       for rerun in ("rerunFailure", "rerunError", "flakyFailure", "flakyError")},
    **{text: ({}, {}, set()) for text in ("stackTrace", "system-out", "system-err")}}
WITH_TEXT = {"skipped", "error", "failure", "stackTrace", "system-out", "system-err",
             "rerunFailure", "rerunError", "flakyFailure", "flakyError"}


def mistakes(element):
    """What the schema forbids, in the element and those in it."""
    needed, others, inside = ELEMENTS[element.tag]
    for name in set(needed) - set(element.keys()):
        yield f"<{element.tag}> has no {name}"
    for name, value in element.items():
        allowed = {**needed, **others}.get(name)
        if not allowed or not re.fullmatch(allowed, value):
            yield f"<{element.tag}> has {name}={value!r}"
    texts = [element.text, *(child.tail for child in element)]
    if element.tag not in WITH_TEXT and "".join(text or "" for text in texts).strip():
        yield f"<{element.tag}> has text"
    for child in element:
        if child.tag not in inside:
            yield f"<{child.tag}> stands in <{element.tag}>"
        else:
            yield from mistakes(child)


def suites(path):
    """The root of the report."""
    root = ElementTree.parse(path).getroot()
    found = [f"<{root.tag}> is the root"] if root.tag not in ("testsuites", "testsuite") else [
        *mistakes(root)]
    assert not found, (path, found)
    return root
