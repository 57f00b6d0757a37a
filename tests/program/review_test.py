"""verify --propose and review: changed goldens, which a person accepts or rejects."""

import os
import re
import shutil
import unittest

from program import PROJECT, ProgramTest, row

OLD = "--sim ./faulty.so --environment fault=none"
CHANGED = "--sim ./faulty.so --environment fault=build"


class Review(ProgramTest):
    def setUp(self):
        for path in self.path("").glob("*.isotick*"):
            path.unlink()
        shutil.rmtree(self.path(".git"), ignore_errors=True)
        for seed in (1, 2):
            self.record(f"s{seed}.isotick", f"{OLD} --ticks 60 --seed {seed} --force")

    def propose(self, names="s1.isotick s2.isotick", build=CHANGED, code=1, options=""):
        return self.ends(code, f"verify {names} {build} --propose --trials 6 {options}")

    def pending(self):
        return sorted(path.name for path in self.path("").glob("*.pending"))

    def test_a_change_is_proposed_looked_at_and_accepted(self):
        old = self.content("s1.isotick")
        run = self.propose()
        self.assertIn("isotick: s1.isotick: proposed as s1.isotick.pending; see isotick review\n",
                      run.err)
        self.assertEqual(self.content("s1.isotick"), old)
        shown = self.ends(0, "review . --list")
        self.assertRegex(shown.out, r"^s1\.isotick\n  changed     from tick 20 on, in counter; "
                                    r"the same through tick 19\ns2\.isotick\n")
        self.assertTrue(shown.out.endswith("2 recordings proposed\n"))
        listed = self.read_json(0, "review .")["pending"]
        self.assertEqual([(one["recording"], one["tick"], one["parts"]) for one in listed],
                         [("s1.isotick", 20, ["counter"]), ("s2.isotick", 20, ["counter"])])
        run = self.ends(0, "review s1.isotick --accept --reason 'a new constant'")
        self.assertEqual(run.out, "  accepted    s1.isotick\n")
        self.assertEqual(self.pending(), ["s2.isotick.pending"])
        self.ends(0, f"verify s1.isotick {CHANGED} --trials 6", "IDENTICAL")
        note = self.read_json(0, "inspect s1.isotick")["notes"]["isotick.accepted"]
        self.assertRegex(note, r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC by \w+: a new constant$")
        self.ends(0, "review s2.isotick --reject", "rejected    s2.isotick")
        self.assertEqual(self.pending(), [])
        self.ends(1, f"verify s2.isotick {CHANGED} --trials 6")

    def test_a_person_at_a_terminal_is_asked_for_each(self):
        self.propose()
        ours, theirs = os.openpty()
        os.write(ours, b"what\na\na new constant\nr\n")
        run = self.start([self.program, "review", "."], stdin=theirs, stdout=theirs,
                         more={"CI": ""})
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertEqual(run.code, 0, run)
        self.assertEqual(shown.count("[a]ccept, [r]eject, [s]kip? "), 3)
        self.assertIn("why was the change intended? ", shown)
        self.assertEqual(self.pending(), [])
        self.ends(0, f"verify s1.isotick {CHANGED} --trials 6", "IDENTICAL")
        self.ends(1, f"verify s2.isotick {CHANGED} --trials 6")

    def test_between_stored_hashes_it_says_so(self):
        self.record("s1.isotick", f"{OLD} --ticks 60 --hash-every 8 --parts-every 8 --force")
        self.propose("s1.isotick")
        self.ends(0, "review s1.isotick --list", "first at one of the ticks 16 to 23, in counter; "
                                                 "the same through tick 15\n")

    def test_what_has_not_changed_is_not_proposed(self):
        run = self.propose(build=OLD, code=0)
        self.assertNotIn("propose", run.err)
        self.assertEqual(self.pending(), [])

    def test_what_is_not_deterministic_is_not_proposed(self):
        for fault, says in (("process", "the verdict is nondeterministic"), ("heap", "")):
            with self.subTest(fault=fault):
                build = f"--sim ./faulty.so --environment fault={fault}"
                run = self.isotick(f"verify s1.isotick {build} --propose --trials 30")
                self.assertEqual(run.code, 1, run)
                self.assertIn("s1.isotick: nothing is proposed: ", run.err)
                self.assertIn(says, run.err)
                self.assertEqual(self.pending(), [])

    def test_nothing_is_accepted_in_ci_or_without_a_reason(self):
        self.propose()
        self.refused("review . --accept", "--accept: say why, with --reason")
        self.refused("review . --accept --reason x", "a job accepts nothing", {"CI": "true"})
        self.refused("review . --accept --reject --reason x", "choose one of")
        self.refused("review .", "there is nobody to ask")
        self.assertEqual(len(self.pending()), 2)
        self.ends(0, "review . --list", more={"CI": "true"})

    def refused(self, command, says, more=None):
        run = self.isotick(command, more=more)
        self.assertEqual((run.code, run.out), (2, ""), run)
        self.assertIn(says, run.err)

    def test_a_session_that_is_another_now_is_refused(self):
        self.propose()
        self.record("s1.isotick", f"{OLD} --ticks 60 --seed 9 --force")
        run = self.isotick("review . --list")
        self.assertEqual(run.code, 2)
        self.assertIn("s1.isotick.pending is of another session", run.err)
        self.assertEqual(run.out[:12], "s2.isotick\n ")
        run = self.isotick("review . --accept --reason x")
        self.assertEqual((run.code, run.out), (2, "  accepted    s2.isotick\n"))
        self.assertEqual(self.pending(), ["s1.isotick.pending"])
        self.ends(0, "review . --reject", "rejected    s1.isotick")

    def test_what_is_damaged_is_refused(self):
        self.propose()
        whole = self.content("s1.isotick.pending")
        old = self.content("s1.isotick")
        for at in range(0, len(whole), max(1, len(whole) // 40)):
            changed = bytearray(whole)
            changed[at] ^= 4
            self.path("s1.isotick.pending").write_bytes(changed)
            run = self.isotick("review s1.isotick --accept --reason x")
            if run.code == 0:  # such bytes (the index) are written again
                self.ends(0, f"verify s1.isotick {CHANGED} --trials 6", "IDENTICAL")
                self.path("s1.isotick").write_bytes(old)
            else:
                self.assertIn(run.code, (2, 3), run)
                self.assertEqual(self.content("s1.isotick"), old)

    def test_which_fields_changed_is_shown_where_both_builds_are_known(self):
        self.record("w.isotick", "--sim ./other_build.so --ticks 60")
        self.propose("w.isotick", "--sim ./faulty.so")
        run = self.ends(0, "review w.isotick --list --sim-a ./other_build.so --sim ./faulty.so")
        self.assertIn("recorded → proposed", run.out)
        self.assertRegex(run.out, r"\n +counter  \d+ → \d+")

    def test_a_build_that_does_not_reproduce_itself_proposes_nothing(self):
        self.record("w.isotick", "--sim ./other_build.so --ticks 60")
        run = self.isotick("verify w.isotick --sim ./faulty.so --environment fault=stale-cache "
                           "--trials 12 --propose")
        self.assertEqual(run.code, 1, run)
        self.assertIn("w.isotick: nothing is proposed: this build does not reproduce its own "
                      "recording: diverged", run.err)
        self.assertEqual(self.pending(), [])

    def test_what_fails_only_under_other_frames_is_not_proposed(self):
        self.record("leak.isotick", "--sim control:frame-time --ticks 60")
        run = self.ends(1, "verify leak.isotick --trials 6 --propose")
        self.assertIn("leak.isotick: nothing is proposed: its nominal replay gives the recorded "
                      "hashes, so the failure is a bug", run.err)
        self.assertEqual(self.pending(), [])

    def git_as_documented(self):
        """Sets git up as TESTING.md says; its commands there by their second word."""
        text = (PROJECT / "harness/TESTING.md").read_text(encoding="utf-8")
        lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
        self.path(".gitattributes").write_text(
            "".join(f"{line}\n" for line in lines if line.startswith("*.isotick")))
        commands = {line.split()[1]: line for line in lines if line.startswith("git ")}
        self.git("git init -q . && git config user.name a && git config user.email a@b")
        self.git(commands["config"])
        return commands

    def git(self, command):
        run = self.shell(command, more={"GIT_CONFIG_GLOBAL": os.devnull, "GIT_PAGER": "cat",
                                        "GIT_CONFIG_SYSTEM": os.devnull})
        self.assertEqual((run.code, run.err), (0, ""), command)
        return run.out

    @staticmethod
    def changed_lines(diff):
        return re.findall(r"^[-+]  (\w.*?)(?:  | [0-9a-f]{32}$|$)", diff, re.MULTILINE)

    def test_git_shows_what_changed(self):
        commands = self.git_as_documented()
        self.git("git add .gitattributes *.isotick && git commit -qm old")
        self.propose()
        self.ends(0, "review s1.isotick --accept --reason 'a new constant'")
        diff = self.git("git diff")
        self.assertEqual(self.changed_lines(diff),
                         ["note", "size", "size", "hash digest", "hash digest"])
        self.assertRegex(diff, r"(?m)^\+  note  .*: a new constant$")
        self.assertNotIn("s2.isotick", diff)
        self.git("git add *.pending && git commit -qam new")
        logged = self.git("git log -p -1 --format=")
        self.assertIn(diff.partition("\n@@")[2], logged)
        self.assertIn("Binary files /dev/null and b/s2.isotick.pending differ", logged)
        shown = self.git(commands["difftool"].replace(" HEAD ", " HEAD~ "))
        self.assertEqual(row(shown, "hashes"), "first differ at tick 20")
        self.assertIn("counter", row(shown, "differs in"))
        self.assertEqual(shown.count("DIFFERS"), 1)

    def test_git_shows_what_is_damaged(self):
        self.git_as_documented()
        self.git("git add s1.isotick && git commit -qm old")
        self.copy_with("s1.isotick", "s1.isotick", lambda content: content.__setitem__(300, 0))
        self.assertRegex(self.git("git diff"), r"(?m)^\+  damage  .*checksum is wrong$")

    def test_mistakes_are_refused(self):
        self.refused("review none.isotick --list", "none.isotick: nothing is proposed for it")
        self.ends(0, "review . --list", "0 recordings proposed\n")


if __name__ == "__main__":
    unittest.main()
