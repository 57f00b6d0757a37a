#pragma once
// The members of any plain struct, without a list of them: how many it has is found by trying with
// how many values it can be initialized, and a structured binding takes it apart.

#include <cstddef>
#include <type_traits>
#include <utility>

namespace isotick::harness {

namespace detail {

// What any member can be initialized with; nothing of it is ever called.
struct Anything {
    template <class T>
    operator T&() const noexcept;
};

template <std::size_t>
using AnythingAgain = Anything;

template <class T, std::size_t... I>
auto initialized(std::index_sequence<I...>) -> decltype(T{AnythingAgain<I>()...});

template <class T, std::size_t Count>
concept InitializedBy = requires {
    initialized<T>(std::make_index_sequence<Count>());
};

inline constexpr std::size_t kMostMembers = 28;

// The most values that can initialize T: at least `Least`, fewer than `End`.
template <class T, std::size_t Least, std::size_t End>
consteval std::size_t count_members() {
    constexpr std::size_t kMiddle = (Least + End) / 2;
    if constexpr (Least + 1 == End) {
        return Least;
    } else if constexpr (InitializedBy<T, kMiddle>) {
        return count_members<T, kMiddle, End>();
    } else {
        return count_members<T, Least, kMiddle>();
    }
}

// With fewer than 14 members.
template <std::size_t kCount, class T, class Visit>
constexpr decltype(auto) visit_few(T& value, const Visit& visit) {
    if constexpr (kCount == 0) {
        return visit();
    } else if constexpr (kCount == 1) {
        auto& [m1] = value;
        return visit(m1);
    } else if constexpr (kCount == 2) {
        auto& [m1, m2] = value;
        return visit(m1, m2);
    } else if constexpr (kCount == 3) {
        auto& [m1, m2, m3] = value;
        return visit(m1, m2, m3);
    } else if constexpr (kCount == 4) {
        auto& [m1, m2, m3, m4] = value;
        return visit(m1, m2, m3, m4);
    } else if constexpr (kCount == 5) {
        auto& [m1, m2, m3, m4, m5] = value;
        return visit(m1, m2, m3, m4, m5);
    } else if constexpr (kCount == 6) {
        auto& [m1, m2, m3, m4, m5, m6] = value;
        return visit(m1, m2, m3, m4, m5, m6);
    } else if constexpr (kCount == 7) {
        auto& [m1, m2, m3, m4, m5, m6, m7] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7);
    } else if constexpr (kCount == 8) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8);
    } else if constexpr (kCount == 9) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9);
    } else if constexpr (kCount == 10) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10);
    } else if constexpr (kCount == 11) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11);
    } else if constexpr (kCount == 12) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12);
    } else if constexpr (kCount == 13) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13);
    }
}

template <std::size_t kCount, class T, class Visit>
constexpr decltype(auto) visit_many(T& value, const Visit& visit) {
    if constexpr (kCount == 14) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14);
    } else if constexpr (kCount == 15) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15);
    } else if constexpr (kCount == 16) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16);
    } else if constexpr (kCount == 17) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17);
    } else if constexpr (kCount == 18) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] =
            value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18);
    } else if constexpr (kCount == 19) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
               m19] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19);
    } else if constexpr (kCount == 20) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19, m20);
    } else if constexpr (kCount == 21) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19, m20, m21);
    } else if constexpr (kCount == 22) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19, m20, m21, m22);
    } else if constexpr (kCount == 23) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19, m20, m21, m22, m23);
    } else if constexpr (kCount == 24) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19, m20, m21, m22, m23, m24);
    } else if constexpr (kCount == 25) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19, m20, m21, m22, m23, m24, m25);
    } else if constexpr (kCount == 26) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25, m26] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19, m20, m21, m22, m23, m24, m25, m26);
    } else if constexpr (kCount == 27) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25, m26, m27] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19, m20, m21, m22, m23, m24, m25, m26, m27);
    } else if constexpr (kCount == 28) {
        auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19,
               m20, m21, m22, m23, m24, m25, m26, m27, m28] = value;
        return visit(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17,
                     m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28);
    }
}

}  // namespace detail

/// How many members T has: an aggregate without base classes and C arrays, with at most 28.
template <class T>
inline constexpr std::size_t kMembers = [] {
    static_assert(std::is_aggregate_v<T>, "its members are its own");
    static_assert(!detail::InitializedBy<T, detail::kMostMembers + 1>,
                  "more than visit_members can");
    return detail::count_members<T, 0, detail::kMostMembers + 1>();
}();

/// Calls `visit` with references to all members of `value`, in the order of their declaration, and
/// returns what it does.
template <class T, class Visit>
constexpr decltype(auto) visit_members(T& value, const Visit& visit) {
    constexpr std::size_t kCount = kMembers<std::remove_const_t<T>>;
    if constexpr (kCount < 14) {
        return detail::visit_few<kCount>(value, visit);
    } else {
        return detail::visit_many<kCount>(value, visit);
    }
}

}  // namespace isotick::harness
