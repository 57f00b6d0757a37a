"""From a session of peers that fails to the least that does: what `isotick lockstep` prints to
reproduce it is short, fails in the same way in a shell, and names nothing that it does not need.

With ISOTICK_LONG=1 all networks and seeds are tried, which takes about half an hour."""

import re
import shlex
import unittest

from program import LONG, ProgramTest, row, some

LONGEST = 2000  # bytes
SKIRMISH = "--config units=40 --ticks 600 --peers 4 --trials 4"
FAULTY = "--sim ./faulty.so --ticks 600 --peers 4 --trials 2 --environment at=100"
CHURN = "--event 'kill 2@3s' --event 'join 2@7.1s' --event 'pause 1@1s+500ms'"
PACKET = re.compile(r"(?:drop|late|twice)\([^)]*\)")


def rows(text, name):
    """All values of a row: those of the lines below that have no name of their own too."""
    found = []
    for line in text.splitlines():
        if line.startswith(f"  {name} "):
            found = [line[14:]]
        elif found and line.startswith(" " * 14):
            found.append(line[14:])
        elif found:
            break
    return found


def moment(report):
    """The peer and the tick; or where it has no peer, the tick alone."""
    return re.search(r"\n  when        (?:peer (\d+) in )?trial \d+(?:, made smaller)?[:,] "
                     r"([^,\n]*)", report).groups()


def without(plan, need, at):
    """The plan without what `why` names, the packet number `at` of those that it names."""
    items = plan.split("; ")
    network = next(i for i, item in enumerate(items) if item.startswith("network "))
    packets = PACKET.findall(items[network])
    if need.startswith("packet "):
        packets.pop(at)
        items[network] = re.sub(PACKET, "", items[network]).rstrip() + " " + " ".join(packets)
    elif need.startswith("network "):
        items[network] = "network perfect " + " ".join(packets)
    else:
        start = need.replace("the frame times of peer", "frames") + " "
        items = [item for item in items if not (item + " ").startswith(start)]
    return "; ".join(items)


