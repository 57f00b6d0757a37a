"""Prints a row of Markdown for each network profile and mode: see scripts/network-table."""

import json
import subprocess
import sys

PROFILES = ["perfect", "lan", "broadband", "mobile", "satellite", "awful"]
MODES = ["lockstep", "rollback"]
HEADERS = 28  # bytes of IPv4 and UDP

program, trials, ticks = sys.argv[1:4]


def row(profile, mode):
    """The row, and whether all trials agreed."""
    run = subprocess.run(
        [program, "lockstep", "--sim", "skirmish", "--peers", "4", "--network", profile, "--mode",
         mode, "--trials", trials, "--ticks", ticks, "--json"], stdout=subprocess.PIPE, check=False)
    report = json.loads(run.stdout)
    totals, shown = report["totals"], report["shown"]
    confirmed = totals["confirmed"]
    ideal_ms = report["ticks"] * 1000 / 60
    delays = [peer["input_delay"] for peer in shown["peers"]]
    again = 100 * totals["run_again"] / confirmed
    payload = totals["bytes"] / totals["packets"]
    rollback = mode == "rollback"
    return [profile, mode, f"{report['identical']} of {report['trials']}",
            f"{100 * ideal_ms / shown['ended_ms']:.0f}%", str(max(delays)),
            f"{1000 * totals['stalls'] / confirmed:.0f}",
            f"{1000 * totals['rollbacks'] / confirmed:.0f}" if rollback else "",
            f"{again:.0f}%" if rollback else "",
            str(totals["most_back"]) if rollback else "",
            f"{payload:.1f}", f"{payload + HEADERS:.1f}"], run.returncode == 0


def main():
    print("| network | mode | agreed | speed | input delay | stalls per 1,000 ticks | "
          "rollbacks per 1,000 ticks | ticks run again | deepest | bytes a packet | with headers |")
    print("|---" * 11 + "|")
    all_agreed = True
    for profile in PROFILES:
        for mode in MODES:
            cells, agreed = row(profile, mode)
            print("| " + " | ".join(cells).replace("|  |", "| |").replace("|  |", "| |") + " |",
                  flush=True)
            all_agreed = all_agreed and agreed
    return 0 if all_agreed else 1


sys.exit(main())
