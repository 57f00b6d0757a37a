// Another order of the elements of std::unordered_map and its like: other numbers of buckets, as
// another C++ library chooses them. Their number is decided in libstdc++.so;
// everything else is inlined from its headers into the simulation, and cannot be changed.

#include "library.hpp"

#include <algorithm>
#include <cstddef>

using namespace isotick::harness::preload;

namespace {

// Whether a container grows by itself, for its first element or a later one. Else it was told how
// many elements there will be, and has room for as many.
enum class Growth : std::uint8_t { as_told, first, later };
thread_local Growth growth = Growth::as_told;

// In calls of the simulation; isotick has such containers, too.
bool is_of_simulation() {
    if (page() == nullptr || is_unseen()) {
        return false;
    }
    switch (static_cast<isotick::harness::Activity>(page()->progress.activity.load())) {
        case isotick::harness::Activity::creating:
        case isotick::harness::Activity::beginning_frame:
        case isotick::harness::Activity::stepping:
        case isotick::harness::Activity::rendering:
        case isotick::harness::Activity::restoring:
            return true;
        default:
            return false;
    }
}

// For how many buckets to ask instead. Never fewer than a program was promised; and where there are
// millions, not many more.
std::size_t varied(std::size_t wanted) {
    constexpr std::size_t kMany = std::size_t{1} << 20U;
    const std::uint64_t seed = settings().containers;
    if (growth == Growth::first) {
        return 1 + mixed(seed, 0) % 20;
    }
    const std::size_t more = wanted < kMany ? 1 + mixed(seed, 1) % 6 : 1;
    return wanted + wanted * more / 2 + mixed(seed, 2) % 8;
}

using NextBuckets = std::size_t(const void* policy, std::size_t wanted);

// As std::pair<bool, std::size_t> is returned.
struct Rehash {
    bool is_needed;
    std::size_t buckets;
};
using NeedsRehash = Rehash(const void* policy, std::size_t buckets, std::size_t elements,
                           std::size_t inserted);

constexpr const char* kNextBuckets = "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm";
constexpr const char* kNeedsRehash = "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm";

}  // namespace

// std::__detail::_Prime_rehash_policy::_M_next_bkt
ISOTICK_INTERPOSED std::size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(
    const void* policy, std::size_t wanted) {
    static NextBuckets* next_buckets = nullptr;
    if (next_buckets == nullptr) {
        next_buckets = next<NextBuckets>(kNextBuckets);
    }
    if (is_of_simulation()) {
        note(Source::containers, "an unordered container's rehash");
        wanted = settings().containers == 0 ? wanted : varied(wanted);
    }
    return next_buckets(policy, wanted);
}

// std::__detail::_Prime_rehash_policy::_M_need_rehash
ISOTICK_INTERPOSED Rehash _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(
    const void* policy, std::size_t buckets, std::size_t elements, std::size_t inserted) {
    static NeedsRehash* needs_rehash = nullptr;
    if (needs_rehash == nullptr) {
        needs_rehash = next<NeedsRehash>(kNeedsRehash);
    }
    growth = elements == 0 && inserted == 1 ? Growth::first : Growth::later;
    const Rehash answer = needs_rehash(policy, buckets, elements, inserted);
    growth = Growth::as_told;
    return answer;
}
