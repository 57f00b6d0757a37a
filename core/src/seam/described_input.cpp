#include "seam_call.hpp"

#include <isotick/core/detail/seam/described_input.hpp>
#include <isotick/core/detail/text/json.hpp>
#include <isotick/core/detail/text/printable.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cassert>
#include <utility>

namespace isotick::core {
namespace {

// Collects what a call writes, up to a limit.
template <class Container>
struct Limited {
    std::size_t most;
    Container content;
    bool full = false;

    static std::int32_t write(void* context, const void* data, std::uint64_t size) {
        Limited& self = *static_cast<Limited*>(context);
        if (size > self.most - self.content.size()) {
            self.full = true;
            return ISOTICK_FAILED;
        }
        const auto* first = static_cast<const typename Container::value_type*>(data);
        self.content.insert(self.content.end(), first, first + size);
        return ISOTICK_OK;
    }
};

template <class Container, class Call>
Result<Container> collect_input(const char* name, std::size_t most, const Call& call) {
    Limited<Container> limited{most, {}};
    const isotick_sink sink{&limited, &Limited<Container>::write};
    std::vector<char> text(kMessageCapacity);
    auto called =
        seam_call(name, text, [&](isotick_message* message) { return call(&sink, message); });
    if (limited.full) {
        return seam_failed(name, "wrote more than " + std::to_string(most) + " bytes");
    }
    ISOTICK_TRY(called);
    return std::move(limited.content);
}

}  // namespace

bool describes_inputs(const isotick_simulation_table& table) {
    return (table.info->capabilities & ISOTICK_DESCRIBES_INPUTS) != 0;
}

Result<std::string> describe_input(const isotick_simulation_table& table, std::uint32_t player,
                                   std::span<const std::uint8_t> bytes) {
    assert(describes_inputs(table));
    const auto call = [&](const isotick_sink* sink, isotick_message* message) {
        return table.describe_input(&table, player, bytes.data(), bytes.size(), sink, message);
    };
    ISOTICK_TRY_ASSIGN(const auto text, collect_input<std::string>(
                                            "describe_input", ISOTICK_LONGEST_INPUT_TEXT, call));
    if (const auto parsed = parse_json(text); !parsed) {
        return seam_failed("describe_input", "wrote what is not JSON: " + describe(parsed.error()));
    }
    return printable(compact_json(text));
}

Result<std::vector<std::uint8_t>> compose_input(const isotick_simulation_table& table,
                                                std::uint32_t player, std::string_view json) {
    assert(describes_inputs(table));
    ISOTICK_TRY(parse_json(json));
    return collect_input<std::vector<std::uint8_t>>(
        "compose_input", ISOTICK_LONGEST_INPUT,
        [&](const isotick_sink* sink, isotick_message* message) {
            return table.compose_input(&table, player, json.data(), json.size(), sink, message);
        });
}

std::optional<std::string> faithful_description(const isotick_simulation_table& table,
                                                std::uint32_t player,
                                                std::span<const std::uint8_t> bytes) {
    auto text = describe_input(table, player, bytes);
    if (!text) {
        return std::nullopt;
    }
    const auto again = compose_input(table, player, *text);
    return again && std::equal(again->begin(), again->end(), bytes.begin(), bytes.end())
               ? std::optional(*std::move(text))
               : std::nullopt;
}

}  // namespace isotick::core
