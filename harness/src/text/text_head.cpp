#include "text_head.hpp"

#include "lines/text_limits.hpp"

#include <isotick/core/detail/adapter/simulation_table.hpp>

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

}  // namespace isotick::harness
