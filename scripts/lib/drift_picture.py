#!/usr/bin/env python3
"""Draws core/drift.svg: how far off the sums of loops in double are during a day.

Usage: drift_picture.py ISOTICK >core/drift.svg
       drift_picture.py --simulate    (what isotick runs: a process of harness/PROTOCOL.md)

The program drives a simulation for 24 hours at 60 Hz, with nominal frames, by each loop. `render`
gets alpha; alpha and the ticks done tell how far off the loop's sum is. Takes 15 minutes or more.
"""

import os
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

HOURS, RATE, SAMPLES_PER_HOUR = 24, 60, 4
FRAMES_PER_SAMPLE = RATE * 3600 // SAMPLES_PER_HOUR
DRAWN, FLAT, EXACT = LOOPS = "clock-double", "accumulator-double", "accumulator"

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 64, 696, 44, 322  # of the plot
LEAST, MOST = -1, 7  # microseconds
HALO = 'fill="#a04000" stroke="#fff3e6" stroke-width="5" paint-order="stroke"'


# The simulation ------------------------------------------------------------------------------

def text(words):
    return struct.pack("<I", len(words)) + words.encode()


VERBS = {"hello": 1, "create": 2, "step": 4, "render": 5, "hash": 6}
INFO = (struct.pack("<IIIIIIQI", 1, RATE, 1, 0, 0, 0, sum(1 << verb for verb in VERBS.values()), 0)
        + text("alphas") + text("") + text("user:none") + text("") * 3)
BODIES = {VERBS["hello"]: INFO, VERBS["create"]: struct.pack("<I", 1) + text("nothing"),
          VERBS["step"]: b"", VERBS["render"]: b"", VERBS["hash"]: bytes(8)}
ANSWERS = {verb: struct.pack("<IB", 1 + len(body), 0) + body for verb, body in BODIES.items()}


def requests():
    """The verb and body of each request, answered once all that was read is handled."""
    data = b""
    while more := os.read(0, 1 << 20):
        data += more
        at, answers = 0, []
        while len(data) - at >= 4 + (size := int.from_bytes(data[at:at + 4], "little")) > 4:
            yield data[at + 4], data[at + 5:at + 4 + size]
            answers.append(ANSWERS[data[at + 4]])
            at += 4 + size
        data = data[at:]
        os.write(1, b"".join(answers))


def simulate():
    """Writes `ticks alpha` to $ALPHAS after every FRAMES_PER_SAMPLE-th frame."""
    frames = ticks = 0
    with open(os.environ["ALPHAS"], "w", encoding="ascii") as alphas:
        for verb, body in requests():
            ticks += verb == VERBS["step"]
            if verb == VERBS["render"]:
                frames += 1
                if frames % FRAMES_PER_SAMPLE == 0:
                    print(ticks, *struct.unpack("<d", body), file=alphas)


# How far off the loops are ---------------------------------------------------------------------

def start(isotick, loop, folder):
    """A process that drives a day by `loop`, and where its alphas will be."""
    alphas = Path(folder) / loop
    command = [isotick, "record", "--sim", f"exec:python3 {Path(__file__).resolve()} --simulate",
               "--inputs", "none", "--ticks", str(HOURS * 3600 * RATE), "--loop", loop,
               "--schedule", "nominal", "--hash-every", "1000000", "--parts-every", "1000000",
               "-o", f"{alphas}.isotick"]
    return subprocess.Popen(command, env={**os.environ, "ALPHAS": str(alphas)},
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), alphas


def microseconds_off(alphas):
    """How far the sum is ahead of the time fed, at each sample: a whole second, so exact."""
    lines = [line.split() for line in alphas.read_text(encoding="ascii").splitlines()]
    return [float((sample * FRAMES_PER_SAMPLE - int(ticks) - Fraction(float(alpha)))
                  * 1_000_000 / RATE)
            for sample, (ticks, alpha) in enumerate(lines, 1)]


def measure(isotick):
    with tempfile.TemporaryDirectory() as folder:
        running = [start(isotick, loop, folder) for loop in LOOPS]
        if any([process.wait() for process, _ in running]):
            raise SystemExit("drift_picture: isotick failed")
        return [microseconds_off(alphas) for _, alphas in running]


# The picture ---------------------------------------------------------------------------------

def across(hours):
    return LEFT + (RIGHT - LEFT) * hours / HOURS


def down(microseconds):
    return BOTTOM - (BOTTOM - TOP) * (microseconds - LEAST) / (MOST - LEAST)


def label(x, y, words, style=""):
    return f'<text x="{x:.0f}" y="{y:.0f}"{style and " " + style}>{words}</text>'


def line(x1, y1, x2, y2, style):
    return f'<path d="M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}" {style}/>'


def axes():
    for value in range(LEAST, MOST + 1):
        yield line(LEFT, down(value), RIGHT, down(value), 'stroke="#ddd"')
        yield label(LEFT - 8, down(value) + 4, f"{value:+d}".replace("-", "−") if value else "0",
                    'text-anchor="end"')
    for hour in range(0, HOURS + 1, 4):
        yield line(across(hour), BOTTOM, across(hour), BOTTOM + 5, 'stroke="#555"')
        yield label(across(hour), BOTTOM + 19, hour, 'text-anchor="middle"')
    yield label((LEFT + RIGHT) / 2, BOTTOM + 40, "simulated time, hours", 'text-anchor="middle"')
    yield label(0, 0, "sum of dt minus true time, µs",
                f'text-anchor="middle" transform="translate(18 {(TOP + BOTTOM) // 2}) rotate(-90)"')


def doublings():
    """Where the spacing of doubles doubles: the curve bends there."""
    for power in (13, 14, 15, 16):
        x = across(2 ** power / 3600)
        yield line(x, TOP, x, BOTTOM, 'stroke="#999" stroke-dasharray="3 4"')
        yield label(x, TOP - 6, f"2¹{'⁰¹²³⁴⁵⁶'[power - 10]} s", 'text-anchor="middle" fill="#555"')


def svg(drawn, flat, exact):
    if any(exact) or max(map(abs, flat)) >= 0.001 or not all(LEAST < each < MOST for each in drawn):
        raise SystemExit("drift_picture: the picture's labels or its scale are no longer right")
    points = " ".join(f"{across((at + 1) / SAMPLES_PER_HOUR):.1f},{down(each):.1f}"
                      for at, each in enumerate(drawn))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13">',
        "<title>How far off the loops' sums of 1/60 s are during a day</title>",
        "<!-- made by scripts/lib/drift_picture.py -->",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<rect x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT}" height="{down(0) - TOP:.0f}" '
        'fill="#fff3e6"/>',
        '<g fill="#222">', *axes(), *doublings(),
        label(across(0.4), down(4.6), "Above 0 the sum is ahead of the clock:", HALO),
        label(across(0.4), down(4.6) + 18, "every tick comes a frame late.", HALO),
        line(LEFT, down(0), RIGHT, down(0), 'stroke="#0060a0" stroke-width="2.5"'),
        f'<polyline points="{across(0):.1f},{down(0):.1f} {points}" fill="none" '
        'stroke="#c04000" stroke-width="2.5" stroke-linejoin="round"/>',
        label(across(12.9), down(3.2), DRAWN, 'fill="#c04000" text-anchor="end" '
              'font-weight="bold"'),
        label(RIGHT - 6, down(0) + 18, f"{EXACT}: 0; {FLAT}: below 0.001",
              'fill="#0060a0" text-anchor="end"'),
        "</g>", "</svg>"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--simulate":
        simulate()
    else:
        print(svg(*measure(sys.argv[1])))
