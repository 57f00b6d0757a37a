"""harness/ci: the steps of the GitHub Action and of the GitLab job, run as GitHub and GitLab do."""

import os
import re
import shlex
import shutil
import subprocess
import unittest
from collections import namedtuple

import yaml

from program import PROGRAM, PROJECT, TIME_LIMIT, ProgramTest

CI = PROJECT / "harness/ci"
REPORTS = {f"report.{end}" for end in ("html", "json", "md", "txt", "xml")}
# What the script takes where there is no isotick, besides what stands in for apt and CMake.
TOOLS = ["basename", "bash", "cat", "cut", "dirname", "env", "find", "ln", "mkdir", "mktemp",
         "printf", "realpath", "rm", "sha256sum", "sort", "tail", "uname", "xargs"]
Job = namedtuple("Job", "code out used summary path")
# GitLab's `!reference [.isotick, script]`.
yaml.SafeLoader.add_constructor("!reference", lambda loader, node: loader.construct_sequence(node))


def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


class Steps(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("fine.isotick", "--sim spring --ticks 200")
        cls.record("bad.isotick", "--sim control:frame-time --ticks 200")

    def setUp(self):
        """A workspace with a passing and a failing recording, in a folder that needs quotes."""
        self.workspace = self.path(self.id())
        (self.workspace / "my recordings").mkdir(parents=True)
        for name in ("fine.isotick", "bad.isotick"):
            shutil.copy(self.path(name), self.workspace / "my recordings")
        self.temp = self.workspace / "temp"
        self.temp.mkdir()
        self.environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
                            "CI": "true", "LC_ALL": "C"}

    def bash(self, commands, environment, *options):
        script = self.temp / "step.sh"
        script.write_text(commands, encoding="utf-8")
        ran = subprocess.run(["bash", *options, "-eo", "pipefail", str(script)], check=False,
                             cwd=self.workspace, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIME_LIMIT)
        return ran.returncode, ran.stdout.decode()

    def without_isotick(self):
        """Only what the script needs is on PATH; a program that stands in for CMake installs."""
        tools = self.workspace / "tools"
        tools.mkdir()
        for tool in TOOLS:
            (tools / tool).symlink_to(shutil.which(tool))
        for name, body in (("dpkg-query", "printf installed"),
                           ("cmake", f'echo "$*" >>{shlex.quote(str(self.temp))}/cmake.log\n'
                            'for word; do case $word in -DCMAKE_INSTALL_PREFIX=*) '
                            'mkdir -p "${word#*=}/bin"; '
                            f'ln -sf {PROGRAM} "${{word#*=}}/bin/isotick" ;; esac; done')):
            (tools / name).write_text(f"#!{shutil.which('bash')}\n{body}\n", encoding="utf-8")
            (tools / name).chmod(0o755)
        self.environment["PATH"] = str(tools)

    def cmake_calls(self):
        log = self.temp / "cmake.log"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def leaves_reports(self, folder):
        self.assertEqual({path.name for path in (self.workspace / folder).iterdir()}, REPORTS)


