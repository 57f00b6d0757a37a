#pragma once
// Containers without an order of their own, and shared objects. Included by hash_archive.hpp.

#include <isotick/core/detail/hashing/put.hpp>
#include <isotick/core/hash_archive.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace isotick::core {
namespace detail {

template <class T>
concept Unordered = requires(const T container) {
    typename T::key_type;
    typename T::hasher;
    container.size();
    { *container.begin() } -> std::same_as<const typename T::value_type&>;
}
&&!cereal::traits::has_member_serialize<T, HashArchive>::value &&
    !cereal::traits::has_member_save<T, HashArchive>::value;

template <Unordered T>
struct HashValue<T> {
    static void put(HashArchive& archive, const T& container) { archive.put_unordered(container); }
};

template <class T>
const auto& key_of(const typename T::value_type& element) {
    if constexpr (requires { typename T::mapped_type; }) {
        return element.first;
    } else {
        return element;
    }
}

template <class Element>
struct Ranked {
    std::uint64_t rank;
    const Element* element;
};

template <class Element>
void sort_by_rank(Ranked<Element>* first, Ranked<Element>* last) {
    std::sort(first, last, [](const auto& a, const auto& b) { return a.rank < b.rank; });
}

}  // namespace detail

// The hash of a value's bytes, on its own.
template <class T>
std::uint64_t HashArchive::hash_item(const T& value) {
    sink_.begin_item();
    ++keys_;
    put(value);
    --keys_;
    return sink_.end_item();
}

template <class T>
void HashArchive::put_unordered(const T& container) {
    put_size(container.size());
    path_.enter_elements();
    std::vector<detail::Ranked<typename T::value_type>> order;
    order.reserve(container.size());
    for (const auto& element : container) {
        order.push_back({hash_item(detail::key_of<T>(element)), &element});
    }
    auto* const all = order.data();
    detail::sort_by_rank(all, all + order.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first + 1;
        while (last < order.size() && order[last].rank == order[first].rank) {
            ++last;
        }
        if (last - first > 1) {  // equal keys: by the whole element
            for (std::size_t i = first; i < last; ++i) {
                order[i].rank = hash_item(*order[i].element);
            }
            detail::sort_by_rank(all + first, all + last);
        }
        first = last;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        path_.set_index(i);
        put(*order[i].element);
    }
    path_.leave();
}

template <class T>
void HashArchive::put_shared(const std::shared_ptr<T>& pointer) {
    const bool weak = std::exchange(through_weak_, false);
    if (pointer == nullptr) {
        put_number(std::uint64_t{0});
        return;
    }
    if (keys_ != 0) {
        throw std::logic_error(
            "an unordered container cannot be put in order by keys that hold shared pointers");
    }
    const auto met =
        shared_.meet(pointer, &detail::kTypeTag<std::remove_cv_t<T>>, weak, part_number_);
    put_number(met.reference);
    if (met.first) {
        put(*pointer);
        shared_.close();
    }
}

template <class T>
void HashArchive::put_weak(const std::weak_ptr<T>& pointer) {
    through_weak_ = true;
    put(pointer.lock());
    through_weak_ = false;
}

}  // namespace isotick::core
