#include "hash_exchange.hpp"

#include <algorithm>
#include <map>
#include <utility>

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
        told.was_equal = true;
        told.differs_at = told.differs_at > report.ticks ? told.differs_at : 0;
    } else {
        told.differs_at = told.differs_at == 0 ? report.ticks : told.differs_at;
        raise_doubt();
    }
}

// About each peer in turn.
void HashExchange::raise_doubt() {
    for (std::size_t tried = 0; tried < told_.size() && !doubt_; ++tried) {
        const std::uint32_t about = next_about_;
        next_about_ = (next_about_ + 1) % static_cast<std::uint32_t>(told_.size());
        Told& told = told_[about];
        const std::uint64_t last = told.differs_at;
        const std::uint64_t earliest = last > kMostDetails ? last - kMostDetails : 0;
        const std::uint64_t first = std::max({told.equal_through, earliest, begin_});
        if (first < last && has_kept(first, last)) {
            doubt_ = HashDoubt{first, last, about, false};
        } else {
            told.differs_at = 0;  // a later report says so again
        }
    }
}

bool HashExchange::has_kept(std::uint64_t first, std::uint64_t last) const {
    return first >= begin_ && last <= chained_ && chained_ - first <= kKept;
}

void HashExchange::share_doubt(const HashDetails& theirs) {
    const std::uint64_t last = theirs.first + theirs.hashes.size();
    if (theirs.hashes.empty() || !has_kept(theirs.first, last) || (doubt_ && doubt_->is_evident)) {
        return;
    }
    bool differs = false;
    for (std::uint64_t tick = theirs.first; tick < last; ++tick) {
        differs = differs || kept_[tick % kKept].hash != theirs.hashes[tick - theirs.first];
    }
    if (!doubt_ || differs) {
        doubt_ = HashDoubt{theirs.first, last, std::nullopt, differs};
    }
}

bool HashExchange::drop_doubt(const std::optional<HashDetails>& theirs) {
    const HashDetails own = details();
    const HashDoubt dropped = *std::exchange(doubt_, std::nullopt);
    bool is_lie = false;
    if (dropped.about) {
        Told& told = told_[*dropped.about];
        is_lie = told.was_equal && told.equal_through == dropped.first &&
                 told.differs_at == dropped.last && theirs && theirs->first == own.first &&
                 theirs->hashes == own.hashes;
        told.differs_at = 0;
    }
    raise_doubt();
    return is_lie;
}

HashDetails HashExchange::details() const {
    HashDetails details;
    details.first = doubt_->first;
    for (std::uint64_t tick = doubt_->first; tick < doubt_->last; ++tick) {
        details.hashes.push_back(kept_[tick % kKept].hash);
    }
    return details;
}

namespace {

using AllDetails = std::vector<std::optional<HashDetails>>;

bool covers(const std::optional<HashDetails>& details, std::uint64_t tick) {
    return details && details->first <= tick && tick - details->first < details->hashes.size();
}

using Sides = std::map<std::uint64_t, std::vector<std::uint32_t>>;  // peers by their hashes

// Whether two peers got the same from a third, in all ticks up to that one that both know.
bool got_the_same(const AllDetails& all, std::uint32_t one, std::uint32_t other,
                  std::uint32_t source, std::uint64_t last) {
    for (std::uint64_t tick = std::max(all[one]->first, all[other]->first); tick <= last; ++tick) {
        const auto digest = [&](std::uint32_t peer) {
            return all[peer]->inputs[(tick - all[peer]->first) * all.size() + source];
        };
        if (covers(all[one], tick) && covers(all[other], tick) && digest(one) != digest(other)) {
            return false;
        }
    }
    return true;
}

// Who told the sides different inputs, if one did: the same to all of a side. What a single peer of
// a side says otherwise is its own story; and so is what it says of several, itself included.
std::optional<std::uint32_t> find_two_faced(const AllDetails& all, const Sides& sides,
                                            std::uint64_t tick) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t source = 0; source < all.size(); ++source) {
        bool same_within = true;
        bool same_across = true;
        for (auto side = sides.begin(); side != sides.end(); ++side) {
            const std::uint32_t speaker = side->second.front();
            for (const std::uint32_t peer : side->second) {
                same_within = same_within && got_the_same(all, speaker, peer, source, tick);
            }
            same_across = same_across &&
                          got_the_same(all, sides.begin()->second.front(), speaker, source, tick);
        }
        if (same_within && !same_across) {
            found.push_back(source);
        }
    }
    std::vector<std::uint32_t> alone = found;
    std::erase_if(alone, [&](std::uint32_t source) {
        return std::ranges::none_of(
            sides, [source](const auto& side) { return side.second == std::vector{source}; });
    });
    const auto& suspects = found.size() == 1 ? found : alone;
    return suspects.size() == 1 ? std::optional(suspects[0]) : std::nullopt;
}

std::vector<std::uint32_t> minority_of(const Sides& sides) {
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
    for (std::uint64_t tick = first; tick < end; ++tick) {
        Sides sides;
        for (std::uint32_t peer = 0; peer < all.size(); ++peer) {
            if (covers(all[peer], tick)) {
                sides[all[peer]->hashes[tick - all[peer]->first]].push_back(peer);
            }
        }
        if (sides.size() > 1) {
            return HashMismatch{core::Tick{tick}, minority_of(sides),
                                find_two_faced(all, sides, tick)};
        }
    }
    return std::nullopt;
}

}  // namespace isotick::harness
