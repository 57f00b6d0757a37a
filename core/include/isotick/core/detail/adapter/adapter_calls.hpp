#pragma once
// Which calls a C++ simulation offers, and that none is left out by its signature. Part of
// adapter.hpp.
//
// A member with the name of a call that cannot be called as such would never be called: the
// simulation would compile, and what it leaks stay unseen. It is refused, whatever its overloads
// and its access. Names are found by making them ambiguous: a class with two bases that both have a
// member of a name has no single one. A member that a `requires` clause takes away has its name all
// the same; put it into a base class that is chosen instead.

#include <isotick/core/detail/adapter/adapter_inputs.hpp>
#include <isotick/core/detail/seam/step.hpp>
#include <isotick/core/simulation_type.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace isotick::core::detail {

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
