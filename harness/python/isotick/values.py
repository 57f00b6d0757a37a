"""The form in bytes of each kind of value that a state is made of (core/FIELDS.md), both ways.

A coder writes and reads the values of one annotation; state.py chooses them. `names`
numbers the names of members in the order of their first use; where it is None they are left out.
"""

import random
import struct

OBJECT, END_OF_OBJECT, SEQUENCE, MAP, NONE = 0x10, 0x11, 0x12, 0x13, 0x15
TEXT, BYTES, NAMED_NUMBER, ARRAY = 0x19, 0x1a, 0x1b, 0x1c
U64, I64, F64, BOOL = 0x23, 0x27, 0x29, 0x2a
NEW_NAME, KNOWN_NAME, UNNUMBERED_NAME, MOST_NAMES = 0x01, 0x02, 0x03, 65536
WORDS_OF_RANDOM = 625  # the Mersenne Twister's state and its index

pack_u64, pack_i64 = struct.Struct("<BQ").pack, struct.Struct("<Bq").pack
pack_f64 = struct.Struct("<Bd").pack
FALSE, TRUE = bytes((BOOL, 0)), bytes((BOOL, 1))


class BadState(ValueError):
    """A value that is not what its annotation says, or an annotation that nothing can be."""

    def within(self, step):
        return BadState(step + str(self))


class BadSnapshot(ValueError):
    """Bytes that no state of this description was saved as."""


def put_varint(out, number):
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)


def put_text(out, text):
    encoded = text.encode()
    put_varint(out, len(encoded))
    out += encoded


def put_name(out, name, names):
    known = names.get(name)
    if known is not None:
        out.append(KNOWN_NAME)
        put_varint(out, known)
        return
    out.append(NEW_NAME if len(names) < MOST_NAMES else UNNUMBERED_NAME)
    put_text(out, name)
    if len(names) < MOST_NAMES:
        names[name] = len(names)


