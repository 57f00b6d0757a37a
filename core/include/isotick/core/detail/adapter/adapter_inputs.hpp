#pragma once
// The calls of a C++ simulation's table that describe its inputs. Part of adapter.hpp.

#include <isotick/core/detail/adapter/adapter_state.hpp>
#include <isotick/core/input_text.hpp>
#include <isotick/core/plugin.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core::detail {

template <class T>
concept DescribesInputs = requires(std::uint32_t player, std::span<const std::uint8_t> bytes,
                                   std::string_view json) {
    { T::describe_input(player, bytes) } -> std::convertible_to<std::string>;
    { T::compose_input(player, json) } -> std::convertible_to<std::vector<std::uint8_t>>;
};

template <class T>
concept NamesInput = requires {
    typename T::Input;
};

template <class T>
concept NamesWorldInput = requires {
    typename T::WorldInput;
};

template <class T>
constexpr bool describes_inputs() {
    return DescribesInputs<T> || NamesInput<T> || NamesWorldInput<T>;
}

/// Writes all of `bytes`; throws where the sink wants no more.
void write_all(const isotick_sink& sink, std::string_view bytes);

// From bytes to JSON and back: by T's own functions, or by the types it names.
template <class T>
struct InputCalls {
    static std::int32_t describe_input(const isotick_simulation_table*, std::uint32_t player,
                                       const std::uint8_t* data, std::uint64_t size,
                                       const isotick_sink* sink, isotick_message* message) {
        return guard(message, [&] {
            const std::span bytes(data, static_cast<std::size_t>(size));
            write_all(*sink, description(player, bytes));
        });
    }

    static std::int32_t compose_input(const isotick_simulation_table*, std::uint32_t player,
                                      const char* json, std::uint64_t size,
                                      const isotick_sink* sink, isotick_message* message) {
        return guard(message, [&] {
            const std::string_view text(json, static_cast<std::size_t>(size));
            const std::vector<std::uint8_t> bytes = composition(player, text);
            write_all(*sink, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        });
    }

  private:
    static std::string description(std::uint32_t player, std::span<const std::uint8_t> bytes) {
        if constexpr (DescribesInputs<T>) {
            return T::describe_input(player, bytes);
        } else {
            if constexpr (NamesWorldInput<T>) {
                if (player == ISOTICK_WORLD) {
                    return to_json(read_input<typename T::WorldInput>(bytes));
                }
            }
            if constexpr (NamesInput<T>) {
                if (player != ISOTICK_WORLD) {
                    return to_json(read_input<typename T::Input>(bytes));
                }
            }
            throw std::runtime_error(kNoDescription);
        }
    }

    static std::vector<std::uint8_t> composition(std::uint32_t player, std::string_view json) {
        if constexpr (DescribesInputs<T>) {
            return T::compose_input(player, json);
        } else {
            if constexpr (NamesWorldInput<T>) {
                if (player == ISOTICK_WORLD) {
                    return write_input(from_json<typename T::WorldInput>(json));
                }
            }
            if constexpr (NamesInput<T>) {
                if (player != ISOTICK_WORLD) {
                    return write_input(from_json<typename T::Input>(json));
                }
            }
            throw std::runtime_error(kNoDescription);
        }
    }

    static constexpr const char* kNoDescription = "these inputs have no description; write hex";
};

}  // namespace isotick::core::detail