class GitHub(Steps):
    action = read_yaml(CI / "action.yml")

    def run_action(self, **inputs):
        """What a runner does with the action; `used` are the actions that it uses, with inputs."""
        values = {f"inputs.{name}": one["default"] for name, one in self.action["inputs"].items()}
        values |= {f"inputs.{name}": value for name, value in inputs.items()}
        values |= {"github.run_id": "7", "github.run_attempt": "1"}
        files = {name: self.temp / name
                 for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        environment = {**self.environment, "GITHUB_ACTIONS": "true", "RUNNER_TEMP": str(self.temp),
                       "GITHUB_ACTION_PATH": str(CI), **{k: str(v) for k, v in files.items()}}

        def fill(text):
            return re.sub(r"\${{ (\S+) }}", lambda found: values.get(found[1], ""), text)

        def holds(condition):
            text = re.sub(r"[a-z]\w*(?:\.\w+)+", lambda found: repr(values.get(found[0], "")),
                          condition.replace("always()", "True").replace("&&", "and"))
            return eval(text)  # pylint: disable=eval-used

        code, out, used = 0, "", []
        for step in self.action["runs"]["steps"]:
            condition = step.get("if", "True")
            if (code and "always()" not in condition) or not holds(condition):
                continue
            if "uses" in step:
                used.append((step["uses"], {k: fill(v) for k, v in step["with"].items()}))
                continue
            self.assertNotIn("${{", step["run"])  # a value would become a command
            self.assertEqual(step["shell"], "bash")
            more = {name: fill(value) for name, value in step.get("env", {}).items()}
            failed, said = self.bash(step["run"], environment | more, "--noprofile", "--norc")
            code, out = code or failed, out + said
            for line in files["GITHUB_OUTPUT"].read_text().splitlines():
                name, value = line.split("=", 1)
                values[f"steps.{step['id']}.outputs.{name}"] = value
            files["GITHUB_OUTPUT"].write_text("")
            environment["PATH"] = ":".join([*files["GITHUB_PATH"].read_text().split("\n")[:-1],
                                            self.environment["PATH"]])
        return Job(code, out, used, files["GITHUB_STEP_SUMMARY"].read_text(),
                   files["GITHUB_PATH"].read_text())

    def ends_job(self, code, says="", **inputs):
        job = self.run_action(**{"options": "--trials 8 --detect-only", **inputs})
        self.assertEqual(job.code, code, job.out)
        self.assertIn(says, job.out)
        return job

    def test_a_folder_with_a_failing_recording_fails_and_leaves_reports(self):
        job = self.ends_job(1, recordings="my recordings")
        self.assertEqual(re.findall(r"(?m)^::error (.*)::", job.out),
                         ["title=isotick%3A my recordings/bad.isotick"])
        self.assertIn("my recordings/bad.isotick", job.summary)
        self.leaves_reports("isotick-report")
        self.assertEqual(job.used, [("actions/upload-artifact@v4",
                                     {"name": "isotick-report", "path": "isotick-report"})])

    def test_passing_recordings_pass_and_are_kept(self):
        inputs = {"recordings": "my recordings/fine.isotick", "cache": "kept here"}
        job = self.ends_job(0, "IDENTICAL", **inputs)
        self.assertNotIn("::error", job.out)
        self.assertIn(("actions/cache@v4", {"path": "kept here",
                                            "key": "isotick-verdicts-isotick-report-7-1",
                                            "restore-keys": "isotick-verdicts-isotick-report-"}),
                      job.used)
        self.ends_job(0, "nothing has changed since", **inputs)

    def test_a_line_is_a_folder_a_file_or_a_pattern(self):
        both = "my recordings/bad.isotick\n\nmy recordings/f*.isotick\n"
        (self.workspace / "a[1].isotick").write_bytes(self.content("fine.isotick"))
        job = self.ends_job(1, recordings=both + "a[1].isotick", report="my report")
        self.assertIn("DIVERGED  1 of 3 recordings", job.out)
        self.leaves_reports("my report")

    def test_no_recordings_never_pass(self):
        (self.workspace / "empty").mkdir()
        for none in ("empty", "my recordings\nempty/*.isotick"):
            with self.subTest(none):
                self.ends_job(4, "isotick-ci: no recordings: empty", recordings=none)
        self.ends_job(3, "no such.isotick: cannot be opened", recordings="no such.isotick")
        self.ends_job(2, "recordings is required", recordings="\n")

    def test_inputs_are_never_commands(self):
        attack = "$(touch owned) `touch owned`\"'; touch owned; # $HOME *"
        shutil.copy(self.path("fine.isotick"), self.workspace / f"{attack}.isotick")
        (self.workspace / "-h.isotick").write_bytes(self.content("fine.isotick"))
        job = self.ends_job(4, f"{attack}.isotick", report="junit:$(touch owned)",
                            recordings=f"{attack}.isotick\n-h.isotick",
                            options='--trials 8 --must-reach "$(touch owned) *"')
        self.assertIn("$(touch owned) *", job.out)
        self.leaves_reports("junit:$(touch owned)")
        self.ends_job(2, sim=attack, recordings="my recordings")
        self.ends_job(2, "cannot be split into words", recordings="my recordings", options="'")
        self.assertFalse((self.workspace / "owned").exists())

    def test_an_installed_isotick_is_used(self):
        job = self.ends_job(0, f"== isotick is on PATH: {PROGRAM}")
        self.assertEqual((job.used, job.path), ([], ""))

    def test_otherwise_it_is_built_from_the_same_sources_once(self):
        self.without_isotick()
        prefix = self.temp / "isotick"
        job = self.ends_job(1, "building isotick", recordings="my recordings")
        self.assertEqual(job.path, f"{prefix}/bin\n")
        action, cached = job.used[0]
        self.assertEqual((action, cached["path"]), ("actions/cache@v4", str(prefix)))
        self.assertRegex(cached["key"], r"^isotick-\w+[\d.]*-\w+-[0-9a-f]{16}$")
        self.assertEqual(self.cmake_calls(), 3)  # configured, built, installed

        again = self.ends_job(0, f"== isotick is already in {prefix}")
        self.assertEqual((self.cmake_calls(), again.path), (3, job.path))
        (prefix / "isotick-ci-key").write_text("of other sources")
        self.ends_job(0, "building isotick")
        self.assertEqual(self.cmake_calls(), 6)

    def test_a_build_that_fails_leaves_nothing_that_counts_as_installed(self):
        self.without_isotick()
        (self.workspace / "tools/cmake").write_text(
            f"#!{shutil.which('bash')}\necho broken; [ $1 != --install ]\n", encoding="utf-8")
        self.ends_job(1, "broken\nisotick-ci: installing failed", recordings="my recordings")
        self.assertFalse((self.temp / "isotick/isotick-ci-key").exists())


class GitLab(Steps):
    job = read_yaml(CI / "gitlab.yml")[".isotick"]

    def setUp(self):
        super().setUp()
        source = self.temp / "repository"
        for name in ("harness/ci", "scripts/lib"):
            shutil.copytree(PROJECT / name, source / name)
        for command in ("init --quiet --initial-branch=main", "add .",
                        "-c user.name=a -c user.email=b commit --quiet -m c"):
            subprocess.run(["git", "-C", str(source), *command.split()], check=True)
        self.source = source

    def run_job(self, **variables):
        values = {"CI_PROJECT_DIR": str(self.workspace), "GITLAB_CI": "true"}
        for name, value in {**self.job["variables"], **variables}.items():
            values[name] = value.replace("$CI_PROJECT_DIR", str(self.workspace))
        values["ISOTICK_REPOSITORY"] = f"file://{self.source}"
        return self.bash("\n".join([*self.job["before_script"], *self.job["script"]]),
                         self.environment | values)

    def test_a_folder_fails_and_leaves_its_artifacts(self):
        code, out = self.run_job(ISOTICK_RECORDINGS="my recordings",
                                 ISOTICK_OPTIONS="--trials 8 --detect-only")
        self.assertEqual(code, 1, out)
        self.assertNotIn("::error", out)
        artifacts = self.job["artifacts"]
        self.assertEqual(artifacts["when"], "always")
        (folder,) = artifacts["paths"]
        self.leaves_reports(folder)
        self.assertIn("<failure", (self.workspace / artifacts["reports"]["junit"]).read_text())

    def test_recordings_that_pass_pass(self):
        (self.workspace / "my recordings").rename(self.workspace / "recordings")
        (self.workspace / "recordings/bad.isotick").unlink()
        verdicts, prefix = self.job["cache"]["paths"][::-1]
        code, out = self.run_job(ISOTICK_OPTIONS="--trials 8", ISOTICK_CACHE=verdicts)
        self.assertEqual(code, 0, out)
        self.assertTrue((self.workspace / verdicts).is_dir())
        self.assertEqual(self.job["variables"]["ISOTICK_PREFIX"], f"$CI_PROJECT_DIR/{prefix}")


class Documents(unittest.TestCase):
    def test_examples_use_what_there_is(self):
        page = (PROJECT / "harness/TESTING.md").read_text(encoding="utf-8")
        github, gitlab = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
        used = [step for step in github["jobs"]["replays"]["steps"]
                if step.get("uses", "").endswith("/isotick/harness/ci@main")]
        self.assertEqual(len(used), 2)
        self.assertLessEqual(used[1]["with"].keys(), GitHub.action["inputs"].keys())
        job = gitlab["replays"]
        self.assertEqual((job["extends"], job["script"][-1]), (".isotick", [".isotick", "script"]))
        helped = subprocess.run([str(CI / "isotick-ci"), "--help"], check=True, text=True,
                                capture_output=True).stdout
        clone = {"ISOTICK_REPOSITORY", "ISOTICK_REF"}
        for name in {**job["variables"], **GitLab.job["variables"]}.keys() - clone:
            self.assertIn(f"  {name} ", helped)
        refused = subprocess.run([str(CI / "isotick-ci"), "no-such"], check=False,
                                 capture_output=True)
        self.assertEqual(refused.returncode, 2)


if __name__ == "__main__":
    unittest.main()
