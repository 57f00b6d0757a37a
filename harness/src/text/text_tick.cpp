#include "text_tick.hpp"

#include "lines/hex.hpp"
#include "lines/text_limits.hpp"

#include <isotick/core/detail/seam/described_input.hpp>

#include <charconv>
#include <utility>

namespace isotick::harness {
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
