"""The reference client in Python, spoken to byte by byte as harness/PROTOCOL.md has it."""

import re
import struct
import unittest

from host import (BAD_SETTINGS, BEGIN_FRAME, COMPOSE_INPUT, CREATE, DESCRIBE_INPUT, FAILED, HASH,
                  HELLO, LOAD, MAGIC, NOTE_WRITES, OK, PROJECT, PROPOSE_INPUT, RENDER, SAVE, STEP,
                  UNKNOWN_VERB, VISIT_FIELDS, WORLD, Client, create, hello, info_in, play, request,
                  step, text)


def worked_example():
    """(whether it is an answer, bytes) of each message at the end of the document."""
    document = (PROJECT / "harness/PROTOCOL.md").read_text(encoding="utf-8")
    messages = []
    for line in document.rpartition("```\n")[0].rpartition("```\n")[2].splitlines():
        words, _, comment = re.match(r"\s*(.*?)(\s{3,}(.*))?$", line).groups(default="")
        comment = line.strip()[len(words):].strip()
        data = b"".join(word.encode() if len(word) == 1 else bytes.fromhex(word)
                        for word in words.split())
        if line.startswith(" "):
            messages[-1][1] += data
        else:
            messages.append([comment.startswith("ok"), data])
    return messages


class WorkedExample(unittest.TestCase):
    def test_is_what_a_client_answers(self):
        messages = worked_example()
        self.assertEqual([answer for answer, _ in messages],
                         [False, True, False, True, False, False, True, True])
        with Client("counter_sim.py") as client:
            client.send(b"".join(data for answer, data in messages if not answer))
            ended = client.end()
        self.assertEqual(ended.answers.hex(" "),
                         b"".join(data for answer, data in messages if answer).hex(" "))
        self.assertEqual((ended.code, ended.err), (0, ""))

    def test_has_sizes_that_are_right(self):
        for _, data in worked_example():
            self.assertEqual(struct.unpack_from("<I", data)[0], len(data) - 4, data)


class Messages(unittest.TestCase):

    session = [hello(), create(), step(0, b"\7", None), request(HASH)]

    def test_answers_requests_that_come_byte_by_byte(self):
        with Client("counter_sim.py") as client:
            for byte in b"".join(self.session):
                client.send(bytes([byte]))
            answers = [client.answer() for _ in self.session]
        self.assertEqual(answers, play("counter_sim.py", self.session).answers)
        self.assertEqual(answers[-1], (OK, struct.pack("<Q", 7)))

    def test_answers_before_it_waits(self):
        with Client("counter_sim.py") as client:
            for each in self.session[:-1]:
                self.assertEqual(client.ask(each)[0], OK)
            client.send(request(HASH) + step(1, b"", None)[:20])
            self.assertEqual(client.answer(), (OK, struct.pack("<Q", 7)))

    def test_answers_many_at_once_in_order(self):
        ticks = [step(tick, b"\1", None) + request(HASH) for tick in range(20000)]
        answers = play("counter_sim.py", self.session[:2] + ticks).answers
        self.assertEqual(answers[2:], [answer for tick in range(20000) for answer in (
            (OK, b""), (OK, struct.pack("<Q", tick + 1)))])

    def test_takes_long_inputs(self):
        long = [step(tick, b"\1" * 65536, b"\1" * 65536, None) for tick in range(10)]
        ended = play("counter_sim.py", [hello(), create(2), *long, request(HASH)])
        self.assertEqual(ended.answers[-1], (OK, struct.pack("<Q", 20 * 65536)))

    def test_takes_a_load_of_many_pieces(self):
        with Client("awkward_sim.py") as client:
            client.ask(hello())
            client.ask(create())
            status, reason = client.ask(request(LOAD, bytes(100 << 20)))
        self.assertEqual((status, reason[:10]), (FAILED, b"ValueError"))

    def test_ignores_what_later_versions_append(self):
        longer = [struct.pack("<I", len(each) - 4 + 3) + each[4:] + b"new" for each in self.session]
        self.assertEqual(play("counter_sim.py", longer), play("counter_sim.py", self.session))

    def test_ends_with_the_input(self):
        for count in range(len(self.session) + 1):
            ended = play("counter_sim.py", self.session[:count])
            self.assertEqual((ended.code, len(ended.answers), ended.err), (0, count, ""))

    def test_ends_with_an_error_within_a_request(self):
        ended = play("counter_sim.py", [hello(), create()[:9]])
        self.assertEqual((ended.code, len(ended.answers)), (1, 1))
        self.assertIn("it ends 9 bytes into a request", ended.err)

    def test_ends_with_an_error_where_a_size_is_impossible(self):
        for size, verb in ((0, 2), (0xffffffff, STEP), ((64 << 20) + 1, STEP),
                           ((1 << 30) + 1, LOAD)):
            ended = play("counter_sim.py", [hello(), struct.pack("<IB", size, verb)])
            self.assertEqual((ended.code, len(ended.answers)), (1, 1), size)
            self.assertIn(f"a request of {size} bytes", ended.err)
        self.assertEqual(play("counter_sim.py", [bytes(4)]).code, 1)

    def test_ends_quietly_when_nobody_reads(self):
        with Client("counter_sim.py") as client:
            client.process.stdout.close()
            client.send(hello())
            self.assertEqual(client.process.wait(10), 1)
            self.assertEqual(client.process.stderr.read(), b"isotick reads no more\n")
            client.process.stdout = client.process.stderr


