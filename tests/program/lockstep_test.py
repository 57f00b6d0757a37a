"""`isotick lockstep`: every leak and every planted fault of peers is found at its tick and field,
the clean ones agree, and what it prints can be typed again."""

import re
import unittest

from program import ProgramTest, row, some

SESSION = "--config units=40 --ticks 360 --peers 4"

# The peer and the tick that a report names.
MOMENT = re.compile(r"\n  when        peer (\d+) in trial \d+(?:, made smaller)?: tick (\d+)\b")


class Lockstep(ProgramTest):
    def controls(self):
        return [sim["name"] for sim in self.read_json(0, "sims")["simulations"]
                if sim["name"].startswith("control:")]

    def test_clean_peers_agree_under_every_network(self):
        for profile in some(("perfect", "lan", "mobile", "broadband", "awful", "satellite"), 2):
            for mode in ("lockstep", "rollback"):
                with self.subTest(profile=profile, mode=mode):
                    report = self.read_json(0, f"lockstep --sim skirmish {SESSION} "
                                               f"--mode {mode} --network {profile} --trials 2")
                    self.assertEqual(report["totals"]["confirmed"], 2 * 4 * 360)
                    self.assertGreaterEqual(report["totals"]["hashes_compared"], 2 * 4 * 360)
                    peers = report["shown"]["peers"]
                    for peer in peers:  # none wasted
                        self.assertEqual(peer["steps"], peer["verified"] + peer["run_again"])

    def test_each_leak_is_found_and_reproduced(self):
        for control in some(self.controls(), 1):
            for mode in ("lockstep", "rollback"):
                with self.subTest(control=control, mode=mode):
                    run = self.ends(1, f"lockstep --sim {control} {SESSION} --mode {mode} "
                                       "--network awful --trials 4", "DIVERGED")
                    found = MOMENT.search(run.out)
                    self.assertTrue(found, run.out)
                    field = "random.0" if "random" in control else "units."
                    self.assertIn(f"\n              {field}", run.out)
                    again = self.shell(row(run.out, "reproduce"))
                    self.assertEqual(again.code, 1, again)
                    self.assertIn(f"  when        peer {found[1]} in trial 0: tick {found[2]}",
                                  again.out)

    def test_a_late_packet_is_all_it_takes(self):
        run = self.ends(1, f"lockstep --sim control:render-random {SESSION} --mode rollback "
                           "--network awful --trials 1")
        packet = r"packet \d→\d at [\d.]+ms (late by [\d.]+ms|dropped)"
        self.assertRegex(run.out, rf"\n  why         ({packet}: otherwise no peer diverges|"
                                  r"without any one of these, no peer diverges:\n"
                                  rf" {{14}}network delay=\d+ms\n {{14}}{packet})\n  noticed")

    def test_what_only_rollback_shows_is_found_at_its_tick(self):
        for fault in some(("predicted-leak", "missing-member", "late-input"), 1):
            common = "lockstep --sim ./faulty.so --peers 4 --ticks 600 --network mobile " \
                     f"--trials 3 --environment fault={fault} --environment at=200"
            with self.subTest(fault=fault):
                run = self.ends(1, f"{common} --mode rollback", "DIVERGED")
                tick = int(MOMENT.search(run.out)[2])
                self.assertTrue(200 <= tick < 230, run.out)
                self.assertRegex(run.out, r"\n {14}inputs  \d+ → \d+\n")
                self.ends(0, f"{common} --mode lockstep", "AGREED")
        for simulation, field in some((("./pile_missing.so", "bodies["),
                                       ("./pile_missing_from_save.so", "slow_ticks"),
                                       ("fault:stale-cache", "units[")), 1):
            common = f"lockstep --sim {simulation} --peers 4 --ticks 300 --network awful " \
                     "--trials 2"
            with self.subTest(simulation=simulation):
                run = self.ends(1, f"{common} --mode rollback", "DIVERGED")
                self.assertIn(f"\n              {field}", run.out)
                self.ends(0, f"{common} --mode lockstep", "AGREED")
        self.ends(0, "lockstep --sim ./pile.so --peers 4 --ticks 300 --network awful --trials 2 "
                     "--mode rollback", "AGREED")

    def test_one_peer_of_another_build_is_named(self):
        run = self.ends(1, "lockstep --sim ./faulty.so --peers 4 --ticks 200 --trials 1 "
                           "--peer-sim 2=./other_build.so", "DIVERGED")
        self.assertRegex(run.out, r"\n  when        peer 2 in trial 0, made smaller: ")
        self.assertEqual(row(run.out, "others"), "peers 0, 1 have the offline replay's state there")
        self.assertIn("from 4 peers, 200 ticks", row(run.out, "shrunk"))
        self.assertIn("peer 2 in the minority", row(run.out, "noticed"))

    def test_another_initial_state_is_not_every_peers(self):
        common = "lockstep --sim ./faulty.so --peers 4 --ticks 60 --trials 1 " \
                 "--environment initial=1"
        for others, says in (((2,),  # of 3 peers
                              "peers 0, 1 have the offline replay's state there"),
                             ((0, 1, 2), "peer 3 has the offline replay's state there"),
                             ((0, 1, 2, 3),
                              "all peers have this same state, and the offline replay does not")):
            builds = " ".join(f"--peer-sim {peer}=./other_build.so" for peer in others)
            run = self.ends(1, f"{common} {builds}",
                            f"  when        peer {others[0]} in trial 0, made smaller: the "
                            "initial state\n")
            self.assertEqual(row(run.out, "others"), says)

    def test_a_peer_that_differs_from_run_to_run_is_asked_why(self):
        common = "lockstep --sim ./faulty.so --peers 3 --ticks 300 --network mobile --trials 1 " \
                 "--mode rollback --environment at=100 --environment fault="
        for fault, call in (("load-clock", "clock_gettime"), ("load-second", "time")):
            run = self.ends(1, common + fault, "NONDETERMINISTIC")
            self.assertRegex(row(run.out, "why"), "^clock, which nothing records: another in each "
                                                  rf"run; it calls {call} in step of tick \d+")
            self.assertNotIn("no peer diverges", run.out)
        report = self.read_json(1, f"{common}load-clock")["shown"]
        self.assertEqual(report["verdict"], "nondeterministic")
        self.assertEqual(report["divergence"]["provoking_axes"][0]["axis"], "clock")
        self.assertEqual(report["divergence"]["reads"][0]["call"], "clock_gettime")

    def test_bad_peers_are_named(self):
        common = "lockstep --sim skirmish --config units=40 --peers 4 --ticks 600 " \
                 "--network mobile --trials 1"
        run = self.ends(1, f"{common} --fault '2 wrong-hashes'", "DIVERGED")
        self.assertEqual(row(run.out, "noticed"),
                         "by the peers themselves, at tick 120: peer 2 in the minority")
        run = self.ends(1, f"{common} --fault '2 alters-inputs'",
                        "peer 2 in trial 0, made smaller: tick 120")
        run = self.ends(1, f"{common} --fault '2 two-faced'", "DIVERGED")
        self.assertIn("peer 2 told them different inputs", row(run.out, "noticed"))
        for fault in ("far-ahead", "malformed", "oversized", "floods"):
            run = self.ends(0, f"{common} --fault '2 {fault}'", "AGREED")
            self.assertTrue(row(run.out, "refused").startswith("peer 2: "), run.out)
            self.assertIn("was dropped by the others", row(run.out, "peer 2"))

    def test_peers_come_and_go(self):
        for mode in ("lockstep", "rollback"):
            run = self.ends(0, f"lockstep --sim skirmish --config units=40 --peers 4 --ticks 1200 "
                               f"--mode {mode} --network mobile --trials 2 --spectators 1 "
                               "--event 'kill 2@4s' --event 'join 2@9s' --event 'pause 1@2s+1s'",
                            "AGREED")
            self.assertIn("\n  peer 2      was killed after tick ", run.out)
            self.assertIn("\n  peer 2      joined with the state after tick ", run.out)

    def test_peers_record_what_the_offline_replay_records(self):
        self.ends(0, f"lockstep --sim skirmish {SESSION} --mode rollback --network awful "
                     "--trials 1 -o kept")
        files = sorted((self.folder / "kept").iterdir())
        self.assertEqual([file.name for file in files],
                         [f"peer-{peer}.isotick" for peer in range(4)] + ["session.isotick"])
        session = files[-1].read_bytes()
        for file in files:
            self.assertEqual(file.read_bytes(), session, file)

    def test_nothing_is_overwritten(self):
        self.record("mine.isotick", "--sim skirmish --players 2 --ticks 60 --config units=20")
        (self.folder / "held").mkdir()
        kept = self.folder / "held/peer-1.isotick"
        kept.write_bytes((self.folder / "mine.isotick").read_bytes())
        self.refuses("lockstep mine.isotick --trials 1 -o held", "held/peer-1.isotick")
        self.refuses("lockstep held/peer-1.isotick --trials 1 -o held --force",
                     "held/peer-1.isotick")
        self.ends(0, "lockstep mine.isotick --trials 1 -o held --force", "AGREED")
        self.assertEqual(kept.read_bytes(), (self.folder / "mine.isotick").read_bytes())

    def test_what_did_not_happen_proves_nothing(self):
        run = self.ends(4, f"lockstep --sim skirmish {SESSION} --trials 1 --event 'join 2@15s'",
                        "INCONCLUSIVE")
        self.assertEqual(row(run.out, "reason"), "the session ended before join 2@15s")

    def test_same_command_same_bytes(self):
        command = f"lockstep --sim control:alpha {SESSION} --mode rollback --trials 5"
        once = self.isotick(f"{command} --jobs 1").out
        self.assertEqual(self.isotick(f"{command} --jobs 3").out, once)

    def test_a_session_that_fails_alone_blames_no_network(self):
        self.record("alone.isotick", "--sim ./faulty.so --ticks 60")
        run = self.ends(1, "lockstep alone.isotick --sim ./faulty.so --spectators 1 "
                           "--environment fault=build --environment at=20")
        self.assertIn("so no network is to blame", row(run.out, "offline"))

    def test_a_torn_network_stalls_or_drops_with_the_reason(self):
        run = self.ends(5, f"lockstep --sim skirmish {SESSION} --trials 1 "
                           "--network 'lan cut(0|1|2|3@1s+2000s)'", "STALLED")
        self.assertEqual(row(run.out, "reason"), "no peer is left that could go on")
        run = self.ends(0, f"lockstep --sim skirmish {SESSION} --trials 1 "
                           "--network 'lan cut(0|1|2|3@1s+100s)'", "AGREED")
        self.assertIn("stalled for inputs", row(run.out, "frames"))

    def test_mistakes_are_refused(self):
        self.refuses("lockstep", "name a recording, or a simulation with --sim")
        self.record("two.isotick", "--sim skirmish --players 2 --ticks 60 --config units=20")
        for options, says in (
                ("two.isotick --peers 3",
                 "the session has fewer players (2) than peers (3) to play them"),
                ("two.isotick --peers 1", "one peer sends nothing, so no network is tested"),
                ("--sim spring", "add one that watches (--spectators 1)"),
                ("two.isotick --plan '1 peer'", "a session has from 2 to 64 peers, not 1"),
                ("two.isotick --network dialup", "--network: at column 1: expected"),
                ("two.isotick --network loss=101%", "--network: at column"),
                ("two.isotick --event 'kill 5@1s'", "peer 5 is none of the 2 peers"),
                ("two.isotick --event 'kill 1'", "--event: at column 2: expected '@'"),
                ("two.isotick --fault '1 lazy'", "--fault: expected alters-inputs"),
                ("two.isotick --plan 'rollback; 3 peers'", "fewer players (2) than peers (3)"),
                ("two.isotick --plan '2 peers' --mode rollback", "--mode excludes --plan"),
                ("two.isotick --plan 'sideways'", "--plan: in 'sideways': expected lockstep"),
                ("two.isotick --fault '5 wrong-hashes'", "peer 5 is none of the 2 peers"),
                ("two.isotick --peers 3 --spectators 1 --fault '2 two-faced'",
                 "peer 2 is a spectator and has no inputs to alter"),
                ("two.isotick --peer-sim x", "--peer-sim: expected a peer and a simulation"),
                ("two.isotick --trials 0", "--trials: expected at least 1"),
                ("--sim skirmish --peers 65",
                 "skirmish takes 64 players at most, too few for 65 peers to play"),
                ("--sim tanks_none", "tanks_none"),
                ("--sim ./tanks_plain.so --mode rollback",
                 "takes no snapshots (save and load), which rollback needs"),
                ("--sim ./tanks_plain.so --event 'join 1@1s'",
                 "takes no snapshots (save and load), which a peer that joins needs")):
            with self.subTest(options=options):
                self.refuses(f"lockstep {options} -o left", says)
                self.assertFalse(self.path("left").exists())


if __name__ == "__main__":
    unittest.main()
