"""record --sample: inputs once per frame, or for each tick."""

import json
import unittest

from program import ProgramTest

TWO_TICKS = "--schedule 30hz --sim ./provoked.so --ticks 200"


class Sampling(ProgramTest):
    def inputs(self, name, options):
        self.record(name, options)
        lines = self.isotick(f"export {name} --sim ./provoked.so").out.splitlines()
        ticks = [json.loads(line) for line in lines]
        return [tick["hex"] for tick in ticks if "hex" in tick]

    def test_once_per_frame_all_its_ticks_see_one_sample(self):
        inputs = self.inputs("frame.isotick", TWO_TICKS)
        self.assertEqual(inputs[0::2], inputs[1::2])
        self.assertNotEqual(inputs[0], inputs[2])

    def test_for_each_tick_the_schedule_makes_no_difference(self):
        each = self.inputs("tick.isotick", f"{TWO_TICKS} --sample tick")
        nominal = self.inputs("nominal.isotick", "--sim ./provoked.so --ticks 200")
        self.assertEqual(each, nominal)
        self.ends(0, "verify tick.isotick --sim ./provoked.so --trials 5", "IDENTICAL")

    def test_anything_else_is_refused(self):
        self.refuses(f"record -o x.isotick {TWO_TICKS} --sample second", "--sample")


if __name__ == "__main__":
    unittest.main()