class Errors(unittest.TestCase):
    def fails(self, requests, says, program="awkward_sim.py"):
        """The last of these requests does, and so does all that comes after it."""
        ended = play(program, [*requests, request(HASH)])
        self.assertEqual(ended.code, 0)
        self.assertEqual([status for status, _ in ended.answers],
                         [OK] * (len(requests) - 1) + [FAILED, FAILED])
        self.assertIn(says, ended.answers[-2][1].decode())
        self.assertIn("after a failure", ended.answers[-1][1].decode())
        return ended

    def test_exceptions_come_with_their_type_and_traceback(self):
        ended = self.fails([hello(), create(), step(0, b"raise", None)], "KeyError: 'planted'")
        self.assertEqual(ended.answers[2][1], b"KeyError: 'planted'")
        self.assertIn("in step\n", ended.err)

    def test_settings_that_make_no_sense(self):
        ended = play("awkward_sim.py", [hello(), create(config={"refuse": "yes"}), request(HASH)])
        self.assertEqual(ended.answers[1], (BAD_SETTINGS, b"this config is refused"))
        self.assertEqual((ended.answers[2][0], ended.code), (FAILED, 0))
        self.assertNotIn("Traceback", ended.err)

    def test_requests_out_of_order(self):
        for requests in ([create()], [request(HASH)], [hello(), hello()], [hello(), request(HASH)],
                         [hello(), create(), create()], [hello(), create(), hello()]):
            self.fails(requests, "BadRequest: this request comes ")

    def test_requests_that_end_too_early(self):
        whole = [create(config={"a": "b"})[5:], step(0, b"abc", None)[5:], bytes(12)]
        begun = [hello(), create(), create()]
        for body, verb, at in zip(whole, (CREATE, STEP, HELLO), (1, 2, 0)):
            for size in (0, 4, 11, len(body) - 1):
                self.fails([*begun[:at], request(verb, body[:size])], "BadRequest: ")

    def test_counts_that_no_request_can_hold(self):
        self.fails([hello(), create(), request(STEP, bytes(32) + b"\xff" * 4)], "4294967295 inputs")
        self.fails([hello(), request(CREATE, bytes(20) + b"\xff" * 4)], "too early")

    def refuses(self, request, says, program="faulty_sim.py"):
        self.fails([hello(), create(2), request], f"BadRequest: {says}", program)

    def test_steps_with_another_number_of_inputs(self):
        for count in (0, 1, 2, 4):
            self.refuses(step(0, *[None] * count), f"{count} inputs for 2 players and the world")

    def test_inputs_that_are_too_long(self):
        self.refuses(step(0, None, bytes(65537), None), "an input of 65537 bytes")

    def test_steps_out_of_order(self):
        self.refuses(step(1, None, None, None), "tick 1 where 0 is next")

    def test_dts_that_make_no_sense(self):
        for program in ("faulty_sim.py", "counter_sim.py"):
            for dt in (float("nan"), float("inf"), -1 / 60):
                self.refuses(step(0, None, None, None, dt=dt), "a dt of ", program)
        self.refuses(step(0, None, None, None, dt=1 / 30), "this dt is not the tick rate's")

    def test_alphas_outside_of_a_tick(self):
        for alpha in (float("nan"), 1, -0.5):
            self.refuses(request(RENDER, struct.pack("<d", alpha)), "an alpha of ")

    def test_proposals_for_players_that_are_not_there(self):
        for player in (2, WORLD - 1):
            self.refuses(request(PROPOSE_INPUT, struct.pack("<IQQ", player, 0, 0)),
                         f"there is no player {player}")

    def test_players_and_rates_that_make_no_sense(self):
        no_rate = request(CREATE, struct.pack("<IQII", 1, 5, 0, 1) + bytes(8))
        for settings, says in ((create(3), b"it takes 0 to 2 players, not 3"),
                               (no_rate, b"a tick rate needs two numbers above 0")):
            ended = play("faulty_sim.py", [hello(), settings])
            self.assertEqual(ended.answers[1], (BAD_SETTINGS, says))

    def test_hello_of_something_else(self):
        self.fails([request(HELLO, b"isotack\n" + bytes(4))], "does not say isotick")

    def test_a_wrong_number_of_hashes(self):
        seven = [step(tick, None, None) for tick in range(7)]
        self.fails([hello(), create(), *seven, request(HASH)], "3 for 2 parts")

    def test_a_log_ends_once_and_only_where_it_has_begun(self):
        begin, end = request(NOTE_WRITES, b"\1"), request(NOTE_WRITES, b"\0")
        for requests in ([end], [begin, end, end], [begin, begin, end, end]):
            self.fails([hello(), create(), *requests], "note_writes ends before it begins")

    def test_unknown_verbs_have_no_consequences(self):
        for verb in (0, 14, 255, BEGIN_FRAME, RENDER, PROPOSE_INPUT):
            unknown = request(verb, b"body")
            ended = play("awkward_sim.py", [unknown, hello(), unknown, create(), unknown,
                                            request(HASH)])
            self.assertEqual([each for each in ended.answers if each == (UNKNOWN_VERB, b"")],
                             [(UNKNOWN_VERB, b"")] * 3)
            self.assertEqual(ended.answers[-1], (OK, bytes(16)))

    def test_inputs_that_nobody_can_describe_have_no_consequences(self):
        player = struct.pack("<I", WORLD)
        ended = play("awkward_sim.py", [
            hello(), request(DESCRIBE_INPUT, player + b"\xff"),
            request(COMPOSE_INPUT, player + b"7"), request(COMPOSE_INPUT, player + b"{"),
            request(DESCRIBE_INPUT), create(),
            request(DESCRIBE_INPUT, player + b"\xff"), request(HASH)])
        self.assertEqual([status for status, _ in ended.answers],
                         [OK, FAILED, FAILED, FAILED, FAILED, OK, FAILED, OK])
        self.assertIn(b"UnicodeDecodeError: ", ended.answers[1][1])

    def test_what_leaves_the_simulation_otherwise_ends_it_with_answers_written(self):
        ended = play("awkward_sim.py", [hello(), create(), request(HASH), step(0, b"exit", None)])
        self.assertEqual((ended.code, len(ended.answers)), (3, 3))


