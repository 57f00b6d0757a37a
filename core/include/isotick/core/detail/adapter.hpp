#pragma once
// The calls of a table of functions, for any C++ type.

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/memory_visit.hpp>
#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/step.hpp>
#include <isotick/core/input_text.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/simulation_type.hpp>
#include <isotick/core/snapshot.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core::detail {

// How a simulation in C++ tells its host which settings it looks up; for adapter.hpp.

/// Tells the host which settings are looked up, until it is destroyed.
class ReportedReads {
  public:
    explicit ReportedReads(const isotick_setup& setup);
    ~ReportedReads();
    ReportedReads(const ReportedReads&) = delete;
    ReportedReads& operator=(const ReportedReads&) = delete;

    /// `setup` in C++ terms, with settings that report, as their copies do.
    [[nodiscard]] SimulationSetup take(const isotick_setup& setup) const;

  private:
    class Reporter;

    std::shared_ptr<Reporter> config_;
    std::shared_ptr<Reporter> environment_;
};

// The calls of a C++ simulation's table that show its state: save, load, visit_fields,
// visit_memory. Part of adapter.hpp.

// Runs `body`; an exception becomes a status and a message.
template <class Body>
std::int32_t guard(isotick_message* message, const Body& body) {
    try {
        body();
        return ISOTICK_OK;
    } catch (const BadSettings& refused) {
        write_message(message, refused.what());
        return ISOTICK_BAD_SETTINGS;
    } catch (const std::exception& thrown) {
        write_message(message, thrown.what());
    } catch (...) {
        write_message(message, "an exception that is not a std::exception");
    }
    return ISOTICK_FAILED;
}

// Both ways through serialize, and not refused by `static constexpr bool kCanSave = false;`.
template <class T>
constexpr bool can_save() {
    if constexpr (requires { T::kCanSave; }) {
        return T::kCanSave;
    } else {
        return cereal::traits::is_output_serializable<T, SaveArchive>::value &&
               cereal::traits::is_input_serializable<T, LoadArchive>::value;
    }
}

// Likewise `kHasFields`.
template <class T>
constexpr bool has_fields() {
    if constexpr (requires { T::kHasFields; }) {
        return T::kHasFields;
    } else {
        return cereal::traits::is_output_serializable<T, FieldArchive>::value;
    }
}

// Likewise `kHasMemory`.
template <class T>
constexpr bool has_memory() {
    if constexpr (requires { T::kHasMemory; }) {
        return T::kHasMemory;
    } else {
        return cereal::traits::is_output_serializable<T, MemoryArchive>::value;
    }
}

// What saving reuses. A simulation's shape is found out once, when it is first needed.
class ShapeMemory {
  public:
    template <class T>
    const Shape& of(const T& simulation) {
        if (!shape_) {
            shape_ = shape_of(simulation);
        }
        return *shape_;
    }

  private:
    std::optional<Shape> shape_;
};

// A is the Adapter, which knows the instance.
template <class A>
struct StateCalls {
    static std::int32_t save(isotick_simulation* handle, const isotick_sink* sink,
                             isotick_message* message) {
        return guard(message, [&] {
            auto& self = A::instance(handle);
            save_snapshot(self.simulation, self.shape.of(self.simulation), *sink);
        });
    }

    static std::int32_t load(isotick_simulation* handle, const std::uint8_t* data,
                             std::uint64_t size, isotick_message* message) {
        return guard(message, [&] {
            auto& self = A::instance(handle);
            const std::span bytes(data, static_cast<std::size_t>(size));
            load_snapshot(self.simulation, self.shape.of(self.simulation), std::as_bytes(bytes));
        });
    }

    static std::int32_t visit_fields(isotick_simulation* handle, const isotick_sink* sink,
                                     isotick_message* message) {
        return guard(message, [&] { write_fields(A::instance(handle).simulation, *sink); });
    }

    static std::int32_t visit_memory(isotick_simulation* handle,
                                     const isotick_memory_visitor* visitor,
                                     isotick_message* message) {
        return guard(message,
                     [&] { core::visit_memory(A::instance(handle).simulation, *visitor); });
    }
};

// The calls of a C++ simulation's table that describe its inputs. Part of adapter.hpp.

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

// Which calls a C++ simulation offers, and that none is left out by its signature. Part of
// adapter.hpp.
//
// A member with the name of a call that cannot be called as such would never be called: the
// simulation would compile, and what it leaks stay unseen. It is refused, whatever its overloads
// and its access. Names are found by making them ambiguous: a class with two bases that both have a
// member of a name has no single one. A member that a `requires` clause takes away has its name all
// the same; put it into a base class that is chosen instead.

template <class T>
concept BeginsFrames = requires(T simulation) {
    simulation.begin_frame(FrameTime{});
};

template <class T>
concept Renders = requires(T simulation) {
    simulation.render(0.0);
};

template <class T>
concept ProposesInputs = requires(const T simulation, const Proposal& proposal,
                                  std::vector<std::uint8_t>& bytes) {
    { simulation.propose_input(proposal, bytes) } -> std::convertible_to<bool>;
};

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#endif

// ISOTICK_DETAIL_HAS_MEMBER(render) defines has_member_render<T>(). A final class cannot be a base;
// of that, single members are found, overloaded ones not.
#define ISOTICK_DETAIL_HAS_MEMBER(member)        \
    struct Named_##member {                      \
        int member;                              \
    };                                           \
    template <class T>                           \
    struct Both_##member : T, Named_##member {}; \
    template <class T>                           \
    constexpr bool has_member_##member() {       \
        if constexpr (std::is_final_v<T>) {      \
            return requires {                    \
                &T::member;                      \
            };                                   \
        } else {                                 \
            return !requires {                   \
                &Both_##member<T>::member;       \
            };                                   \
        }                                        \
    }

ISOTICK_DETAIL_HAS_MEMBER(begin_frame)
ISOTICK_DETAIL_HAS_MEMBER(render)
ISOTICK_DETAIL_HAS_MEMBER(propose_input)
ISOTICK_DETAIL_HAS_MEMBER(describe_input)
ISOTICK_DETAIL_HAS_MEMBER(compose_input)

#undef ISOTICK_DETAIL_HAS_MEMBER

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/// Refuses at compile time a type with a member that would never be called.
template <class T>
constexpr void refuse_members_never_called() {
    static_assert(BeginsFrames<T> || !has_member_begin_frame<T>(),
                  "isotick: begin_frame would never be called; it must be public and "
                  "`void begin_frame(isotick::core::FrameTime)`");
    static_assert(Renders<T> || !has_member_render<T>(),
                  "isotick: render would never be called; it must be public and "
                  "`void render(double alpha)`");
    static_assert(ProposesInputs<T> || !has_member_propose_input<T>(),
                  "isotick: propose_input would never be called; it must be public and "
                  "`bool propose_input(const isotick::core::Proposal&, "
                  "std::vector<std::uint8_t>& bytes) const`");
    static_assert(
        DescribesInputs<T> || !(has_member_describe_input<T>() || has_member_compose_input<T>()),
        "isotick: describe_input and compose_input would never be called; both must be there, "
        "public, `static std::string describe_input(std::uint32_t player, "
        "std::span<const std::uint8_t> bytes)` and `static std::vector<std::uint8_t> "
        "compose_input(std::uint32_t player, std::string_view json)`");
}

}  // namespace isotick::core::detail
