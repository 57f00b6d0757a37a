#include "fake_session.hpp"

#include <algorithm>

namespace isotick::replay {
namespace {

// Constant for stretches of `least` to `least + range - 1` ticks; each has bits of its own.
struct Stretch {
    std::uint64_t start;
    std::uint64_t bits;
};

Stretch stretch_at(std::uint64_t tick, std::uint64_t stream, std::uint64_t length) {
    const std::uint64_t offset = mix(stream) % length;
    const std::uint64_t number = (tick + offset) / length;
    const std::uint64_t begin = number * length;
    return {begin < offset ? 0 : begin - offset, mix(stream, number)};
}

std::uint8_t stick(std::uint64_t tick, std::uint64_t stream) {
    const Stretch now = stretch_at(tick, stream, 40);
    const Stretch before = stretch_at(now.start == 0 ? 0 : now.start - 1, stream, 40);
    const auto target = [](const Stretch& stretch) {
        return stretch.bits % 3 == 0 ? 0 : static_cast<int>(stretch.bits >> 8 & 0xff) - 128;
    };
    const auto travelled = static_cast<int>(tick - now.start) * 25;
    const int from = target(before);
    const int distance = target(now) - from;
    const int size = std::min(distance < 0 ? -distance : distance, travelled);
    const int jitter = size == travelled ? static_cast<int>(mix(tick, stream) % 5) - 2 : 0;
    return static_cast<std::uint8_t>(from + (distance < 0 ? -size : size) + jitter);
}

std::uint8_t buttons(std::uint64_t tick, std::uint64_t stream) {
    unsigned held = 0;
    for (unsigned button = 0; button < 4; ++button) {
        const Stretch now = stretch_at(tick, stream + 100 * (button + 1), 12 + 7 * button);
        held |= (now.bits % 4 == 0 ? 1U : 0U) << button;
    }
    return static_cast<std::uint8_t>(held);
}

std::string at(std::uint64_t tick, const std::string& what) {
    return what + " of tick " + std::to_string(tick);
}

bool same(const isotick_input& stored, const Input& truth) {
    if (!truth) {
        return stored.present == 0 && stored.size == 0;
    }
    return stored.present == 1 && stored.size == truth->size() &&
           std::equal(truth->begin(), truth->end(), stored.data);
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    std::uint64_t value = 0;
    for (const std::uint64_t part : {a, b, c}) {
        value += part + 0x9e3779b97f4a7c15;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
        value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
        value ^= value >> 31;
    }
    return value;
}

Input mixed_input(std::uint64_t tick, std::uint32_t column) {
    const std::uint64_t bits = mix(tick / 3, column);
    if (bits % 4 == 0) {
        return std::nullopt;
    }
    std::vector<std::uint8_t> bytes(bits % 4 == 1 ? 0 : (bits >> 8) % 7);
    std::generate(bytes.begin(), bytes.end(),
                  [&, n = 0U]() mutable { return static_cast<std::uint8_t>(mix(bits, ++n)); });
    return bytes;
}

std::optional<core::TickDt> mixed_dt(std::uint64_t tick) {
    const std::uint64_t bits = mix(tick, 5);
    switch (tick / 16 % 4) {
        case 0:
            return std::nullopt;
        case 1:
            return core::TickDt::of({16'000'000 + static_cast<std::int64_t>(bits % 2'000'000)});
        case 2:
            return core::TickDt::make(1, tick % 3 == 0 ? 30 : 100).value();
        default:
            return core::TickDt::make(bits, mix(tick, 6) | 1).value();
    }
}

Input pad_input(std::uint64_t tick, std::uint32_t column) {
    if (column >= 2) {
        return std::nullopt;
    }
    return std::vector<std::uint8_t>{buttons(tick, column), stick(tick, 10 + column),
                                     stick(tick, 20 + column)};
}

FakeSession small_session() {
    FakeSession session;
    session.set_rate(10);
    session.ticks = 57;
    session.head.hash_every = 4;
    session.head.parts_every = 20;
    session.set_parts(2);
    session.head.session.players = 2;
    session.input = mixed_input;
    session.dt = mixed_dt;
    return session;
}

FakeSession::FakeSession()
    : input([](std::uint64_t, std::uint32_t) { return Input(); }),
      dt([](std::uint64_t) { return std::nullopt; }),
      part_hash([](std::uint64_t done, std::uint32_t part) { return mix(done, part, 77); }) {
    head.session.simulation = "fake";
    head.session.seed = 0x1122334455667788;
}

void FakeSession::set_parts(std::uint32_t count) {
    head.part_names.clear();
    for (std::uint32_t part = 0; part < count; ++part) {
        head.part_names.push_back("part" + std::to_string(part));
    }
}

void FakeSession::set_rate(std::uint32_t ticks_per_second) {
    head.session.rate = core::TickRate::make(ticks_per_second, 1).value();
}

std::vector<core::PartHash> FakeSession::parts_after(std::uint64_t ticks_done) const {
    std::vector<core::PartHash> parts;
    for (std::uint32_t part = 0; part < head.part_names.size(); ++part) {
        parts.push_back({part_hash(ticks_done, part)});
    }
    return parts;
}

core::StateHash FakeSession::state_after(std::uint64_t ticks_done) const {
    return core::hash_parts(parts_after(ticks_done));
}

core::Result<Writer> FakeSession::create(const std::string& path, WriterOptions options) const {
    const auto parts = parts_after(0);
    return Writer::create(path, head, {core::hash_parts(parts), parts}, options);
}

core::Result<void> FakeSession::append(Writer& writer, std::uint64_t end) const {
    const std::uint32_t players = head.session.players;
    std::vector<Input> truth(players + 1);
    std::vector<isotick_input> inputs(players + 1);
    for (std::uint64_t tick = writer.ticks(); tick < end; ++tick) {
        for (std::uint32_t column = 0; column <= players; ++column) {
            truth[column] = input(tick, column);
            const bool present = truth[column].has_value();
            inputs[column] = {column < players ? column : ISOTICK_WORLD, present ? 1U : 0U,
                              present ? truth[column]->size() : 0,
                              present ? truth[column]->data() : nullptr};
        }
        const auto parts = parts_after(tick + 1);
        const TickHashes hashes{core::hash_parts(parts), parts};
        auto appended =
            writer.append(inputs, writer.hash_due({tick}) ? &hashes : nullptr, dt(tick));
        if (!appended) {
            return appended;
        }
    }
    return {};
}

core::Result<void> FakeSession::finish(Writer& writer) const {
    const auto parts = parts_after(writer.ticks());
    return writer.finish({core::hash_parts(parts), parts});
}

core::Result<void> FakeSession::record(const std::string& path, WriterOptions options) const {
    auto writer = create(path, options);
    if (!writer) {
        return tl::unexpected(writer.error());
    }
    if (auto appended = append(*writer, ticks); !appended) {
        return appended;
    }
    return finish(*writer);
}

std::string FakeSession::mismatch(const TickChunk& chunk) const {
    const HashStride stride = head.stride();
    for (std::uint32_t i = 0; i < chunk.ticks(); ++i) {
        const core::Tick tick{chunk.first_tick().value + i};
        const auto inputs = chunk.inputs(i);
        for (std::uint32_t column = 0; column < inputs.size(); ++column) {
            if (!same(inputs[column], input(tick.value, column))) {
                return at(tick.value, "input " + std::to_string(column));
            }
        }
        const core::TickDt constant(head.session.rate);
        if (chunk.dt(i).value_or(constant) != dt(tick.value).value_or(constant)) {
            return at(tick.value, "dt");
        }
        const bool end = chunk.is_last() && i + 1 == chunk.ticks();
        const auto state = chunk.state_hash(i);
        if (state.has_value() != (end || stride.hash_due(tick)) ||
            (state && *state != state_after(tick.value + 1))) {
            return at(tick.value, "state hash");
        }
        const auto parts = chunk.part_hashes(i);
        const bool parts_due = stride.has_parts() && (end || stride.parts_due(tick));
        const auto truth = parts_due ? parts_after(tick.value + 1) : std::vector<core::PartHash>();
        if (!std::equal(parts.begin(), parts.end(), truth.begin(), truth.end())) {
            return at(tick.value, "part hashes");
        }
    }
    return {};
}

ReadThrough read_through(const std::string& path, const FakeSession& truth) {
    ReadThrough read;
    auto reader = Reader::open(path);
    if (!reader) {
        read.error = reader.error();
        return read;
    }
    if (reader->head() != truth.head || reader->initial().state != truth.state_after(0)) {
        read.mismatch = "the head";
    }
    for (;;) {
        const auto chunk = reader->next();
        if (!chunk) {
            read.error = chunk.error();
            break;
        }
        if (*chunk == nullptr) {
            break;
        }
        if (read.mismatch.empty() && (*chunk)->first_tick().value != read.ticks) {
            read.mismatch = "the place of a chunk";
        }
        if (read.mismatch.empty()) {
            read.mismatch = truth.mismatch(**chunk);
        }
        read.ticks += (*chunk)->ticks();
        ++read.chunks;
    }
    read.damage = reader->damage();
    read.tail_damage = reader->tail_damage();
    read.saw_last = reader->saw_last();
    read.has_tail = reader->has_tail();
    return read;
}

}  // namespace isotick::replay