class Checkpoints(unittest.TestCase):
    def told(self, *inputs):
        """What the answer to each step tells."""
        ended = play("awkward_sim.py", [hello(), create(), *(
            step(tick, each, None) for tick, each in enumerate(inputs))])
        self.assertEqual({status for status, _ in ended.answers}, {OK}, ended.err)
        return [body for _, body in ended.answers[2:]]

    def test_are_told_once_and_else_cost_no_byte(self):
        self.assertEqual(
            self.told(None, "pass ai,Höhle,ai".encode(), b"pass ai", b"pass physics", None),
            [b"", struct.pack("<I", 2) + text("ai") + text("Höhle"), b"",
             struct.pack("<I", 1) + text("physics"), b""])

    def test_are_as_many_as_isotick_counts(self):
        names = ",".join(map(str, range(1001)))
        many, more = self.told(f"pass {names}".encode(), b"pass more")
        self.assertEqual(struct.unpack_from("<I", many)[0], 1000)
        self.assertTrue(many.endswith(text("999")))
        self.assertEqual(more, b"")


class Streams(unittest.TestCase):
    def test_what_a_simulation_prints_goes_to_stderr(self):
        ended = play("awkward_sim.py", [hello(), create(), step(0, b"print", None)])
        self.assertEqual(ended.answers[-1], (OK, b""))
        self.assertEqual(ended.err, "printed before serve\nprinted by print\nprinted by write\n"
                         "printed by a program\n")

    def test_a_simulation_finds_stdin_empty(self):
        with Client("awkward_sim.py") as client:
            for each in (hello(), create(), step(0, b"stdin", None)):
                self.assertEqual(client.ask(each)[0], OK)
            self.assertEqual(client.ask(request(HASH)), (OK, struct.pack("<QQ", 1, 1)))


class Verbs(unittest.TestCase):
    def test_are_those_that_a_class_has(self):
        needed = {HELLO, CREATE, STEP, HASH}
        for program, more in (
                ("counter_sim.py", set()),
                ("awkward_sim.py", {SAVE, LOAD, VISIT_FIELDS, DESCRIBE_INPUT, COMPOSE_INPUT,
                                      NOTE_WRITES}),
                ("leaky_sim.py", {SAVE, LOAD, VISIT_FIELDS, PROPOSE_INPUT, NOTE_WRITES}),
                ("faulty_sim.py", set(range(1, 14)))):
            info = info_in(play(program, [hello()]).answers[0][1])
            self.assertEqual(info.verbs, needed | more, program)
            self.assertEqual((info.version, info.rate, len(info.texts)), (1, (60, 1), 6))

    def test_of_its_own_come_back(self):
        ended = play("awkward_sim.py", [
            hello(), create(), step(0, None, None), step(1, None, None), request(SAVE),
            request(VISIT_FIELDS), request(LOAD, b"\5"), request(HASH)])
        self.assertEqual([body for _, body in ended.answers[4:]],
                         [b"\2", b"\1\x20\2\0", b"", struct.pack("<QQ", 5, 5)])

    def test_describe_and_compose(self):
        player = struct.pack("<I", 1)
        ended = play("awkward_sim.py", [hello(), request(DESCRIBE_INPUT, player + b"go"),
                                        request(COMPOSE_INPUT, player + b'"go"')])
        self.assertEqual(ended.answers[1:], [(OK, b'"go"'), (OK, b"go")])

    def test_hello_needs_the_magic(self):
        self.assertEqual(play("counter_sim.py", [request(HELLO, MAGIC + b"\2\0\0\0more")])
                         .answers[0][0], OK)


if __name__ == "__main__":
    unittest.main()
