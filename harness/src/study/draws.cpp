#include "draws.hpp"

#include "watched_sides.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::uint64_t kMostDrawWrites = 4096;
constexpr std::uint64_t kMostDrawTraps = 60'000;  // what else is on its page may be written often
constexpr std::size_t kMostMatched = 256;         // draws of each side, from the first other one on

// A draw of one side.
struct Drawn {
    Activity during = Activity::stepping;
    const std::vector<CodePlace>* code = nullptr;  // of its first write
    std::vector<MemoryWrite> writes;
};

// Puts the writes of one side together to draws. A draw is made by one call of one function, which
// may have others inlined, and into which others may be inlined: it writes each word once, or, if
// nothing is inlined, goes through the function's instructions once. Of source lines it is not
// known what one of them calls: whatever writes again is another draw.
class DrawReader {
  public:
    explicit DrawReader(KnownCode& known) : known_(known) {}

    void take(const MemoryWrite& write, const NotedWrite& noted) {
        if (draws_.empty() || !goes_on(write, noted)) {
            draws_.push_back({noted.during, &known_.of(noted.sites), {}});
            is_inlined_ = false;
        }
        draws_.back().writes.push_back(write);
        is_inlined_ = is_inlined_ || own_code(noted).size() > 1;
        last_ = &noted;
    }

    [[nodiscard]] std::vector<Drawn> draws() && { return std::move(draws_); }

  private:
    [[nodiscard]] bool goes_on(const MemoryWrite& write, const NotedWrite& noted) {
        const auto callers = [](const NotedWrite& one) {
            return std::span(one.sites).subspan(std::min<std::size_t>(one.sites.size(), 1));
        };
        if (last_->during != noted.during || last_->sites.empty() || noted.sites.empty() ||
            !std::ranges::equal(callers(*last_), callers(noted)) ||
            function_of(*last_) != function_of(noted)) {
            return false;
        }
        const bool are_lines = !noted.sites.front().function.empty();
        const bool is_written_again =
            std::ranges::any_of(draws_.back().writes, [&write](const MemoryWrite& one) {
                return one.place == write.place && one.word == write.word;
            });
        return !is_written_again || (!is_inlined_ && !are_lines && own_code(noted).size() == 1 &&
                                     last_->sites.front().offset < noted.sites.front().offset);
    }

    // Of the writing instruction alone: its function is last, behind those that are inlined there.
    const std::vector<CodePlace>& own_code(const NotedWrite& noted) {
        return known_.of(
            {noted.sites.begin(), noted.sites.begin() + (noted.sites.empty() ? 0 : 1)});
    }

    std::string function_of(const NotedWrite& noted) {
        const auto& code = own_code(noted);
        return code.empty() ? "" : code.back().function;
    }

    KnownCode& known_;
    std::vector<Drawn> draws_;
    bool is_inlined_ = false;           // some write of the last draw is
    const NotedWrite* last_ = nullptr;  // of the last draw
};

std::vector<Drawn> draws_in(const WriteLog& log, const std::string& of, KnownCode& known) {
    DrawReader reader(known);
    const std::size_t without_code = log.writes.size() - log.noted.size();
    for (std::size_t i = without_code; i < log.writes.size(); ++i) {
        const NotedWrite& noted = log.noted[i - without_code];
        if (is_within(noted.path, of)) {
            reader.take(log.writes[i], noted);
        }
    }
    return std::move(reader).draws();
}

bool is_same_code(const Drawn& a, const Drawn& b) {
    return a.during == b.during && *a.code == *b.code;
}

bool is_same(const Drawn& a, const Drawn& b) {
    return is_same_code(a, b) && std::ranges::equal(a.writes, b.writes, is_alike);
}

