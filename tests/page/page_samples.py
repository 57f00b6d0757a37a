"""Report documents for html_report_test.py, made from one real report."""

import copy

UNSEEN = "\u202e\u2066\u200b\u0007\u2028"


def unread(name, reason="the file has no head: it is not a recording"):
    return {
        "recording": name, "verdict": "unreadable", "finding": None,
        "page": f"{name}: unreadable\n  {reason}\n", "rows": [],
        "result": {"recording": name, "verdict": "unreadable", "reasons": [reason]},
    }


def document(recordings, findings=(), **members):
    failing = sum(one["verdict"] != "identical" for one in recordings)
    made = {
        "format": "isotick report 1", "command": "verify", "isotick": "0.1.0",
        "verdict": "diverged" if failing else "identical",
        "summary": f"{failing} of {len(recordings)} recordings fail",
        "partial": False, "findings": list(findings), "recordings": list(recordings),
    }
    made.update(members)
    return made


def like_another(recording):
    """Without what only the smallest recording of a finding has."""
    for failure in recording["result"]["failures"]:
        if "frames" in failure:
            failure["frames"] = failure["explanation"]["part_history"] = None
    return recording


def named(recording, name, finding):
    made = copy.deepcopy(recording)
    made["recording"] = made["result"]["recording"] = name
    made["finding"] = finding
    return made


def all_identical(sample):
    fine = [one for one in sample["recordings"] if one["verdict"] == "identical"]
    fine = [named(one, one["recording"], None) for one in fine]
    fine[0]["result"]["unvaried"] = [
        {"axis": "workers", "reason": "the simulation has no setting of this name"},
        {"axis": "save", "reason": "the simulation cannot save its state"},
    ]
    return document(fine, summary="2 recordings are identical in all trials")


def empty():
    return document([], verdict="inconclusive", summary="no recordings were given")


def one_only(sample):
    return document(sample["recordings"][:1], sample["findings"][:1])


def partial(sample):
    return {**copy.deepcopy(sample), "partial": True}


def hostile(sample):
    """Text that would be markup, end the script, turn around, or fill the page."""
    names = [
        "<img src=x onerror=alert(1)>.isotick", "</script><script>document.title='owned'</script>",
        "<!--<script>", "two\nlines\tand a tab", "fdp\u202eevil\u202c.isotick", UNSEEN,
        "long-" + "x" * 10_000, "'\"&amp;\\",
        "\U0001f600 \u05d0\u05d1\u05d2 \u4e2d\u6587.isotick", "",
    ]
    recordings = [unread(name, f"cannot read {name}") for name in names]
    failing = named(sample["recordings"][0], "</script>\u202e<b>bold</b>", 1)
    result = failing["result"]
    result["session"]["simulation"] = "<b>sim</b>"
    result["session"]["config"] = {"<i>": "</script>", "__proto__": "x"}
    result["unvaried"] = [{"axis": "<u>", "reason": "</td>\u2067" + "y" * 5000}]
    failure = result["failures"][0]
    failure["reproduce"] = "isotick replay '</script>\u202e'"
    failure["explanation"]["fields"]["listed"] = [
        {"path": "<b>" + UNSEEN, "field_kind": 0, "kind": kind, "before": "</td>" * 500,
         "after": "\u202e12", "note": "<", "ulps": 2**63, "fixed": None}
        for kind in ("value", "length", "gone", "added")]
    failing["rows"] = [{"name": "<h1>", "text": "</script>\n\u202e", "lines": ["<p>" * 3000] * 90},
                       {"name": "reproduce", "text": failure["reproduce"], "lines": [],
                        "command": True}]
    failing["page"] = "</script>\x1b[31m\n" + UNSEEN
    finding = {"number": 1, "verdict": "diverged", "cause": ["<b>"], "fields": [],
               "title": "</script><h1>\u202e title", "smallest": failing["recording"],
               "recordings": [failing["recording"]]}
    return document([*recordings, failing], [finding], summary="<b>all</b> \u202e of it")


def other_ends(sample):
    """Trials that did not diverge but end badly, and a divergence known to a range of ticks."""
    made = named(sample["recordings"][0], "ends.isotick", None)
    made["verdict"] = made["result"]["verdict"] = "crashed"
    ends = ["crashed", "timed-out", "stalled", "nondeterministic", "inconclusive"]
    first, *others = made["result"]["failures"]
    first["explanation"] = None
    first["divergence"]["last_agreed"] = 60
    for failure, verdict in zip(others, ends):
        failure["verdict"], failure["tick"] = verdict, None
    return document([made], verdict="crashed", summary="1 of 1 recordings fails")


def big(sample, failing=25, failures=30, recordings=1000, trials=100):
    """`recordings` of `trials` trials each; of `failing` of them, `failures` trials fail."""
    models = [sample["recordings"][0], sample["recordings"][3]]
    fine = sample["recordings"][-1]
    made = []
    for index in range(recordings):
        fails = index % (recordings // failing) == 0 if failing else False
        kind = index // (recordings // failing) % 2 if failing else 0
        one = named(models[kind] if fails else fine, f"night/match-{index:04}.isotick",
                    kind + 1 if fails else None)
        result = one["result"]
        model = result["failures"]
        if fails:
            if index >= 2 * (recordings // failing):
                like_another(one)
            rest = [copy.deepcopy(model[1 + at % (len(model) - 1)]) for at in range(failures - 1)]
            result["failures"] = [model[0], *rest]
            for number, failure in enumerate(result["failures"]):
                failure["trial"] = number + 1
        result["trials"] = trials
        result["trials_identical"] = trials - (failures if fails else 0)
        made.append(one)
    findings = copy.deepcopy(sample["findings"])
    for finding in findings:
        members = [one["recording"] for one in made if one["finding"] == finding["number"]]
        finding["recordings"] = members
        finding["smallest"] = members[0] if members else ""
    return document(made, findings if failing else [])
