"""scripts/setup on machines that lack things, played by programs that stand in for apt's."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
TOOLS = ["bash", "basename", "cat", "dirname", "env", "mktemp", "rm", "tail"]
LACKS_TWO = 'case "$*" in *libzstd-dev|*cmake) exit 1 ;; esac; printf installed'


class Machine(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="isotick-setup-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for tool in TOOLS:
            (self.folder / tool).symlink_to(shutil.which(tool))
        self.stand_in("id", "echo 0")

    def stand_in(self, name, body):
        path = self.folder / name
        path.write_text(f"#!{shutil.which('bash')}\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def run_script(self, *arguments, script="setup"):
        return subprocess.run([str(PROJECT / "scripts" / script), *arguments], check=False,
                              env={"PATH": str(self.folder), "HOME": str(self.folder)},
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)


class Setup(Machine):
    def apt_calls(self):
        log = self.folder / "apt.log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def log_apt(self, status=0):
        self.stand_in("apt-get", f'echo "$*" >>{self.folder}/apt.log\n'
                      f'[ {status} = 0 ] || echo "E: no such thing"\nexit {status}')

    def test_nothing_missing_calls_no_apt(self):
        self.stand_in("dpkg-query", "printf installed")
        self.log_apt()
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(self.apt_calls(), [])

    def test_says_and_installs_what_is_missing_and_no_more(self):
        self.stand_in("dpkg-query", LACKS_TWO)
        self.log_apt()
        ran = self.run_script()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("== installing with apt: cmake libzstd-dev\n", ran.stderr)
        update, install = self.apt_calls()
        self.assertTrue(update.endswith(" update"))
        self.assertTrue(install.endswith(" install --no-install-recommends cmake libzstd-dev"))

    def test_without_apt_lists_the_packages_and_stops(self):
        self.stand_in("dpkg-query", LACKS_TWO)
        ran = self.run_script()
        self.assertEqual(ran.returncode, 1)
        self.assertTrue(ran.stderr.startswith("setup: there is no apt-get here"), ran.stderr)
        self.assertTrue(ran.stderr.endswith(": cmake libzstd-dev\n"), ran.stderr)

    def test_on_no_debian_at_all_lists_every_package(self):
        ran = self.run_script()
        self.assertEqual(ran.returncode, 1)
        self.assertIn(": g++ cmake ninja-build libcereal-dev ", ran.stderr)

    def test_full_takes_npm_unless_there_is_one(self):
        ran = self.run_script("--full")
        self.assertRegex(ran.stderr, " npm\n$")
        self.stand_in("npm", "exit 0")
        ran = self.run_script("--full")
        self.assertRegex(ran.stderr, " xz-utils\n$")

    def test_without_the_rights_says_so_and_stops(self):
        self.stand_in("dpkg-query", LACKS_TWO)
        self.stand_in("id", "echo 1000")
        self.log_apt()
        ran = self.run_script()
        self.assertEqual(ran.returncode, 1)
        self.assertIn("neither root nor sudo; have these installed: cmake libzstd-dev", ran.stderr)
        self.assertEqual(self.apt_calls(), [])

    def test_uses_sudo_where_there_is_no_root(self):
        self.stand_in("dpkg-query", LACKS_TWO)
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", f'echo sudo >>{self.folder}/apt.log; exec "$@"')
        self.log_apt()
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual(self.apt_calls()[0::2], ["sudo", "sudo"])

    def test_a_failing_apt_is_shown_and_fails(self):
        self.stand_in("dpkg-query", LACKS_TWO)
        self.log_apt(status=100)
        ran = self.run_script()
        self.assertEqual(ran.returncode, 1)
        self.assertIn("E: no such thing", ran.stderr)
        self.assertIn("setup: apt-get could not install them", ran.stderr)

    def test_every_script_helps_and_refuses_nonsense(self):
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        scripts = [p for p in (PROJECT / "scripts").iterdir() if p.is_file()]
        self.assertGreaterEqual(len(scripts), 3)
        for script in scripts:
            with self.subTest(script.name):
                helped = subprocess.run([str(script), "--help"], capture_output=True, text=True,
                                        env={"PATH": path}, check=False)
                self.assertEqual(helped.returncode, 0, helped.stderr)
                self.assertRegex(helped.stdout.lower(), rf"^usage: (scripts/)?{script.name}\b")
                refused = subprocess.run([str(script), "--no-such-option"], capture_output=True,
                                         env={"PATH": path}, text=True, check=False)
                self.assertEqual(refused.returncode, 2)


class Uplot(Machine):
    """scripts/lib/uplot with programs that stand in for npm, and what makes the page of it."""

    def setUp(self):
        super().setUp()
        for tool in ("mkdir", "sha256sum", "tar", "gzip"):
            (self.folder / tool).symlink_to(shutil.which(tool))
        self.target = self.folder / "uplot"

    def fetch(self):
        return self.run_script(str(self.target), script="lib/uplot")

    def test_without_npm_says_what_is_missing(self):
        ran = self.fetch()
        self.assertEqual(ran.returncode, 0)
        self.assertIn("no npm, so HTML reports have tables but no plots", ran.stderr)
        self.assertFalse(self.target.exists())

    def test_without_a_network_says_what_is_missing(self):
        self.stand_in("npm", "echo no network; exit 1")
        ran = self.fetch()
        self.assertEqual(ran.returncode, 0)
        self.assertIn("no network\n== npm could not fetch it, so HTML reports have tables",
                      ran.stderr)
        self.assertFalse((self.target / "stamp").exists())

    def test_refuses_another_archive(self):
        self.stand_in("npm", f"echo other >{self.target}/uplot-1.6.32.tgz")
        for _ in range(2):
            ran = self.fetch()
            self.assertEqual(ran.returncode, 1)
            self.assertIn("uplot-1.6.32.tgz is not the file that was expected", ran.stderr)
        self.assertFalse((self.target / "dist").exists())

    def embed(self, *options):
        page = PROJECT / "harness/program/reporters/html"
        return subprocess.run(
            [shutil.which("cmake"), f"-DFOLDER={page}", f"-DOUTPUT={self.folder}/page.cpp",
             *options, "-P", str(page / "embed.cmake")], check=False, capture_output=True,
            text=True)

    def embedded(self, name):
        source = (self.folder / "page.cpp").read_text(encoding="utf-8")
        listed = re.search(rf"k{name}Bytes\[\] = {{([^}}]*)0}};", source)[1]
        return bytes.fromhex(re.sub(r"[^0-9a-f]", "", listed)).decode()

    def test_a_page_is_made_with_it_and_without(self):
        dist = self.target / "dist"
        dist.mkdir(parents=True)
        (self.target / "LICENSE").write_text("a license", encoding="utf-8")
        (dist / "uPlot.min.css").write_text("a {}", encoding="utf-8")
        (dist / "uPlot.iife.min.js").write_text("var uPlot = 1;", encoding="utf-8")
        uplot = f"-DUPLOT={dist}/uPlot.iife.min.js"
        self.assertEqual(self.embed(uplot).returncode, 0)
        self.assertEqual([self.embedded(name) for name in ("UplotLicense", "UplotCss", "UplotJs")],
                         ["a license", "a {}", "var uPlot = 1;"])
        self.assertEqual(self.embed("-DUPLOT=").returncode, 0)
        self.assertEqual([self.embedded(name) for name in ("UplotLicense", "UplotCss", "UplotJs")],
                         ["", "", ""])
        self.assertIn("<!doctype html>", self.embedded("ReportHtml"))
        (dist / "uPlot.iife.min.js").write_text("'</script>'", encoding="utf-8")
        self.assertRegex(self.embed(uplot).stderr, r"would\s+end the element")


if __name__ == "__main__":
    unittest.main()
