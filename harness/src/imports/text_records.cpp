#include "text_records.hpp"

#include "../system/hex.hpp"
#include "text_lines.hpp"

#include <isotick/core/detail/described_input.hpp>
#include <isotick/core/detail/simulation_table.hpp>

#include <charconv>
#include <utility>

namespace isotick::harness {
namespace {

using core::JsonValue;
using Kind = JsonValue::Kind;

void check_format(const JsonValue& line) {
    expect(line, Kind::object, "the first line");
    const JsonValue* format = line.find("format");
    if (format == nullptr || format->kind != Kind::string || format->text != kTextFormat) {
        throw BadText{0,
                      "not a recording as text: it begins with {\"format\":\"isotick-text\", "
                      "\"version\":1, …}"};
    }
    const JsonValue* version = line.find("version");
    if (version == nullptr || version->as_unsigned() != kTextVersion) {
        throw BadText{version == nullptr ? 0 : version->offset,
                      "\"version\" must be 1: this isotick reads no other",
                      core::ErrorCode::version};
    }
}

// A number, or a string, for JSON readers that take numbers of 64 bits for floating-point ones.
std::uint64_t seed_from(const JsonValue& value) {
    std::uint64_t seed = 0;
    std::string_view digits = value.text;
    const int base = value.kind == Kind::string && digits.starts_with("0x") ? 16 : 10;
    digits.remove_prefix(base == 16 ? 2 : 0);
    const auto end = digits.data() + digits.size();
    const auto [read, error] = std::from_chars(digits.data(), end, seed, base);
    const bool has_digits = value.kind == Kind::number || value.kind == Kind::string;
    if (!has_digits || error != std::errc() || read != end) {
        throw BadText{value.offset, "\"seed\" must be a number of 64 bits, decimal or \"0x…\""};
    }
    return seed;
}

core::TickRate rate_from(const JsonValue& value) {
    expect(value, Kind::string, "rate");
    const auto rate = core::TickRate::parse(value.text);
    if (!rate) {
        throw BadText{value.offset, rate.error().message};
    }
    return *rate;
}

std::vector<std::string> part_names_from(const JsonValue& value) {
    expect(value, Kind::array, "part_names");
    std::vector<std::string> names;
    for (const auto& member : value.members) {
        names.push_back(text_from(member.value, "part_names"));
    }
    return names;
}

void read_session(const JsonValue& line, TextHead& head) {
    if (const JsonValue* simulation = line.find("simulation")) {
        head.simulation = text_from(*simulation, "simulation");
    }
    if (const JsonValue* rate = line.find("rate")) {
        head.rate = rate_from(*rate);
    }
    if (const JsonValue* players = line.find("players")) {
        head.players =
            static_cast<std::uint32_t>(number_from(*players, "players", 0, replay::kMostPlayers));
    }
    if (const JsonValue* seed = line.find("seed")) {
        head.seed = seed_from(*seed);
    }
    if (const JsonValue* config = line.find("config")) {
        head.config = settings_from_text(*config, "config");
    }
}

void read_hashing(const JsonValue& line, TextHead& head) {
    if (const JsonValue* algorithm = line.find("hash_algorithm")) {
        head.hash_algorithm = text_from(*algorithm, "hash_algorithm");
    }
    if (const JsonValue* policy = line.find("nan_policy")) {
        head.nan_policy = text_from(*policy, "nan_policy");
    }
    const auto stride = [&](std::string_view name, std::uint32_t usual) {
        const JsonValue* value = line.find(name);
        return value == nullptr
                   ? usual
                   : static_cast<std::uint32_t>(number_from(*value, name, 1, UINT32_MAX));
    };
    head.hash_every = stride("hash_every", head.hash_every);
    head.parts_every = stride("parts_every", head.parts_every);
    if (const JsonValue* names = line.find("part_names")) {
        head.part_names = part_names_from(*names);
    }
    if (const JsonValue* initial = line.find("initial")) {
        head.initial = state_from(*initial, "initial");
        const std::size_t parts = head.part_names.size() > 1 ? head.part_names.size() : 0;
        if (head.initial->parts.size() != parts) {
            throw BadText{
                initial->offset,
                "\"initial\" needs " + std::to_string(parts) +
                    " part hashes, one per name in \"part_names\" where there are several"};
        }
    }
}

}  // namespace

TextHead head_from(const JsonValue& line) {
    check_format(line);
    check_members(line, {"format", "version", "simulation", "rate", "players", "seed", "config",
                         "hash_algorithm", "nan_policy", "hash_every", "parts_every", "part_names",
                         "notes", "initial"});
    TextHead head;
    read_session(line, head);
    read_hashing(line, head);
    if (const JsonValue* notes = line.find("notes")) {
        head.notes = settings_from_text(*notes, "notes");
    }
    return head;
}

replay::RecordingHead recording_head(const TextHead& text,
                                     const isotick_simulation_table* simulation) {
    if (simulation == nullptr && (!text.rate || !text.players)) {
        throw BadText{0,
                      std::string("\"") + (text.rate ? "players" : "rate") +
                          "\" is left out, and the simulation is not here to say what is usual "
                          "(--sim names it)",
                      core::ErrorCode::usage};
    }
    const isotick_info* info = simulation == nullptr ? nullptr : simulation->info;
    replay::RecordingHead head;
    head.session.simulation = text.simulation;
    head.session.rate = text.rate ? *text.rate : core::preferred_rate(*info);
    head.session.players = text.players ? *text.players : info->usual_players;
    head.session.seed = text.seed;
    head.session.config = text.config;
    if (info != nullptr) {
        head.hash_algorithm = core::hash_algorithm(*info);
        head.nan_policy = core::nan_policy(*info);
    }
    head.hash_algorithm = text.hash_algorithm.value_or(head.hash_algorithm);
    head.nan_policy = text.nan_policy.value_or(head.nan_policy);
    head.hash_every = text.hash_every;
    head.parts_every = text.parts_every;
    head.part_names = text.part_names;
    head.notes = text.notes;
    if (auto checked = replay::check(head); !checked) {
        throw BadText{0, checked.error().message, checked.error().code};
    }
    return head;
}

namespace {

using core::ErrorCode;
using core::JsonMember;
using core::JsonValue;
using Kind = JsonValue::Kind;

std::vector<std::uint8_t> bytes_of(const JsonMember& member) {
    const JsonValue& value = member.value;
    auto bytes = value.kind == Kind::string ? bytes_from_hex(value.text) : std::nullopt;
    if (!bytes) {
        throw BadText{value.offset,
                      "an input in \"hex\" must be a string of pairs of hexadecimal "
                      "digits"};
    }
    return *std::move(bytes);
}

}  // namespace

TextTickReader::TextTickReader(std::uint32_t players, const isotick_simulation_table* simulation)
    : simulation_(simulation), bytes_(players + std::size_t{1}), inputs_(bytes_.size()) {
    for (std::uint32_t player = 0; player < players; ++player) {
        inputs_[player].player = player;
    }
    inputs_[players].player = ISOTICK_WORLD;
}

TextTick TextTickReader::read(std::string_view text, const JsonValue& line, std::uint64_t next) {
    check_members(line, {"t", "in", "hex", "dt", "hash", "parts", "repeat"});
    if (const JsonValue* tick = line.find("t"); tick != nullptr) {
        if (number_from(*tick, "t", 0, kMostTextTicks) != next) {
            throw BadText{tick->offset,
                          "\"t\" is " + tick->text + ", but this is tick " + std::to_string(next)};
        }
    }
    for (isotick_input& input : inputs_) {
        input = {input.player, 0, 0, nullptr};
    }
    read_inputs(line, "in", text);
    read_inputs(line, "hex", text);
    TextTick tick;
    if (const JsonValue* repeat = line.find("repeat")) {
        tick.repeat = number_from(*repeat, "repeat", 1, kMostRepeats);
        tick.repeat_offset = repeat->offset;
    }
    if (const JsonValue* dt = line.find("dt")) {
        tick.dt = dt_from(*dt);
    }
    if (const JsonValue* hash = line.find("hash")) {
        tick.hash = core::StateHash{hash_from(*hash, "hash")};
        tick.hash_offset = hash->offset;
    }
    if (const JsonValue* parts = line.find("parts")) {
        tick.parts = parts_from(*parts);
        tick.parts_offset = parts->offset;
    }
    return tick;
}

void TextTickReader::read_inputs(const JsonValue& line, std::string_view name,
                                 std::string_view text) {
    const JsonValue* inputs = line.find(name);
    if (inputs == nullptr) {
        return;
    }
    expect(*inputs, Kind::object, name);
    for (const JsonMember& member : inputs->members) {
        const std::size_t column = column_of(member);
        if (inputs_[column].present != 0) {
            throw BadText{member.name_offset,
                          "this input is given twice, in \"in\" and in \"hex\""};
        }
        auto bytes = name == "in" ? composed(member, column, text) : bytes_of(member);
        if (bytes.size() > ISOTICK_LONGEST_INPUT) {
            throw BadText{
                member.value.offset,
                "an input of " + std::to_string(bytes.size()) + " bytes; at most 65536 are allowed",
                ErrorCode::limit};
        }
        put(column, std::move(bytes));
    }
}

std::size_t TextTickReader::column_of(const JsonMember& member) const {
    const std::string& name = member.name;
    if (name == kWorldKey) {
        return inputs_.size() - 1;
    }
    std::size_t player = 0;
    const auto end = name.data() + name.size();
    const auto [read, error] = std::from_chars(name.data(), end, player);
    if (error != std::errc() || read != end || player >= inputs_.size() - 1 ||
        name != std::to_string(player)) {
        throw BadText{member.name_offset, "there is no player \"" + name + "\"; there are " +
                                              std::to_string(inputs_.size() - 1) +
                                              ", from \"0\" on, and \"world\""};
    }
    return player;
}

std::vector<std::uint8_t> TextTickReader::composed(const JsonMember& member, std::size_t column,
                                                   std::string_view text) {
    if (simulation_ == nullptr || !core::describes_inputs(*simulation_)) {
        throw BadText{member.name_offset,
                      simulation_ == nullptr
                          ? "to understand this input takes the simulation; --sim names it, or "
                            "write the input in \"hex\""
                          : "this simulation describes no inputs; write them in \"hex\"",
                      ErrorCode::usage};
    }
    auto bytes = core::compose_input(*simulation_, inputs_[column].player,
                                     text.substr(member.value.offset, member.value.size));
    if (!bytes) {
        throw BadText{member.value.offset,
                      "the simulation refuses this input: " + core::describe(bytes.error())};
    }
    return *std::move(bytes);
}

void TextTickReader::put(std::size_t column, std::vector<std::uint8_t> bytes) {
    bytes_[column] = std::move(bytes);
    inputs_[column].present = 1;
    inputs_[column].size = bytes_[column].size();
    inputs_[column].data = bytes_[column].data();
}

bool is_end(const JsonValue& line) {
    expect(line, Kind::object, "a line");
    return line.find("ticks") != nullptr || line.find("finished") != nullptr ||
           line.find("final") != nullptr;
}

TextEnd end_from(const JsonValue& line) {
    check_members(line, {"ticks", "finished", "final"});
    TextEnd end;
    if (const JsonValue* ticks = line.find("ticks")) {
        end.ticks = number_from(*ticks, "ticks", 0, kMostTextTicks);
    }
    if (const JsonValue* finished = line.find("finished")) {
        end.finished = truth_from(*finished, "finished");
    }
    if (const JsonValue* final = line.find("final")) {
        end.final = state_from(*final, "final");
        if (!end.finished) {
            throw BadText{final->offset, "only a finished recording has \"final\" hashes"};
        }
    }
    return end;
}

}  // namespace isotick::harness
