"""`isotick netplay`: programs with sockets, clocks and threads run unmodified in virtual time; the
mistakes of a rollback game are found at their tick, and the right one is never accused."""

import json
import re
import unittest

from program import LONG, PLUGINS, PROJECT, ProgramTest, row

GAME = PLUGINS / "rollback_game"
CALLS = PLUGINS / "isotick_netplay_calls"
OWN_PEER = PLUGINS / "isotick_peer_over_udp"
PEER = f"--peer '{GAME} --self {{peer}} --peers {{addresses}} --record {{record}}'"
MISTAKES = ("sends-once", "counts-delay-itself", "confirms-guesses", "drops-by-itself",
            "restores-too-little")


def with_mistake(mistake):
    return PEER[:-1] + f" --mistake {mistake}'"


def asking(check):
    return f"--peer '{CALLS} {{peer}} {{ip:0}} {check}' --plan '2 peers; network delay=20ms'"


class Netplay(ProgramTest):
    def test_a_right_game_agrees_whatever_the_network_does(self):
        for network in ("broadband", "mobile", "awful"):
            with self.subTest(network=network):
                report = self.read_json(0, f"netplay {PEER} --peers 3 --network {network} --trials "
                                           f"{100 if LONG else 5} --events pause,cut,rebind")
                self.assertEqual(report["same"], 2)
                self.assertGreater(report["ticks_compared"], 5 * 500)

    def test_isoticks_own_peers_agree_too(self):
        trials = 100 if LONG else 3
        for mode in ("lockstep", "rollback"):
            peer = (f"--peer '{OWN_PEER} --self {{peer}} --peers {{addresses}} --mode {mode} "
                    "--ticks 600 --record {record}'")
            for network in ("lan", "mobile", "awful"):
                with self.subTest(mode=mode, network=network):
                    report = self.read_json(0, f"netplay {peer} --peers 3 --network {network} "
                                               f"--trials {trials}")
                    self.assertEqual((report["verdict"], report["same"]), ("identical", 2))
                    self.assertEqual(report["ticks_compared"], trials * 600)
            self.ends(0, f"netplay {peer} --plan '3 peers; network awful; seed 3' -o {mode}")
            printed = self.path(f"{mode}/peer-0.txt").read_text(encoding="utf-8")
            rollbacks = int(re.fullmatch(r"finished: 600 ticks, (\d+) rollbacks\n", printed)[1])
            self.assertEqual(rollbacks > 50, mode == "rollback", printed)

    def test_each_mistake_is_found_where_the_recordings_first_differ(self):
        seeds = range(1, 21 if LONG else 2)
        for mistake in MISTAKES:
            with self.subTest(mistake=mistake):
                missed = [seed for seed in seeds if not self.finds(mistake, seed)]
                print(f"{mistake}: missed with seeds {missed} of {len(seeds)}")
                self.assertLessEqual(len(missed), len(seeds) // 20)

    def finds(self, mistake, seed):
        verdict = "stalled" if mistake == "sends-once" else "diverged"
        run = self.isotick(f"netplay {with_mistake(mistake)} --peers 3 --network mobile --json "
                           f"--events pause,cut --seed {seed} --trials 10 -o kept --force")
        if run.code == 0:
            return False
        report = json.loads(run.out)
        shown = report["shown"]
        self.assertEqual(shown["verdict"], verdict, report)
        if verdict == "diverged":
            self.matches_diff(shown)
        self.assertFalse(report["shrinking"]["unfinished"], report)
        self.assertLessEqual(len(report["shrinking"]["needs"]), 3, report["shrinking"])
        again = json.loads(self.shell(shown["reproduce"] + " --json").out)["shown"]
        self.assertEqual((again["difference"], again["digest"]),
                         (shown["difference"], shown["digest"]))
        return True

    # What two of the recordings say when nobody but `isotick diff` reads them.
    def matches_diff(self, shown):
        difference = shown["difference"]
        first, other = (values["peers"][0] for values in difference["values"][:2])
        diff = self.read_json(1, f"diff kept/peer-{first}.isotick kept/peer-{other}.isotick")
        if difference["what"] == "input":
            session = diff["session"]
            self.assertEqual(session["what"], "input", diff)
            self.assertEqual(session["tick"], difference["tick"])
            self.assertEqual(difference["name"], f"the input of player {session['player']}")
        else:
            self.assertEqual(difference["what"], "hash")
            self.assertEqual(diff["hashes"]["tick"], difference["tick"])

    def test_answers_what_programs_ask_of_clocks_sockets_and_threads(self):
        for check in ("clocks", "datagrams", "addresses", "polls", "streams", "threads", "chance",
                      "bypass"):
            with self.subTest(check=check):
                run = self.ends(0, f"netplay {asking(check)}", "IDENTICAL")
                self.assertEqual(row(run.out, "repeated"), "2 times, with the same packets")

    def test_says_what_it_cannot_do(self):
        for check, reason in (("raw", "it asked for a raw socket"),
                              ("times", "it asked for the times of packets (SO_TIMESTAMP)"),
                              ("fork", "two of its processes use sockets, clocks or threads")):
            with self.subTest(check=check):
                run = self.ends(4, f"netplay {asking(check)}", "INCONCLUSIVE")
                self.assertTrue(row(run.out, "reason").startswith(f"peer 1: {reason}"), run.out)

    def test_a_crash_over_what_it_refused_names_that(self):
        run = self.ends(5, f"netplay {asking('needs-raw')}", "CRASHED")
        self.assertIn("it asked for a raw socket", row(run.out, "peer 1"))

    def test_who_ended_by_itself_is_not_started_again(self):
        report = self.read_json(0, f"netplay {PEER} --event 'kill 0@38s' --event 'join 0@39s' "
                                   "--trials 2 --network lan")
        self.assertEqual(report["identical"], 2)

    def test_going_and_coming_again_is_one_event(self):
        run = self.ends(5, f"netplay {PEER} --event 'kill 1@3s' --event 'join 1@5s' --trials 2 "
                           "--network lan --peers 3")
        self.assertTrue(row(run.out, "needs").startswith("kill 1@3s, join 1@5s"), run.out)

    def test_a_program_that_crashes_or_hangs_is_a_verdict(self):
        run = self.ends(5, f"netplay {asking('crash')}", "CRASHED")
        self.assertEqual(row(run.out, "reason"),
                         "peer 1 was killed by signal 6 (Aborted) at 0.000 s")
        run = self.ends(5, f"netplay {asking('hang')} --timeout 0.3", "TIMED-OUT")
        self.assertIn("neither waited nor ended", row(run.out, "reason"))

    def test_who_spins_or_floods_is_named(self):
        run = self.ends(0, f"netplay {asking('spin')}", "IDENTICAL")
        self.assertIn("it read clocks or polled without blocking", run.out)
        run = self.ends(0, f"netplay {asking('flood')}", "IDENTICAL")
        self.assertIn("its sockets had no room for", run.out)

    def test_what_comes_of_a_static_program_is_not_pretended(self):
        self.path("static.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
        self.assertEqual(self.shell("cc -static static.c -o static").code, 0)
        run = self.ends(2, "netplay --peer ./static")
        self.assertIn("./static is statically linked", run.err)
        self.assertIn("there is no program", self.ends(2, "netplay --peer ./none").err)

    def test_replays_offline_what_peers_record(self):
        run = self.ends(0, f"netplay {PEER} --trials 1 --sim ./ships.so", "IDENTICAL")
        self.assertEqual(row(run.out, "offline"), "a replay computes what the peers recorded")
        # The recordings are of a simulation that this is not.
        self.assertIn("ships", self.ends(2, f"netplay {PEER} --trials 1 --sim spring").err)

    def test_names_the_fields_that_differ_and_who_computed_them_wrong(self):
        peer = with_mistake("restores-too-little")[:-1] + " --dump {dump}'"
        report = self.read_json(1, f"netplay {peer} --peers 2 --network delay=45ms --trials 2 "
                                   "--sim ./ships.so")
        kinds = report["fields"]["differences"]["kinds"]
        self.assertEqual([kind["path"] for kind in kinds], ["random"])
        # Both went back, and came forward with other random numbers than a replay.
        self.assertEqual([each["peer"] for each in report["shown"]["offline"]], [0, 1])
        # One that leaves none.
        report = self.ends(1, f"netplay {PEER[:-1]} --mistake restores-too-little' "
                              "--environment 'UNUSED={dump}' --peers 2 --network delay=45ms "
                              "--trials 2")
        self.assertIn("no states were left at {dump}", report.out)

    def test_settings_of_one_peer_are_its_own(self):
        self.ends(1, f"netplay {PEER} --environment 1:SHIPS_HEAT=7 --trials 1 --shrink 0",
                  "differs     the state hash")

    def test_peers_come_and_go_as_planned(self):
        plan = "3 peers; network lan; kill 2@1s; pause 1@2s+500ms"
        report = self.read_json(5, f"netplay {PEER} --length 20s --plan '{plan}'")
        states = {peer["peer"]: peer["state"] for peer in report["shown"]["peers"]}
        self.assertEqual(states[2], "killed")
        self.assertEqual(report["shown"]["verdict"], "stalled")  # the game waits for it

    def test_the_page_shows_what_it_prints(self):
        page = (PROJECT / "harness/NETPLAY.md").read_text(encoding="utf-8")
        (self.folder / "rollback_game").symlink_to(GAME)
        commands = re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", page, re.S)
        self.assertEqual(len(commands), 2)
        for command, shown in commands:
            pattern = ".*".join(re.escape(piece) for piece in shown.split("…"))
            self.assertRegex(self.shell(command).out, f"^{pattern}$")

    def test_refuses_what_makes_no_sense(self):
        for options, message in (("", "name the program of the peers with --peer"),
                                 ("--peer ''", "--peer: expected a command"),
                                 ("--peer 'true {x}'", "expected {peer}, {peers}"),
                                 ("--peer true --peers 1", "a session has 2 to 64 peers"),
                                 ("--peer true --peer true --peers 3",
                                  "there are 2 commands for 3 peers"),
                                 ("--peer true --event 'kill 5@1s'", "peer 5 is none of the 2"),
                                 ("--peer true --events all", "--events: expected none, random"),
                                 ("--peer true --length 0s", "--length: expected a time"),
                                 ("--peer true --environment 9:A=b", "--environment: expected")):
            with self.subTest(options=options):
                self.refuses(f"netplay {options}", message)


if __name__ == "__main__":
    unittest.main()