class Reader:
    """Reads what coders wrote; believes no size that the bytes left cannot hold."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, size):
        begin = self.at
        self.at += size
        if self.at > len(self.data):
            raise BadSnapshot(f"the snapshot ends at byte {len(self.data)}, within a value")
        return self.data[begin:self.at]

    def unpack(self, kind):
        return struct.unpack(kind, self.take(struct.calcsize(kind)))

    def varint(self):
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7f) << shift
            if byte < 0x80:
                return number
            shift += 7
            if shift > 63:
                raise self.unexpected(byte)

    def count(self, least_size=1):
        number = self.varint()
        if number * least_size > len(self.data) - self.at:
            raise BadSnapshot(f"byte {self.at}: {number} values do not fit into what is left")
        return number

    def text(self):
        return self.take(self.varint()).decode()

    def expect(self, token):
        found = self.take(1)[0]
        if found != token:
            raise self.unexpected(found)

    def unexpected(self, byte):
        return BadSnapshot(f"byte {self.at - 1} of the snapshot is {byte:#04x}, which is not what "
                           "the state's description has there")


class Plain:
    """A value of one type, without other values in it."""

    def check(self, value):
        """Types derived from it will do, but no bool for an int."""
        if not isinstance(value, self.type) or isinstance(value, bool):
            shown = repr(value)[:40]
            advice = f": make it {shown}.0" if self.type is float and type(value) is int else ""
            raise BadState(f" is of type {type(value).__name__} ({shown}), described as "
                           f"{self.type.__name__}{advice}")


class Bool(Plain):
    type = bool

    def write(self, out, value, names):
        if type(value) is not bool:
            self.check(value)
        out += TRUE if value else FALSE

    def read(self, reader):
        reader.expect(BOOL)
        return reader.take(1) != b"\0"


class Int(Plain):
    type = int

    def write(self, out, value, names):
        if type(value) is not int:
            self.check(value)
        try:
            out += pack_i64(I64, value) if value < 1 << 63 else pack_u64(U64, value)
        except struct.error:
            raise BadState(f" is {value:#x}: an int of a state has at most 64 bits") from None

    def read(self, reader):
        token = reader.take(1)[0]
        if token not in (I64, U64):
            raise reader.unexpected(token)
        return reader.unpack("<q" if token == I64 else "<Q")[0]


class Float(Plain):
    type = float

    def write(self, out, value, names):
        if type(value) is not float:
            self.check(value)
        out += pack_f64(F64, value)

    def read(self, reader):
        reader.expect(F64)
        return reader.unpack("<d")[0]


class Text(Plain):
    type = str

    def write(self, out, value, names):
        self.check(value)
        out.append(TEXT)
        put_text(out, value)

    def read(self, reader):
        reader.expect(TEXT)
        return reader.text()


class Bytes(Plain):
    type = bytes

    def write(self, out, value, names):
        self.check(value)
        out.append(BYTES)
        put_varint(out, len(value))
        out += value

    def read(self, reader):
        reader.expect(BYTES)
        return bytes(reader.take(reader.varint()))


class Enumerator(Plain):
    """Its name, and its number: its value where that is an int, else which one it is."""

    def __init__(self, kind):
        self.type = kind
        self.numbers = {each: each.value if type(each.value) is int else place
                        for place, each in enumerate(kind)}

    def write(self, out, value, names):
        self.check(value)
        out.append(NAMED_NUMBER)
        put_text(out, value.name or str(value))
        Int().write(out, self.numbers.get(value, value.value), names)

    def read(self, reader):
        reader.expect(NAMED_NUMBER)
        name, number = reader.text(), Int().read(reader)
        found = self.type.__members__.get(name)
        return self.type(number) if found is None else found


class Random(Plain):
    """random.Random, with all that its next numbers depend on; not a field for each word."""
    type = random.Random

    def write(self, out, value, names):
        self.check(value)
        version, words, gauss = value.getstate()
        if len(words) != WORDS_OF_RANDOM:
            raise BadState(f" is a random.Random of version {version}, unknown here")
        out.append(OBJECT)
        if names is not None:
            put_name(out, "words", names)
        Bytes().write(out, struct.pack(f"<{len(words)}I", *words), names)
        if names is not None:
            put_name(out, "gauss", names)
        Optional(Float()).write(out, gauss, names)
        out.append(END_OF_OBJECT)

    def read(self, reader):
        reader.expect(OBJECT)
        packed = Bytes().read(reader)
        if len(packed) != 4 * WORDS_OF_RANDOM:
            raise BadSnapshot("the state of a random.Random has another size")
        words = struct.unpack(f"<{WORDS_OF_RANDOM}I", packed)
        gauss = Optional(Float()).read(reader)
        reader.expect(END_OF_OBJECT)
        value = random.Random()
        value.setstate((value.VERSION, words, gauss))
        return value


class Optional:
    def __init__(self, inner):
        self.inner = inner

    def write(self, out, value, names):
        if value is None:
            out.append(NONE)
        else:
            self.inner.write(out, value, names)

    def read(self, reader):
        if reader.data[reader.at:reader.at + 1] == bytes((NONE,)):
            reader.at += 1
            return None
        return self.inner.read(reader)


class Container:
    def check(self, values):
        if not isinstance(values, self.type):
            raise BadState(f" is of type {type(values).__name__}, described as "
                           f"{self.type.__name__}")


class Sequence(Container):
    """list[T] and tuple[T, ...]. Floats and ints stand in an array."""

    def __init__(self, kind, inner):
        self.type = kind
        self.inner = inner
        self.array = {Float: (F64, "d", float), Int: (I64, "q", int)}.get(type(inner))

    def write(self, out, values, names):
        self.check(values)
        if self.array and set(map(type, values)) <= {self.array[2]}:
            packed = self.packed(values)
            if packed is not None:
                out += bytes((ARRAY, self.array[0]))
                put_varint(out, len(values))
                out += packed
                return
        out.append(SEQUENCE)
        put_varint(out, len(values))
        write = self.inner.write
        for place, value in enumerate(values):
            try:
                write(out, value, names)
            except BadState as bad:
                raise bad.within(f"[{place}]") from None

    def packed(self, values):
        try:
            return struct.pack(f"<{len(values)}{self.array[1]}", *values)
        except struct.error:  # ints of 64 bits: each says of which kind it is
            return None

    def read(self, reader):
        token = reader.take(1)[0]
        if token == ARRAY and self.array:
            reader.expect(self.array[0])
            count = reader.count(8)
            return self.type(reader.unpack(f"<{count}{self.array[1]}"))
        if token != SEQUENCE:
            raise reader.unexpected(token)
        return self.type([self.inner.read(reader) for _ in range(reader.count())])


class Set(Sequence):
    """set[T] and frozenset[T], sorted: by value where that is an order, else by their bytes."""

    def write(self, out, values, names):
        self.check(values)
        in_order = None if isinstance(self.inner, (Int, Text, Bytes)) else self.encoded
        ordered = Sequence(list, self.inner)
        try:
            ordered.write(out, sorted(values, key=in_order), names)
        except TypeError:
            raise BadState(" holds values of different types") from None

    def encoded(self, value):
        out = bytearray()
        self.inner.write(out, value, None)
        return out


class Map(Container):
    """dict[K, V], in its own order."""
    type = dict

    def __init__(self, key, value):
        self.key = key
        self.value = value

    def write(self, out, values, names):
        self.check(values)
        out.append(MAP)
        put_varint(out, len(values))
        for key, value in values.items():
            try:
                self.key.write(out, key, names)
                self.value.write(out, value, names)
            except BadState as bad:
                raise bad.within(f"[{key!r}]") from None

    def read(self, reader):
        reader.expect(MAP)
        return {self.key.read(reader): self.value.read(reader) for _ in range(reader.count(2))}
