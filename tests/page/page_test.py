"""The page of HTML reports, opened in headless Chromium.

Needs chromium, chromium-driver and python3-selenium (Debian's names). Ends with 77 without them.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    print("python3-selenium is missing")
    sys.exit(77)

import page_samples

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ISOTICK_PROGRAM", PROJECT / "build/dev/harness/program/isotick")
PAGE = PROJECT / "harness/program/reporters/html"
UPLOT = re.compile(r'(?s)<script id="uplot">.*?</script>\n')
DOCUMENT = re.compile(r'(?s)(<script type="application/json" id="report">)(.*?)(</script>)')
MOST_BYTES = 5_000_000

# How many pixels of a canvas are not those of an empty one.
INKED = """
const canvas = arguments[0];
const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
let inked = 0;
for (let at = 3; at < data.length; at += 4) inked += data[at] > 0;
return inked;
"""

# For each text that is shown: its color and what is behind it.
CONTRASTS = """
const channels = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
  return [r, g, b, a]; };
const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
function ground(node) {
  for (; node; node = node.parentElement) {
    const color = channels(getComputedStyle(node).backgroundColor);
    if (color[3] > 0) return color;
  }
  return [255, 255, 255, 1];
}
const found = {};
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const node = walk.currentNode.parentElement;
  if (!walk.currentNode.data.trim() || !node.checkVisibility()) continue;
  if (node.closest('script, svg')) continue;
  const [a, b] = [luminance(channels(getComputedStyle(node).color)), luminance(ground(node))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const key = `${node.tagName}.${node.className} ${getComputedStyle(node).color}`;
  found[key] = Math.min(found[key] ?? 99, contrast);
}
return found;
"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        try:
            cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"),
                                           options=options)
        except WebDriverException as failure:  # as where a container allows it no processes
            raise unittest.SkipTest(f"Chromium does not start here: {failure}") from failure
        cls.folder = tempfile.TemporaryDirectory()
        cls.record_all()
        cls.page = cls.verify("--report html:whole.html", "whole.html")
        cls.sample = json.loads(DOCUMENT.search(cls.page)[2])
        cls.has_plots = UPLOT.search(cls.page) is not None

    @classmethod
    def record_all(cls):
        for name, simulation, ticks, seed in (
                ("heap-1", "control:render-random", 250, 1),
                ("heap-2", "control:render-random", 300, 2),
                ("heap-3", "control:render-random", 350, 3),
                ("frame-1", "control:frame-time", 300, 1),
                ("frame-2", "control:frame-time", 300, 2),
                ("fine-1", "skirmish", 250, 1), ("fine-2", "skirmish", 300, 2)):
            subprocess.run([PROGRAM, "record", "--sim", simulation, "--ticks", str(ticks),
                            "--seed", str(seed), "-o", f"{name}.isotick"], check=True,
                           cwd=cls.folder.name, stdout=subprocess.DEVNULL)

    @classmethod
    def verify(cls, options, file):
        """That file, once verify has written it."""
        words = [PROGRAM, "verify", "heap-1.isotick", "heap-2.isotick", "heap-3.isotick",
                 "frame-1.isotick", "frame-2.isotick", "fine-1.isotick", "fine-2.isotick",
                 "--trials", "30", "--fields", "all", *options.split()]
        done = subprocess.run(words, cwd=cls.folder.name, stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 1:
            raise RuntimeError(f"verify ended with {done.returncode}")
        return (pathlib.Path(cls.folder.name) / file).read_text(encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.folder.cleanup()

    def make(self, document, page_of=None):
        """The page of a document, as a path; what `page_of` has besides the document."""
        text = document if isinstance(document, str) else json.dumps(
            document, ensure_ascii=False, separators=(",", ":"))  # as the program writes it
        page = pathlib.Path(self.folder.name) / "report.html"
        for character in "<\u2028\u2029":
            text = text.replace(character, f"\\u{ord(character):04x}")
        whole = page_of or self.page
        page.write_text(DOCUMENT.sub(lambda found: found[1] + text + found[3], whole, count=1),
                        encoding="utf-8")
        return page

    def open(self, document, width=1280, scheme="light", page_of=None):
        """Opens its page; fails on messages in the console and on requests."""
        page = self.make(document, page_of=page_of)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=900,
                     deviceScaleFactor=1, mobile=False)
        self.browser.get("about:blank")
        self.logs()
        self.browser.get(page.as_uri())
        self.assertEqual(self.script("return document.documentElement.dataset.ready"), "true")
        return page

    def command(self, name, **arguments):
        return self.browser.execute_cdp_cmd(name, arguments)

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self):
        return self.one("body").text

    def press(self, *keys):
        self.browser.switch_to.active_element.send_keys(*keys)

    def focused(self, expression):
        return self.script(f"return document.activeElement.{expression}")

    def tab_to(self, matches, most=60):
        for _ in range(most):
            if self.script(f"return document.activeElement.matches({matches!r})"):
                return
            self.press(Keys.TAB)
        self.fail(f"{matches} is not reached with Tab")

    def logs(self):
        """Console messages, and addresses that were asked for."""
        console = [entry["message"] for entry in self.browser.get_log("browser")]
        events = [json.loads(entry["message"])["message"]
                  for entry in self.browser.get_log("performance")]
        requests = [event["params"]["request"]["url"] for event in events
                    if event["method"] == "Network.requestWillBeSent"]
        return console, requests

    def assert_quiet(self, page):
        """Nothing in the console, and no request but the one for the page."""
        console, requests = self.logs()
        self.assertEqual(console, [])
        self.assertEqual([url for url in requests if url != page.as_uri()], [])

    def open_all(self):
        self.script("document.querySelectorAll('#recordings .open[aria-expanded=false]')"
                    ".forEach((one) => one.click());"
                    "document.querySelectorAll('details').forEach((one) => { one.open = true; });")
        self.settle()

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.browser.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def wait_for_status(self, text):
        WebDriverWait(self.browser, 10).until(lambda _: text in self.one("#status").text)

    # What is shown.

    def test_each_sample_opens_quietly(self):
        samples = {
            "sample": self.sample, "identical": page_samples.all_identical(self.sample),
            "empty": page_samples.empty(), "one": page_samples.one_only(self.sample),
            "partial": page_samples.partial(self.sample),
            "hostile": page_samples.hostile(self.sample),
            "other ends": page_samples.other_ends(self.sample),
            "bare": {"format": "isotick report 1"},
        }
        for name, document in samples.items():
            with self.subTest(name):
                page = self.open(document)
                self.open_all()
                self.assert_quiet(page)
                self.assertNotIn("undefined", self.text())
                self.assertNotIn("NaN", self.text())
                self.assertNotIn("[object", self.text())

    def test_shows_summary_and_findings(self):
        self.open(self.sample)
        text = self.text()
        self.assertEqual(self.one("h1").text, "≠ diverged")
        self.assertIn(self.sample["summary"], text)
        for finding in self.sample["findings"]:
            self.assertIn(finding["title"], text)
        self.assertEqual(len(self.all("#findings article")), 2)
        self.assertEqual(len(self.all("#recordings .open")), len(self.sample["recordings"]))
        self.assertNotIn("Partial", text)

    def test_says_that_a_report_is_partial(self):
        self.open(page_samples.partial(self.sample))
        self.assertIn("Partial report", self.one(".notice").text)

    def test_says_that_all_is_identical(self):
        self.open(page_samples.all_identical(self.sample))
        self.assertEqual(self.one("h1").text, "✓ identical")
        self.assertFalse(self.one("#findings").is_displayed())
        self.open_all()
        self.assertIn("the simulation cannot save its state", self.text())

    def test_says_that_there_are_no_recordings(self):
        self.open(page_samples.empty())
        self.assertIn("There are no recordings", self.text())

    def test_says_that_the_document_cannot_be_read(self):
        self.open('{"verdict": ')
        self.assertIn("cannot be read", self.text())

    def test_shows_why_a_recording_was_not_read(self):
        self.open(page_samples.document([page_samples.unread("gone.isotick", "no such file")]))
        self.open_all()
        self.assertIn("no such file", self.text())

    def test_keeps_what_the_document_says(self):
        page = self.make(page_samples.hostile(self.sample))
        self.browser.get(page.as_uri())
        read = json.loads(self.script(
            "return JSON.stringify(JSON.parse(document.getElementById('report').textContent))"))
        expected = page_samples.hostile(self.sample)
        for one in (read, expected):  # JavaScript rounds 2^63 as it prints it
            failure = one["recordings"][-1]["result"]["failures"][0]
            for field in failure["explanation"]["fields"]["listed"]:
                field["ulps"] = float(field["ulps"])
        self.assertEqual(read, expected)

    # Searching and sorting.

    def test_search_filters_fields(self):
        self.open(self.sample)
        index = next(at for at, one in enumerate(self.sample["recordings"])
                     if one["recording"] == "frame-1.isotick")
        self.all("#recordings .open")[index].click()
        article = self.one("#recordings article")
        box = article.find_element(By.CSS_SELECTOR, "input[type=search]")
        label = self.script("return arguments[0].labels[0].textContent", box)
        self.assertEqual(label, "Search fields")
        box.send_keys("position_x[11]")
        rows = self.all("#recordings article .grid:first-of-type > .scroll > table > tbody > tr")
        rows = [one for one in rows if "units." in one.text]
        self.assertEqual(len(rows), 1, [one.text for one in rows])
        self.assertIn("units.position_x[11]", rows[0].text)
        self.assertIn("of 1 (of 50)", article.text)
        box.send_keys("nowhere")
        self.assertIn("None match.", article.text)

    def test_filters_and_sorts_recordings(self):
        self.open(self.sample)
        names = lambda: [one.text for one in self.all("#recordings tbody .open")]
        self.assertEqual(names()[-2:], ["fine-1.isotick", "fine-2.isotick"])
        self.one("#recordings input[type=search]").send_keys("FINE")
        self.assertEqual(names(), ["fine-1.isotick", "fine-2.isotick"])
        self.one("#recordings input[type=search]").send_keys(Keys.BACKSPACE * 4)
        self.one("#recordings select option:nth-child(2)").click()
        self.assertEqual(len(names()), 5)
        head = self.all("#recordings thead button")[2]
        head.click()
        head.click()
        self.assertEqual(names()[0], "heap-3.isotick")
        order = self.all("#recordings thead th")[2].get_attribute("aria-sort")
        self.assertEqual(order, "descending")

    def test_link_of_a_finding_opens_its_recording_in_spite_of_filters(self):
        self.open(self.sample)
        self.one("#recordings input[type=search]").send_keys("fine")
        self.all("#findings .link")[1].click()
        self.assertEqual(self.focused("textContent"), "frame-1.isotick")
        self.assertEqual(self.focused("getAttribute('aria-expanded')"), "true")
        self.assertTrue(self.one("#recordings article").is_displayed())

    # Over time.

    def shown_frames(self):
        """Of the recording that is shown for the second finding, and its explanation."""
        (failure,) = [one for recording in self.sample["recordings"]
                      if recording["recording"] == self.sample["findings"][1]["smallest"]
                      for one in recording["result"]["failures"] if one.get("frames")]
        return failure["frames"], failure["explanation"]

    def cells(self, details, rows=25):
        """The texts of a table's first rows, once its fold is open."""
        if not details.get_attribute("open"):
            details.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
            self.settle()
        return [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "th, td")]
                for row in details.find_elements(By.CSS_SELECTOR, ":scope tbody tr")[:rows]]

    def check_frame_table(self, card):
        frames, _ = self.shown_frames()
        shown = self.cells(card.find_elements(By.TAG_NAME, "details")[0])
        fails, passes = frames["fails"], frames["passes"]
        self.assertEqual(len(shown), min(25, len(fails["ticks"])))
        ms = lambda time: f"{time / 1e6:.6f}".rstrip("0").rstrip(".")
        for at, (frame, time, ticks, other_time, other_ticks, note) in enumerate(shown):
            self.assertEqual(
                [frame, time, ticks, other_time, other_ticks],
                [str(frames["first"] + at), ms(fails["frame_time_ns"][at]),
                 str(fails["ticks"][at]), ms(passes["frame_time_ns"][at]),
                 str(passes["ticks"][at])])
            if frames["first"] + at == frames["failed"]:
                self.assertRegex(note, r"^tick \d+ diverges$")

    def test_frames_are_plotted_and_in_a_table(self):
        if not self.has_plots:
            self.skipTest("the program was built without uPlot")
        for scheme in ("light", "dark"):
            page = self.open(self.sample, scheme=scheme)
            self.settle()
            card = self.all("#findings > article")[1]
            plots = card.find_elements(By.CSS_SELECTOR, ".plot[role=img]")
            self.assertEqual(len(plots), 2)
            for plot in plots:
                canvas = plot.find_element(By.TAG_NAME, "canvas")
                self.assertGreater(self.script(INKED, canvas), 2000)
                self.assertRegex(plot.get_attribute("aria-label"),
                                 r"The trial that fails: .*; the one that passes: ")
                self.assertRegex(plot.text, r"fails\s*17 ms\s*passes\s*16.66" if plot == plots[0]
                                 else r"fails\s*1 tick\s*passes\s*1 tick")
            self.check_frame_table(card)
            self.assert_quiet(page)

    def test_keyboard_moves_along_the_frames(self):
        if not self.has_plots:
            self.skipTest("the program was built without uPlot")
        self.open(self.sample)
        self.settle()
        frames, _ = self.shown_frames()
        self.tab_to("#findings article:nth-of-type(2) .plot")
        values = lambda: self.script(
            "return [...document.activeElement.querySelectorAll('.u-value')]"
            ".map((one) => one.textContent)")
        at = frames["failed"] - frames["first"]
        ms = lambda times, index: f"{times[index] / 1e6:.6f}".rstrip("0").rstrip(".") + " ms"
        expected = lambda index: [str(frames["first"] + index)] + [
            ms(frames[side]["frame_time_ns"], index) for side in ("fails", "passes")]
        self.assertEqual(values(), expected(at))  # where it failed
        self.press(Keys.ARROW_RIGHT)
        self.settle()
        self.assertEqual(values(), expected(at + 1))
        self.press(Keys.HOME)
        self.settle()
        self.assertEqual(values(), expected(0))
        self.press(Keys.ARROW_LEFT)
        self.settle()
        self.assertEqual(values(), expected(0))
        # The plot of ticks goes along.
        other = self.all("#findings > article")[1].find_elements(By.CSS_SELECTOR, ".plot")[1]
        self.assertEqual(other.find_element(By.CSS_SELECTOR, ".u-value").text,
                         str(frames["first"]))

    def test_the_pointer_shows_values_until_it_leaves(self):
        if not self.has_plots:
            self.skipTest("the program was built without uPlot")
        self.open(self.sample)
        self.settle()
        frames, _ = self.shown_frames()
        plot = self.all("#findings > article")[1].find_element(By.CSS_SELECTOR, ".plot")
        shown = lambda: int(plot.find_element(By.CSS_SELECTOR, ".u-value").text)
        last = frames["first"] + len(frames["fails"]["ticks"]) - 1
        self.assertEqual(shown(), frames["failed"])
        over = plot.find_element(By.CSS_SELECTOR, ".u-over")
        self.script("arguments[0].scrollIntoView({block: 'center'})", over)
        right = over.size["width"] // 2 - 5
        ActionChains(self.browser).move_to_element_with_offset(over, right, 0).perform()
        self.settle()
        self.assertEqual(shown(), last)
        ActionChains(self.browser).move_to_element(self.one("h1")).perform()
        self.settle()
        self.assertEqual(shown(), frames["failed"])

    def test_without_uplot_there_are_the_tables(self):
        page = self.open(self.sample, page_of=UPLOT.sub("", self.page))
        self.settle()
        self.assertEqual(self.all("canvas"), [])
        card = self.all("#findings > article")[1]
        fold = card.find_element(By.TAG_NAME, "details")
        self.assertEqual(fold.find_element(By.TAG_NAME, "summary").text, "Frames as a table")
        self.assertIsNotNone(fold.get_attribute("open"))
        self.check_frame_table(card)
        self.assertIn("built without uPlot: tables only", self.one("footer").text)
        self.assert_quiet(page)

    def test_parts_over_time_are_drawn_and_in_a_table(self):
        self.open(self.sample)
        _, explanation = self.shown_frames()
        history = explanation["part_history"]
        card = self.all("#findings > article")[1]
        picture = card.find_element(By.CSS_SELECTOR, "svg[role=img]")
        marks = picture.find_elements(By.CSS_SELECTOR, "rect.mark")
        self.assertEqual(len(marks), sum(len(part["differs"]) for part in history["parts"]))
        rows = self.cells(card.find_elements(By.TAG_NAME, "details")[1])
        self.assertEqual([row[0] for row in rows], [part["part"] for part in history["parts"]])
        for row, part in zip(rows, history["parts"]):
            first, last = part["differs"][0]
            self.assertTrue(row[1].startswith(
                f"tick {first - 1}" + (f" to {last - 1}" if last > first else "")), row)
            self.assertIn(f"{part['part']}: {row[1][:40]}", picture.get_attribute("aria-label"))

    def test_fields_over_time_are_a_curve_and_a_table(self):
        self.open(self.sample)
        _, explanation = self.shown_frames()
        points = [(one["ticks_done"] - 1, one["differing"])
                  for one in explanation["impact"]["fields"]]
        self.assertGreater(len(points), 3)
        card = self.all("#findings > article")[1]
        picture = card.find_elements(By.CSS_SELECTOR, "svg[role=img]")[1]
        self.assertEqual(len(picture.find_elements(By.TAG_NAME, "circle")), len(points))
        lines = picture.find_elements(By.TAG_NAME, "line")
        self.assertEqual(len(lines), len(points) - 1)
        for line, (_, before), (_, after) in zip(lines, points, points[1:]):
            falls = float(line.get_attribute("y1")) < float(line.get_attribute("y2"))
            self.assertEqual(falls, after < before)
        rows = self.cells(card.find_elements(By.TAG_NAME, "details")[2], len(points))
        self.assertEqual([tuple(int(cell.replace(",", "")) for cell in row[:2]) for row in rows],
                         points)

    def test_parts_that_heal_are_said_to(self):
        document = page_samples.one_only(self.sample)
        (shown,) = [one for one in document["recordings"][0]["result"]["failures"]
                    if one.get("frames")]
        shown["explanation"]["part_history"] = {
            "compared": [60, 300], "every": 60, "total": 40, "same": 2,
            "parts": [{"part": f"part-{at}", "differs": [[60, 120]]} for at in range(32)]}
        self.open(document)
        text = self.one("#findings article").text
        self.assertIn("Every 60 ticks, where the recording has hashes of parts, from tick 59 to "
                      "tick 299: 40 parts differ, 2 never. The first 32 are shown.", text)
        self.assertNotIn("as recorded again", text)
        shown["explanation"]["part_history"]["total"] = 32
        self.open(document)
        self.assertIn("From tick 179 on, the state is as recorded again.",
                      self.one("#findings article").text)

    def test_says_where_parts_over_time_are_not_known(self):
        document = page_samples.one_only(self.sample)
        for failure in document["recordings"][0]["result"]["failures"]:
            if failure.get("explanation"):
                failure["explanation"]["part_history"] = None
        self.open(document)
        self.assertIn("Not known: ", self.one("#findings article").text)

    def test_a_recording_that_fails_like_a_smaller_one_names_that(self):
        self.open(self.sample)
        at = next(at for at, one in enumerate(self.sample["recordings"])
                  if one["recording"] == "heap-2.isotick")
        self.all("#recordings .open")[at].click()
        self.assertIn("fails like a smaller one, heap-1.isotick, which is shown over time",
                      self.one("#recordings article").text)
        self.assertEqual(self.all("#recordings article .plot"), [])

    def lockstep(self, name):
        words = [PROGRAM, "lockstep", "--sim", name, "--peers", "3", "--network", "awful",
                 "--mode", "rollback", "--trials", "2", "--ticks", "200",
                 "--report", "html:peers.html"]
        subprocess.run(words, cwd=self.folder.name, stdout=subprocess.DEVNULL, check=False)
        return pathlib.Path(self.folder.name) / "peers.html"

    def test_peers_are_drawn_over_time(self):
        page = self.lockstep("skirmish")
        for scheme in ("light", "dark"):
            self.open(self.sample, scheme=scheme)  # sets the scheme
            self.logs()
            self.browser.get(page.as_uri())
            picture = self.one("#recordings .picture[role=img]")  # open: it is the only one
            self.assertIn("skirmish: 3 peers in rollback", picture.get_attribute("aria-label"))
            drawn, ground, of_page = self.script(
                "const svg = arguments[0].shadowRoot.querySelector('svg');"
                "const style = (one, of) => getComputedStyle(one)[of];"
                "return [svg.getBoundingClientRect().width,"
                " style(svg.querySelector('.ground'), 'fill'),"
                " style(document.querySelector('.banner'), 'fill')]", picture)
            self.assertGreater(drawn, 700)
            self.assertEqual(ground, {"light": "rgb(255, 255, 255)",
                                      "dark": "rgb(20, 24, 31)"}[scheme])
            self.assertEqual(of_page, "rgb(0, 0, 0)")  # its style leaves the page alone
            self.assert_quiet(page)
        rows = self.cells(self.one("#recordings article details"))
        self.assertEqual([row[0] for row in rows], ["0", "1", "2"])
        self.assertEqual({row[1] for row in rows}, {"finished"})
        self.assertEqual({row[2] for row in rows}, {"200"})

    def test_peers_that_diverge_are_in_the_finding(self):
        self.browser.get(self.lockstep("control:frame-time").as_uri())
        self.assertEqual(len(self.all("#findings .picture")), 1)
        self.assertIn("diverged at tick", self.script(
            "return document.querySelector('.picture').shadowRoot.textContent"))

    # The keyboard.

    def test_keyboard_opens_a_recording_and_copies_a_command(self):
        page = self.open(self.sample)
        self.command("Browser.grantPermissions",
                     permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.tab_to("#recordings .open")
        self.press(Keys.ENTER)
        self.assertEqual(self.focused("getAttribute('aria-expanded')"), "true")
        self.tab_to("#recordings article .copy")
        self.assertEqual(self.focused("getAttribute('aria-label')"), "Copy the command")
        self.press(Keys.ENTER)
        self.wait_for_status("Copied.")
        self.assertEqual(self.one("#status").get_attribute("aria-live"), "polite")
        command = self.focused("parentElement.querySelector('code').textContent")
        self.assertEqual(self.browser.execute_async_script(
            "navigator.clipboard.readText().then(arguments[0], arguments[0])"), command)
        self.assertTrue(command.startswith("isotick replay "))
        self.assert_quiet(page)

    def test_copies_where_the_clipboard_is_refused(self):
        self.open(self.sample)
        self.script("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
        copy = self.one("#findings .copy")
        copy.send_keys(Keys.ENTER)
        self.wait_for_status("Copied.")
        self.assertEqual(self.browser.switch_to.active_element, copy)
        self.script("document.execCommand = () => false")
        copy.send_keys(Keys.ENTER)
        self.wait_for_status("Ctrl+C")
        self.assertIn("isotick replay", self.script("return getSelection().toString()"))

    def test_focus_is_visible(self):
        self.open(self.sample)
        self.tab_to("#recordings .open")
        self.assertNotEqual(self.focused("computedStyleMap().get('outline-style').value"), "none")

    def test_controls_have_names_and_headings_are_in_order(self):
        self.open(self.sample)
        self.open_all()
        unnamed = self.script(
            "return [...document.querySelectorAll('input, select, button, svg[role=img], summary')]"
            ".filter((one) => !one.ariaLabel && !one.labels?.[0]?.textContent)"
            ".filter((one) => !one.textContent.trim()).map((one) => one.outerHTML)")
        self.assertEqual(unnamed, [])
        levels = [int(one.tag_name[1]) for one in self.all("h1, h2, h3, h4") if one.is_displayed()]
        self.assertEqual(levels[0], 1)
        for above, below in zip(levels, levels[1:]):
            self.assertLessEqual(below, above + 1)
        for landmark in ("main", "header", "footer"):
            self.assertEqual(len(self.all(f"body > {landmark}")), 1)

    # Hostile names.

    def test_hostile_names_are_text(self):
        page = self.open(page_samples.hostile(self.sample))
        self.open_all()
        self.assert_quiet(page)
        self.assertEqual(self.all("img, b, i, u, iframe, main h1"), [])
        self.assertEqual(len(self.all("script")), 3 if self.has_plots else 2)
        self.assertTrue(self.browser.title.startswith("isotick: "))
        text = self.text()
        self.assertIn("<img src=x onerror=alert(1)>.isotick", text)
        self.assertIn("</script><script>document.title='owned'</script>", text)
        for unseen in ("U+202E", "U+2066", "U+200B", "U+0007", "U+2028", "U+000A", "U+001B"):
            self.assertIn(unseen, text)
        shown = self.script("return document.body.innerText")
        for character in page_samples.UNSEEN:
            self.assertNotIn(character, shown)
        for one in self.all("bdi")[:50]:
            self.assertIn("isolate", one.value_of_css_property("unicode-bidi"))

    def test_long_names_do_not_widen_the_page(self):
        for width in (1280, 400):
            self.open(page_samples.hostile(self.sample), width)
            self.open_all()
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), width)

    # How it looks.

    def test_fits_a_narrow_window(self):
        self.open(self.sample, 400)
        table = self.one("#recordings .scroll")
        hidden = self.script("return arguments[0].scrollWidth - arguments[0].clientWidth", table)
        self.assertLessEqual(hidden, 1)

    def test_text_is_readable_in_both_schemes(self):
        for scheme in ("light", "dark"):
            for name in ("hostile", "other_ends", "partial", "all_identical"):
                self.open(getattr(page_samples, name)(self.sample), scheme=scheme)
                self.open_all()
                found = self.script(CONTRASTS)
                self.assertGreater(len(found), 10)
                poor = {key: value for key, value in found.items() if value < 4.5}
                self.assertEqual(poor, {}, scheme)
            ground = self.one("body").value_of_css_property("background-color")
            dark = sum(int(float(part)) for part in ground[5:-1].split(",")[:3]) < 200
            self.assertEqual(dark, scheme == "dark")

    # Size.

    def test_100_000_trials(self):
        page = self.open(page_samples.big(self.sample))
        self.script("document.querySelector('#findings .link').click()")
        self.assertEqual(len(self.all("#recordings article")), 1)
        self.assertEqual(len(self.all("#recordings tbody .open")), 100)
        self.assertLessEqual(page.stat().st_size, MOST_BYTES)
        self.assert_quiet(page)


if __name__ == "__main__":
    unittest.main()
