#pragma once
// What the hash archive refuses at compile time, and what to do instead.

#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>

#include <cereal/details/helpers.hpp>

namespace isotick::core::detail {

template <class T>
struct IsStringView : std::false_type {};
template <class C, class Traits>
struct IsStringView<std::basic_string_view<C, Traits>> : std::true_type {};

template <class T>
struct IsCallable : std::is_function<T> {};
template <class Signature>
struct IsCallable<std::function<Signature>> : std::true_type {};

template <class T>
struct IsSmartPointer : std::false_type {};
template <class T, class D>
struct IsSmartPointer<std::unique_ptr<T, D>> : std::true_type {};
template <class T>
struct IsSmartPointer<std::shared_ptr<T>> : std::true_type {};
template <class T>
struct IsSmartPointer<std::weak_ptr<T>> : std::true_type {};

template <class T>
struct IsArrayPointer : std::false_type {};
template <class T, class D>
struct IsArrayPointer<std::unique_ptr<T[], D>> : std::true_type {};
template <class T>
struct IsArrayPointer<std::shared_ptr<T[]>> : std::true_type {};

// A set or map whose order is that of addresses.
template <class T>
constexpr bool is_ordered_by_address() {
    if constexpr (requires { typename T::key_compare; }) {
        return IsSmartPointer<typename T::key_type>::value;
    } else {
        return false;
    }
}

template <class T>
constexpr void refuse_what_has_no_hash() {
    static_assert(
        !std::is_pointer_v<T> && !std::is_member_pointer_v<T> && !std::is_null_pointer_v<T>,
        "isotick: a raw pointer is an address, not state: serialize an index or an id "
        "instead, or own the object through std::unique_ptr or std::shared_ptr");
    static_assert(!std::is_same_v<T, long double>,
                  "isotick: long double has no portable bits: use double in hashed state");
    static_assert(!std::is_same_v<T, wchar_t>,
                  "isotick: wchar_t differs in size between platforms: use char8_t, char16_t or "
                  "char32_t in hashed state");
    static_assert(!IsStringView<T>::value,
                  "isotick: a string_view does not own its text, so no snapshot can restore it: "
                  "use std::string in hashed state");
    static_assert(!IsCallable<T>::value,
                  "isotick: a function has no bits to hash: serialize an enum or a name that says "
                  "which one it is");
    static_assert(!IsArrayPointer<T>::value,
                  "isotick: a pointer to an array does not know its length: use std::vector");
    static_assert(!is_ordered_by_address<T>(),
                  "isotick: this set or map is ordered by the addresses of its keys, which differ "
                  "from run to run: use an id as key");
    static_assert(!std::is_base_of_v<cereal::detail::DeferredDataCore, T>,
                  "isotick: cereal::defer is not supported in hashed state: serialize the value "
                  "itself");
}

}  // namespace isotick::core::detail
