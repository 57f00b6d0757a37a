// Input edits as JSON: an array for each, [first tick, last tick, player, kind, bytes].

#include "../text/hex.hpp"
#include "json.hpp"

#include <stdexcept>
#include <utility>

namespace isotick::harness {
namespace {

constexpr const char* kRelease = "release";
constexpr const char* kHold = "hold";
constexpr const char* kReplace = "replace";

const char* name_of(InputEditKind kind) {
    switch (kind) {
        case InputEditKind::release:
            return kRelease;
        case InputEditKind::hold:
            return kHold;
        case InputEditKind::replace:
            return kReplace;
    }
    return kRelease;
}

InputEditKind kind_from(const std::string& name) {
    for (const auto kind : {InputEditKind::release, InputEditKind::hold, InputEditKind::replace}) {
        if (name == name_of(kind)) {
            return kind;
        }
    }
    throw std::invalid_argument("not a kind of input edit: " + name);
}

}  // namespace

Json to_json(const InputEdits& edits) {
    Json json = Json::array();
    for (const InputEdit& edit : edits) {
        std::string bytes;
        append_hex(bytes, edit.bytes);
        json.push_back(Json::array({edit.first.value, edit.last.value, optional_json(edit.player),
                                    name_of(edit.kind), bytes}));
    }
    return json;
}

InputEdits input_edits_from(const Json& json) {
    InputEdits edits;
    for (const Json& one : json) {
        InputEdit edit;
        edit.first = core::Tick{one.at(0).get<std::uint64_t>()};
        edit.last = core::Tick{one.at(1).get<std::uint64_t>()};
        if (const Json& player = one.at(2); !player.is_null()) {
            edit.player = player.get<std::uint32_t>();
        }
        edit.kind = kind_from(one.at(3).get<std::string>());
        auto bytes = bytes_from_hex(one.at(4).get<std::string>());
        if (!bytes) {
            throw std::invalid_argument("not the bytes of an input");
        }
        edit.bytes = *std::move(bytes);
        edits.push_back(std::move(edit));
    }
    return edits;
}

}  // namespace isotick::harness