class LockstepShrink(ProgramTest):
    LONG = "lockstep --sim skirmish --peers 60 --ticks 130 --trials 1 --network lan " \
           "--fault '1 wrong-hashes' " + \
           " ".join(f"--event 'pause {peer}@1.0{peer:02}000001s+1.5{peer:02}001ms'"
                 for peer in range(60))

    def reproduces(self, command):
        """The report of a session that fails, and the line in it that a shell can run."""
        run = self.ends(1, command, "DIVERGED")
        line = row(run.out, "reproduce")
        self.assertLessEqual(len(line.encode()), LONGEST, f"{command}\n{line[:300]}")
        again = self.shell(line)
        self.assertEqual(again.code, 1, f"{command}\n{line}\n{again}")
        self.assertEqual(moment(again.out), moment(run.out))
        return run.out, line

    def needs_all(self, command):
        """As above; without any one of the things that it is said to need, nothing diverges."""
        report, line = self.reproduces(command)
        self.assertNotIn("stopped early", row(report, "shrunk"))
        needs = [need.removesuffix(": otherwise no peer diverges") for need in rows(report, "why")
                 if not need.startswith("without any one of these, ")]
        words = shlex.split(line)
        at = words.index("--plan") + 1
        plan = words[at]
        packets = [need for need in needs if need.startswith("packet ")]
        self.assertEqual(len(PACKET.findall(plan)), len(packets), report)
        for need in needs:
            number = packets.index(need) if need in packets else 0
            words[at] = without(plan, need, number)
            self.assertNotEqual(words[at], plan, need)
            run = self.start(words)
            self.assertNotIn("\n  when ", run.out, f"{command}\n{need}\n{shlex.join(words)}")
        return report, needs

    def test_leaks_need_a_packet_or_a_network(self):
        for mode in ("lockstep", "rollback"):
            for control in some(("alpha", "render-random", "long-frame"), 1):
                for network in ("mobile", "awful") if LONG else ("awful",):
                    with self.subTest(control=control, mode=mode, network=network):
                        self.needs_all(f"lockstep --sim control:{control} {SKIRMISH} "
                                       f"--mode {mode} --network {network}")

    def test_what_follows_a_departure_is_short_under_every_network(self):
        for mode in ("lockstep", "rollback"):
            for network in (("perfect", "broadband", "mobile", "satellite", "awful") if LONG else
                            ("mobile",)):
                failed = 0
                for seed in (1, 2, 3, 4):
                    if failed and not LONG:
                        break
                    command = f"lockstep --sim ./faulty.so --ticks 600 --peers 4 --trials 2 " \
                              f"--mode {mode} --network {network} --seed {seed} {CHURN} " \
                              "--fault '1 keeps-leaver'"
                    with self.subTest(mode=mode, network=network, seed=seed):
                        if self.isotick(command).code == 0:
                            continue  # in the tick from which peer 2 is gone it has no input
                        failed += 1
                        _, needs = self.needs_all(command)
                        self.assertIn("kill 2@3s", needs)
                        self.assertLess(len(needs), 6)
                self.assertGreater(failed, 0, f"{mode} {network}")

    def test_what_only_a_join_shows_needs_nothing_else(self):
        command = "lockstep --sim ./pile_missing_from_save.so --ticks 600 --peers 4 --trials 1"
        for network in ("perfect", "awful"):
            _, needs = self.needs_all(f"{command} --network {network} {CHURN}")
            self.assertEqual(needs, ["join 2@7.1s"], network)

    def test_what_only_rollback_shows_is_short_where_peers_come_and_go(self):
        for fault in some(("predicted-leak", "missing-member", "late-input"), 1):
            for network in ("mobile", "awful") if LONG else ("awful",):
                with self.subTest(fault=fault, network=network):
                    _, needs = self.needs_all(f"lockstep {FAULTY} --mode rollback --network "
                                              f"{network} {CHURN} --environment fault={fault}")
                    self.assertTrue(needs)

    def test_bad_peers_and_other_builds_are_reproduced(self):
        for mode in ("lockstep", "rollback"):
            for fault in some(("alters-inputs", "two-faced", "wrong-hashes"), 1):
                with self.subTest(fault=fault, mode=mode):
                    self.reproduces(f"lockstep --sim skirmish {SKIRMISH} --mode {mode} "
                                    f"--network awful {CHURN} --fault '1 {fault}'")
            self.reproduces(f"lockstep --sim ./faulty.so --peers 4 --ticks 200 --mode {mode} "
                            "--network awful --peer-sim 1=./other_build.so --event 'kill 3@1s'")

    def test_a_plan_that_is_too_long_for_a_line_goes_to_a_file(self):
        _, line = self.reproduces(self.LONG)
        name = re.search(r" --plan @(lockstep-[0-9a-f]{16}\.plan)$", line)[1]
        self.assertGreater(self.path(name).stat().st_size, LONGEST)
        (self.folder / "kept").mkdir()
        _, line = self.reproduces(f"{self.LONG} -o kept")
        self.assertTrue(line.endswith(f" --plan @kept/{name}"), line)
        self.assertEqual(self.content(f"kept/{name}"), self.content(name))
        self.refuses(f"{line[8:]} --mode rollback", "--mode excludes --plan")

    def test_a_file_that_is_no_plan_is_refused(self):
        self.path("bad.plan").write_text("lockstep; 2 peers\nsideways\n")
        self.refuses("lockstep --sim skirmish --plan @bad.plan", "bad.plan")
        run = self.ends(3, "lockstep --sim skirmish --plan @none.plan", "none.plan")
        self.assertIn("cannot be read", run.err)

    def test_without_a_place_for_the_file_the_report_is_there(self):
        run = self.shell(f"cd /proc && isotick {self.LONG}")
        self.assertEqual(run.code, 1, run)
        self.assertIn("peer 1 in the minority", row(run.out, "noticed"))
        self.assertNotIn("\n  reproduce ", run.out)
        self.assertRegex(run.err, r"lockstep-[0-9a-f]{16}\.plan")


if __name__ == "__main__":
    unittest.main()
