#include "hash_exchange.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace isotick::harness {
namespace {

constexpr std::size_t kMostWaiting = 64;

std::uint64_t chain_on(std::uint64_t chain, std::uint64_t hash) {
    std::array<std::byte, 16> bytes;
    core::store(bytes.data(), chain);
    core::store(bytes.data() + 8, hash);
    return core::hash_bytes(bytes);
}

}  // namespace

void put_details(core::Bytes& out, const HashDetails& details) {
    core::put_varint(out, details.first);
    core::put_varint(out, details.hashes.size());
    for (const std::uint64_t hash : details.hashes) {
        core::put(out, hash);
    }
    for (const std::uint32_t digest : details.inputs) {
        core::put(out, digest);
    }
}

std::optional<HashDetails> read_details(std::span<const std::byte> bytes, std::uint32_t peers) {
    core::ByteReader reader(bytes);
    HashDetails details;
    details.first = reader.varint(kLastTick);
    details.hashes.resize(reader.varint(HashExchange::kMostDetails));
    for (std::uint64_t& hash : details.hashes) {
        hash = reader.get<std::uint64_t>();
    }
    details.inputs.resize(details.hashes.size() * peers);
    for (std::uint32_t& digest : details.inputs) {
        digest = reader.get<std::uint32_t>();
    }
    return reader.at_end() ? std::optional(std::move(details)) : std::nullopt;
}

HashExchange::HashExchange(std::uint32_t every, std::uint32_t peers)
    : every_(every), kept_(kKept), told_(peers) {}

void HashExchange::restart(std::uint64_t tick, std::uint64_t chain) {
    begin_ = tick;
    chained_ = tick;
    chain_ = chain;
    for (Told& told : told_) {
        told.equal_through = tick;
    }
}

void HashExchange::add(std::uint64_t tick, core::StateHash hash) {
    kept_[tick % kKept] = {tick, hash.value, 0};
}

void HashExchange::confirm(std::uint64_t verified) {
    const std::uint64_t before = chained_;
    while (chained_ < verified && kept_[chained_ % kKept].tick == chained_) {
        Kept& kept = kept_[chained_ % kKept];
        chain_ = chain_on(chain_, kept.hash);
        kept.chain = chain_;
        ++chained_;
    }
    for (std::uint32_t peer = 0; chained_ > before && peer < told_.size(); ++peer) {
        compare_waiting(peer);
    }
}

std::optional<HashReport> HashExchange::report(bool all) const {
    const std::uint64_t ticks = all ? chained_ : chained_ / every_ * every_;
    if (ticks == 0 || kept_[(ticks - 1) % kKept].tick != ticks - 1) {
        return std::nullopt;
    }
    return HashReport{ticks, kept_[(ticks - 1) % kKept].chain};
}

void HashExchange::take(std::uint32_t peer, const HashReport& report) {
    Told& told = told_[peer];
    if (report.ticks <= chained_) {
        compare(peer, report);
        return;
    }
    const auto known = [&](const HashReport& other) { return other.ticks == report.ticks; };
    if (told.waiting.size() < kMostWaiting && std::ranges::none_of(told.waiting, known)) {
        told.waiting.push_back(report);
    }
}

void HashExchange::compare_waiting(std::uint32_t peer) {
    std::erase_if(told_[peer].waiting, [&](const HashReport& report) {
        const bool due = report.ticks <= chained_;
        if (due) {
            compare(peer, report);
        }
        return due;
    });
}

void HashExchange::compare(std::uint32_t peer, const HashReport& report) {
    Told& told = told_[peer];
    if (report.ticks <= told.equal_through) {
        return;
    }
    const Kept& own = kept_[(report.ticks - 1) % kKept];
    if (own.tick != report.ticks - 1) {
        return;
    }
    if (own.chain == report.chain) {
        told.equal_through = report.ticks;
    } else if (!doubt_) {
        const std::uint64_t earliest =
            report.ticks > kMostDetails ? report.ticks - kMostDetails : 0;
        doubt_ = {std::max({told.equal_through, earliest, begin_}), report.ticks};
    }
}

void HashExchange::share_doubt(std::uint64_t first, std::uint64_t last) {
    const bool kept = first >= begin_ && last <= chained_ && chained_ - first <= kKept;
    if (!doubt_ && first < last && last - first <= kMostDetails && kept) {
        doubt_ = {first, last};
    }
}

HashDetails HashExchange::details() const {
    HashDetails details;
    details.first = doubt_->first;
    for (std::uint64_t tick = doubt_->first; tick < doubt_->second; ++tick) {
        details.hashes.push_back(kept_[tick % kKept].hash);
    }
    return details;
}

namespace {

using AllDetails = std::vector<std::optional<HashDetails>>;

bool covers(const std::optional<HashDetails>& details, std::uint64_t tick) {
    return details && details->first <= tick && tick - details->first < details->hashes.size();
}

// Whose contribution to a tick is not the same for all, if anybody's.
std::optional<std::uint32_t> find_two_faced(const AllDetails& all, std::uint64_t tick) {
    for (std::uint32_t source = 0; source < all.size(); ++source) {
        std::optional<std::uint32_t> first;
        for (const auto& details : all) {
            if (!covers(details, tick)) {
                continue;
            }
            const std::uint32_t digest =
                details->inputs[(tick - details->first) * all.size() + source];
            if (first.value_or(digest) != digest) {
                return source;
            }
            first = digest;
        }
    }
    return std::nullopt;
}

std::vector<std::uint32_t> minority_of(
    const std::map<std::uint64_t, std::vector<std::uint32_t>>& sides) {
    std::size_t largest = 0;
    std::size_t how_many = 0;
    for (const auto& [hash, peers] : sides) {
        how_many = peers.size() == largest ? how_many + 1 : peers.size() > largest ? 1 : how_many;
        largest = std::max(largest, peers.size());
    }
    std::vector<std::uint32_t> minority;
    for (const auto& [hash, peers] : sides) {
        if (peers.size() < largest && how_many == 1) {
            minority.insert(minority.end(), peers.begin(), peers.end());
        }
    }
    std::ranges::sort(minority);
    return minority;
}

}  // namespace

std::optional<HashMismatch> judge_details(const AllDetails& all) {
    std::uint64_t first = UINT64_MAX;
    std::uint64_t end = 0;
    for (const auto& details : all) {
        first = details ? std::min(first, details->first) : first;
        end = details ? std::max(end, details->first + details->hashes.size()) : end;
    }
    std::optional<std::uint32_t> two_faced;
    for (std::uint64_t tick = first; tick < end; ++tick) {
        two_faced = two_faced ? two_faced : find_two_faced(all, tick);
        std::map<std::uint64_t, std::vector<std::uint32_t>> sides;
        for (std::uint32_t peer = 0; peer < all.size(); ++peer) {
            if (covers(all[peer], tick)) {
                sides[all[peer]->hashes[tick - all[peer]->first]].push_back(peer);
            }
        }
        if (sides.size() > 1) {
            return HashMismatch{core::Tick{tick}, minority_of(sides), two_faced};
        }
    }
    return std::nullopt;
}

}  // namespace isotick::harness