// See Draws::own_functions.
std::size_t own_functions(const std::vector<Drawn>& a, const std::vector<Drawn>& b) {
    const std::vector<CodePlace>& first = a.empty() ? *b.front().code : *a.front().code;
    std::size_t shared = first.size();
    bool come_from_one_place = true;
    for (const std::vector<Drawn>* side : {&a, &b}) {
        for (const Drawn& draw : *side) {
            const std::vector<CodePlace>& code = *draw.code;
            std::size_t common = 0;
            while (common < std::min(first.size(), code.size()) &&
                   (common == 0 ? first[0].function == code[0].function
                                : first[common] == code[common])) {
                ++common;
            }
            shared = std::min({shared, common, std::max<std::size_t>(code.size(), 1) - 1});
            come_from_one_place = come_from_one_place && code == first;
        }
    }
    return come_from_one_place ? 0 : shared;
}

// The longest common subsequence of two sequences: how long it is from each pair of places on.
class CommonDraws {
  public:
    CommonDraws(std::span<const Drawn> a, std::span<const Drawn> b)
        : a_(a), b_(b), length_((a.size() + 1) * (b.size() + 1)) {
        for (std::size_t i = a.size(); i-- > 0;) {
            for (std::size_t k = b.size(); k-- > 0;) {
                length_[index(i, k)] = is_same_code(a[i], b[k])
                                           ? at(i + 1, k + 1) + 1
                                           : std::max(at(i + 1, k), at(i, k + 1));
            }
        }
    }

    // Both sequences as one; where there is a choice, what only the second has comes first.
    [[nodiscard]] std::vector<Draws::Draw> merged() const {
        std::vector<Draws::Draw> draws;
        std::size_t i = 0;
        std::size_t k = 0;
        while (i < a_.size() || k < b_.size()) {
            const bool is_common = i < a_.size() && k < b_.size() && is_same_code(a_[i], b_[k]);
            if (is_common && at(i, k) == at(i + 1, k + 1) + 1) {
                draws.push_back({Draws::Side::both, a_[i].during, *a_[i].code});
                ++i;
                ++k;
            } else if (k < b_.size() && (i == a_.size() || at(i, k + 1) == at(i, k))) {
                draws.push_back({Draws::Side::after, b_[k].during, *b_[k].code});
                ++k;
            } else {
                draws.push_back({Draws::Side::before, a_[i].during, *a_[i].code});
                ++i;
            }
        }
        return draws;
    }

  private:
    [[nodiscard]] std::size_t index(std::size_t i, std::size_t k) const {
        return i * (b_.size() + 1) + k;
    }
    [[nodiscard]] std::uint32_t at(std::size_t i, std::size_t k) const {
        return length_[index(i, k)];
    }

    std::span<const Drawn> a_;
    std::span<const Drawn> b_;
    std::vector<std::uint32_t> length_;
};

}  // namespace

Result<Draws> find_draws(const StateSource& before, const StateSource& after,
                         const StepsToStates& steps, const std::string& of) {
    Draws found;
    found.of = of;
    if (steps.before == 0 || steps.after == 0) {
        found.unknown = "the initial state differs, before any tick";
        return found;
    }
    const auto side = [&of](const StateSource& source, std::uint64_t last) {
        return WatchedSide{source, last, kMostDrawWrites, kMostDrawWrites, kMostDrawTraps, of};
    };
    ISOTICK_TRY_ASSIGN(const auto both,
                       watch_both(side(before, steps.before), side(after, steps.after)));
    found.unknown = why_not_comparable(both);
    if (!found.unknown.empty()) {
        return found;
    }
    KnownCode known;
    const auto a = draws_in(both.front().log, of, known);
    const auto b = draws_in(both.back().log, of, known);
    found.before = a.size();
    found.after = b.size();
    const auto same = std::ranges::mismatch(a, b, is_same).in1 - a.begin();
    found.same = static_cast<std::uint64_t>(same);
    const auto rest = [&](const std::vector<Drawn>& draws) {
        const auto behind = std::span(draws).subspan(static_cast<std::size_t>(same));
        return behind.first(std::min(behind.size(), kMostMatched));
    };
    found.draws = CommonDraws(rest(a), rest(b)).merged();
    found.own_functions = a.empty() && b.empty() ? 0 : own_functions(a, b);
    found.cut = both.front().log.cut || both.back().log.cut ||
                std::max(found.before, found.after) - found.same > kMostMatched;
    return found;
}

}  // namespace isotick::harness
