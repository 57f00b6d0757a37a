"""`isotick lockstep --transport udp`: peers as real processes end as the offline replay does, one
that is killed and returns too; leaks are found, and mistakes refused."""

import os
import re
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path

from program import PROGRAM, ProgramTest, row

SESSION = "--config units=40 --peers 4 --network mobile --transport udp --speed 8"


class LockstepOverUdp(ProgramTest):
    def test_peers_record_what_the_offline_replay_records(self):
        for mode in ("lockstep", "rollback"):
            with self.subTest(mode=mode):
                report = self.read_json(0, f"lockstep --sim skirmish {SESSION} --mode {mode} "
                                           f"--ticks 300 -o {mode}")
                self.assertEqual(report["verdict"], "identical")
                self.assertEqual([peer["state"] for peer in report["peers"]], ["finished"] * 4)
                self.assertEqual([peer["verified"] for peer in report["peers"]], [300] * 4)
                self.assertEqual(report["hashes_compared"], 4 * 300)
                self.assertGreater(report["traffic"]["lost"], 0)
                self.assertEqual(report["strangers"], 0)
                for peer in report["peers"]:
                    self.assertEqual(peer["steps"], 300 + peer["run_again"])
                    self.assertEqual(self.content(peer["recording"]),
                                     self.content(f"{mode}/session.isotick"))

    def test_a_peer_is_killed_and_returns(self):
        for mode in ("lockstep", "rollback"):
            with self.subTest(mode=mode):
                run = self.ends(0, f"lockstep --sim skirmish {SESSION} --mode {mode} --ticks 2400 "
                                   f"--event 'kill 2@3s' --event 'join 2@37s' -o killed-{mode}",
                                "AGREED")
                self.assertIn("\n  peer 2      was killed, with signal 9\n", run.out)
                self.assertRegex(run.out, r"\n  peer 2      joined with the state after tick \d+, "
                                          r"finished after tick 2399")
                first = self.content(f"killed-{mode}/peer-0.isotick")
                for peer in (1, 3):
                    self.assertEqual(self.content(f"killed-{mode}/peer-{peer}.isotick"), first)
                self.ends(0, f"replay killed-{mode}/peer-0.isotick", "IDENTICAL")

    def test_leaks_are_found_at_peer_and_tick(self):
        for mode in ("lockstep", "rollback"):
            with self.subTest(mode=mode):
                run = self.ends(1, f"lockstep --sim control:render-random {SESSION} --mode {mode} "
                                   "--ticks 360", "DIVERGED")
                found = re.search(r"\n  when        peer \d: tick (\d+)\n", run.out)
                self.assertTrue(found, run.out)
                noticed = re.search(r"at tick (\d+)", row(run.out, "noticed"))
                self.assertGreaterEqual(int(noticed[1]), int(found[1]), run.out)

    def test_a_peer_that_somebody_kills_is_told(self):
        self.record("long.isotick", "--sim skirmish --config units=40 --players 3 --ticks 1800")
        words = [PROGRAM, "lockstep", "long.isotick", "--network", "lan", "--transport", "udp",
                 "--speed", "4"]
        with subprocess.Popen(words, cwd=self.folder, text=True, stdout=subprocess.PIPE) as running:
            peers = self.wait_for_processes(running.pid, 1 + 3)
            time.sleep(3)  # they are under way
            os.kill(max(peers), signal.SIGKILL)
            out = running.communicate(timeout=60)[0]
        self.assertEqual(running.returncode, 5, out)
        self.assertRegex(row(out, "reason"), r"^peer \d's process was killed by signal 9")
        self.assertEqual(len(re.findall(r"\n  peer \d      finished after tick 1799", out)), 2, out)

    def wait_for_processes(self, parent, count):
        """Those of a session, when there are so many of them."""
        for _ in range(600):
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
            live = [int(child) for child in children
                    if b"--isotick-live" in Path(f"/proc/{child}/cmdline").read_bytes()]
            if len(live) == count:
                return live
            time.sleep(0.05)
        self.fail(f"there are no {count} processes")

    def test_a_session_that_fails_alone_starts_no_peer(self):
        self.record("alone.isotick", "--sim ./faulty.so --ticks 60")
        run = self.ends(1, "lockstep alone.isotick --sim ./faulty.so --spectators 1 "
                           "--transport udp --environment fault=build "
                           "--environment at=20", "DIVERGED")
        self.assertIn("so no network is to blame", row(run.out, "offline"))
        self.assertNotIn("transport", run.out)

    def test_what_only_rollback_shows_is_found(self):
        common = "lockstep --sim ./faulty.so --peers 3 --players 3 --ticks 200 --network mobile " \
                 "--transport udp --speed 8 --environment fault=missing-member --environment at=50"
        self.ends(1, f"{common} --mode rollback", "DIVERGED")
        self.ends(0, f"{common} --mode lockstep", "AGREED")

    def test_where_peers_first_differ_is_told_though_none_of_them_reaches_the_end(self):
        run = self.ends(1, "lockstep --sim ./faulty.so --peers 3 --players 3 --ticks 600 "
                           "--network mobile --mode rollback --transport udp --speed 8 "
                           "--environment fault=missing-member --environment at=250 "
                           "--event 'kill 1@1s' --event 'join 1@2s'", "DIVERGED")
        tick = int(re.fullmatch(r"peer \d: tick (\d+)", row(run.out, "when"))[1])
        self.assertTrue(250 - 8 <= tick < 300, run.out)  # it went back 8 ticks at most
        self.assertNotIn("peer 0      finished", run.out)
        self.assertNotEqual(row(run.out, "compared"), "0 hashes")

    def test_mistakes_are_refused(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            self.refuses(f"lockstep --sim skirmish {SESSION} --ticks 60 --port {port}",
                         f"cannot have the UDP port {port}: Address already in use")
        for options, says in (
                ("--speed 2", "--speed and --port go with --transport udp alone"),
                ("--transport udp --speed 65", "--speed: expected a number from 1 to 64"),
                ("--transport udp --speed 0", "--speed: expected a number from 1 to 64"),
                ("--transport udp --port 65536", "--port: expected a port up to 65535"),
                ("--transport udp --trials 3", "--trials does not go with --transport udp"),
                ("--transport udp --fault '1 floods'", "do not go with --transport udp"),
                ("--transport udp --peer-sim 1=skirmish", "do not go with --transport udp"),
                ("--transport udp --time-line t.svg", "--time-line does not go with --transport"),
                ("--transport tcp", "tcp"),
                ("--trials 0", "--trials: expected at least 1")):
            with self.subTest(options=options):
                self.refuses(f"lockstep --sim skirmish {options}", says)


if __name__ == "__main__":
    unittest.main()
