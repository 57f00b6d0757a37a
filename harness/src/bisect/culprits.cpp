#include "culprits.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::Result;

Members united(const Members& a, const Members& b) {
    Members all;
    std::ranges::set_union(a, b, std::back_inserter(all));
    return all;
}

Members without_unit(const Members& all, const Members& some) {
    Members left;
    std::ranges::set_difference(all, some, std::back_inserter(left));
    return left;
}

std::pair<Members, Members> halves(const Members& members) {
    const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
    return {{members.begin(), middle}, {middle, members.end()}};
}

Members first_of(const Members& members, std::size_t size) {
    return {members.begin(), members.begin() + static_cast<std::ptrdiff_t>(size)};
}

class Search {
  public:
    Search(std::size_t count, const Mixture& mixture)
        : count_(count), mixture_(mixture), left_(count) {
        std::iota(left_.begin(), left_.end(), std::size_t{0});
        known_[{}] = Effect::none;
        known_[left_] = Effect::differs;
    }

    Result<Culprits> run() {
        Members suspects = left_;
        std::size_t most = count_;  // suspects to try at a time
        while (true) {
            const std::size_t size = std::min(most, suspects.size());
            const Members group = first_of(suspects, size);
            ISOTICK_TRY_ASSIGN(const auto effect, effect_of(group));
            if (effect == Effect::differs) {
                ISOTICK_TRY_ASSIGN(auto found, find_one(group));
                left_ = without_unit(left_, found);
                suspects = without_unit(without_unit(suspects, found), cleared_);
                culprits_.found.push_back(std::move(found));
                most = next_size(size / 2, suspects.size());
            } else if (group == left_) {
                culprits_.rest_unknown = effect == Effect::unknown;
                std::ranges::sort(culprits_.found);
                return std::move(culprits_);
            } else if (effect == Effect::none && !group.empty()) {
                cleared_ = united(cleared_, group);
                suspects = without_unit(suspects, group);
                most = next_size(size * 2, suspects.size());
            } else {
                // Those that cannot be judged may be with others; and those that do nothing alone
                // may do something together.
                suspects = size == suspects.size() ? left_ : suspects;
                most = suspects.size();
            }
        }
    }

  private:
    // Where culprits are rare large groups find them with few mixtures, where they are not small
    // ones do: twice the group that held none, half of the one that did; and after a few no more
    // than half of the distance between two.
    [[nodiscard]] std::size_t next_size(std::size_t size, std::size_t suspects) const {
        constexpr std::size_t kFew = 4;
        const std::size_t found = culprits_.found.size();
        const std::size_t most = found < kFew ? count_ : (count_ - suspects) / (2 * found);
        return std::max<std::size_t>(std::min(size, most), 1);
    }

    Result<Effect> effect_of(const Members& members) {
        if (const auto known = known_.find(members); known != known_.end()) {
            return known->second;
        }
        ISOTICK_TRY_ASSIGN(const auto effect, mixture_(members));
        return known_.emplace(members, effect).first->second;
    }

    // Halves what differs. Where the first half does nothing the second is believed to differ,
    // which the last member then proves.
    Result<Members> find_one(const Members& suspects) {
        Members members = suspects;
        while (members.size() > 1) {
            const auto [first, second] = halves(members);
            ISOTICK_TRY_ASSIGN(const auto effect, effect_of(first));
            if (effect == Effect::unknown) {
                return find_smallest(suspects);
            }
            if (effect == Effect::none) {
                cleared_ = united(cleared_, first);
            }
            members = effect == Effect::differs ? first : second;
        }
        ISOTICK_TRY_ASSIGN(const auto effect, effect_of(members));
        return effect == Effect::differs ? Result<Members>(members) : find_smallest(suspects);
    }

    // What is found together may still have a part that differs: with fewer members a mixture may
    // be judged that could not be before.
    Result<Members> find_smallest(const Members& suspects) {
        ISOTICK_TRY_ASSIGN(auto members, find_together(suspects, {}));
        for (const std::size_t member : members) {
            ISOTICK_TRY_ASSIGN(const auto effect, effect_of({member}));
            if (effect == Effect::differs) {
                return Members{member};
            }
        }
        for (const std::size_t member : Members(members)) {
            const Members fewer = without_unit(members, {member});
            ISOTICK_TRY_ASSIGN(const auto effect, effect_of(fewer));
            members = effect == Effect::differs ? fewer : members;
        }
        return members;
    }

    // The members of `some` without which those and `others` would not differ; they do.
    Result<Members> find_together(const Members& some, const Members& others) {
        if (some.size() == 1) {
            return some;
        }
        const auto [first, second] = halves(some);
        for (const Members& half : {first, second}) {
            ISOTICK_TRY_ASSIGN(const auto effect, effect_of(united(half, others)));
            if (effect == Effect::differs) {
                return find_together(half, others);
            }
        }
        ISOTICK_TRY_ASSIGN(const auto of_first, find_together(first, united(others, second)));
        ISOTICK_TRY_ASSIGN(const auto of_second, find_together(second, united(others, of_first)));
        return united(of_first, of_second);
    }

    std::size_t count_;
    const Mixture& mixture_;
    Members left_;     // that are in no culprit
    Members cleared_;  // that did nothing, in a mixture with others
    std::map<Members, Effect> known_;
    Culprits culprits_;
};

}  // namespace

Result<Culprits> find_culprits(std::size_t count, const Mixture& mixture) {
    return Search(count, mixture).run();
}

}  // namespace isotick::harness::bisect
