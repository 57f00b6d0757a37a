#include "by_fields.hpp"

#include "../run/field_digest_file.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::Result;

/// Says of each letter of a path whether it stands in brackets, where keys may hold anything.
class Brackets {
  public:
    bool hold(char letter) {
        if (quoted_) {
            quoted_ = letter != '"' || escaped_;
            escaped_ = letter == '\\' && !escaped_;
            return true;
        }
        quoted_ = inside_ && letter == '"';
        const bool was_inside = inside_;
        inside_ = letter == '[' || (inside_ && letter != ']');
        return was_inside || inside_;
    }

    [[nodiscard]] bool inside() const { return inside_; }

  private:
    bool inside_ = false;
    bool quoted_ = false;
    bool escaped_ = false;
};

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    const auto last = text.find_last_not_of(' ');
    return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

std::string kind_of(std::string_view path) {
    std::string kind;
    Brackets brackets;
    for (const char letter : path) {
        const bool was_inside = brackets.inside();
        if (!brackets.hold(letter)) {
            kind += letter;
        } else if (!was_inside) {
            kind += "[*]";
        }
    }
    return kind;
}

}  // namespace

std::vector<std::string> split_at_commas(std::string_view list) {
    std::vector<std::string> pieces;
    std::string piece;
    Brackets brackets;
    for (const char letter : list) {
        if (!brackets.hold(letter) && letter == ',') {
            pieces.push_back(trimmed(piece));
            piece.clear();
        } else {
            piece += letter;
        }
    }
    pieces.push_back(trimmed(piece));
    return pieces;
}

Result<std::vector<std::string>> parse_field_names(std::string_view list) {
    std::vector<std::string> kinds;
    for (const std::string& piece : split_at_commas(list)) {
        if (piece.empty()) {
            return core::fail(core::ErrorCode::usage, "a field's name is missing");
        }
        ISOTICK_TRY(core::FieldPattern::parse(piece));
        kinds.push_back(kind_of(piece));
    }
    return kinds;
}

bool lies_in(std::string_view kind, std::string_view name) {
    return kind.starts_with(name) &&
           (kind.size() == name.size() || kind[name.size()] == '.' || kind[name.size()] == '[');
}

namespace {

using core::Result;

constexpr int kFieldConfirmations = 3;

Result<TrialResult> run_one(const TrialRunner& run, const TrialPlan& plan, Isolation isolation) {
    ISOTICK_TRY_ASSIGN(auto results, run(std::array{plan}, isolation));
    return std::move(results.front());
}

// What a trial that compares nothing ends with, where it does not come to its end.
std::optional<Judgement> failed_judgement(const TrialResult& result) {
    if (result.verdict == Verdict::identical) {
        return std::nullopt;
    }
    Judgement judgement;
    judgement.finding = result.verdict == Verdict::nondeterministic ? Finding::nondeterministic
                        : result.refused                            ? Finding::not_comparable
                                                                    : Finding::crashed;
    judgement.reason = result.reason;
    return judgement;
}

// Of the fields that differ those that are of these kinds.
FieldReport only_of(const core::FieldDifferences& all, const std::vector<std::string>& kinds) {
    FieldReport report{true, {}, ""};
    std::vector<std::optional<std::size_t>> places(all.kinds.size());
    for (std::size_t i = 0; i < all.kinds.size(); ++i) {
        if (std::ranges::find(kinds, all.kinds[i].path) != kinds.end()) {
            places[i] = report.differences.kinds.size();
            report.differences.kinds.push_back(all.kinds[i]);
            report.differences.total += all.kinds[i].total;
        }
    }
    for (const core::FieldDifference& difference : all.listed) {
        if (places[difference.field_kind]) {
            report.differences.listed.push_back(difference);
            report.differences.listed.back().field_kind = *places[difference.field_kind];
        }
    }
    return report;
}

/// One build being judged by its fields.
class JudgingByFields {
  public:
    JudgingByFields(GoodFields& good, const TrialRunner& candidate,
                    std::optional<std::uint64_t> most, const FieldChoice& choice)
        : good_(good), run_(candidate), plan_(good.plan()), choice_(choice) {
        if (most && *most > 0) {
            plan_.until = core::Tick{*most - 1};
        }
    }

    Result<Judgement> judge(std::size_t most_fields) {
        ISOTICK_TRY_ASSIGN(const SharedFile* good, good_.digests());
        ISOTICK_TRY_ASSIGN(const auto file, SharedFile::make());
        ISOTICK_TRY_ASSIGN(const auto result, digest(file, Isolation::forked));
        if (auto judgement = failed_judgement(result)) {
            return *std::move(judgement);
        }
        ISOTICK_TRY_ASSIGN(const auto compared, compare(*good, file));
        Judgement judgement;
        judgement.by_fields = true;
        if (compared.shared_kinds == 0) {
            judgement.finding = Finding::not_comparable;
            judgement.reason =
                "there is no field to compare that both its state and the good build's have";
            return judgement;
        }
        if (!compared.diverged) {
            return judgement;
        }
        ISOTICK_TRY(confirm(file, *compared.diverged, judgement));
        if (judgement.finding == Finding::diverged) {
            ISOTICK_TRY_ASSIGN(judgement.fields, look(*compared.diverged, most_fields));
        }
        return judgement;
    }

  private:
    Result<TrialResult> digest(const SharedFile& file, Isolation isolation) const {
        TrialPlan plan = plan_;
        plan.field_digests = FieldDigestRequest{file.path()};
        return run_one(run_, plan, isolation);
    }

    Result<ComparedFields> compare(const SharedFile& a, const SharedFile& b) const {
        ISOTICK_TRY_ASSIGN(const auto first, a.read());
        ISOTICK_TRY_ASSIGN(const auto second, b.read());
        return compare_digests(first.bytes(), second.bytes(),
                               [this](const std::string& kind) { return choice_.counts(kind); });
    }

    // A build whose runs differ among themselves says nothing by differing from the good one.
    Result<void> confirm(const SharedFile& file, const DifferingFields& diverged,
                         Judgement& judgement) const {
        judgement.finding = Finding::diverged;
        judgement.signature = signature_of(diverged);
        for (int i = 0; i < kFieldConfirmations; ++i) {
            ISOTICK_TRY_ASSIGN(const auto other, SharedFile::make());
            ISOTICK_TRY(digest(other, Isolation::fresh));
            ISOTICK_TRY_ASSIGN(const auto again, compare(file, other));
            if (again.diverged && again.diverged->ticks_done <= diverged.ticks_done) {
                judgement.finding = Finding::nondeterministic;
                judgement.signature = signature_of(*again.diverged);
                judgement.reason =
                    "two of its runs diverge at " + describe_state(again.diverged->ticks_done);
                return {};
            }
        }
        return {};
    }

    static Signature signature_of(const DifferingFields& diverged) {
        return {diverged.ticks_done, {}, diverged.kinds, true, diverged.ticks_done};
    }

    // The values on both sides.
    Result<FieldReport> look(const DifferingFields& diverged, std::size_t most_fields) const {
        ISOTICK_TRY_ASSIGN(const auto before, dump(good_.run(), diverged.ticks_done));
        ISOTICK_TRY_ASSIGN(const auto after, dump(run_, diverged.ticks_done));
        const auto compared = compare_state_dumps(before.path(), after.path(), most_fields);
        return compared ? only_of(compared->differences, diverged.kinds)
                        : FieldReport{false, {}, describe(compared.error())};
    }

    Result<SharedFile> dump(const TrialRunner& run, std::uint64_t ticks_done) const {
        ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
        ISOTICK_TRY_ASSIGN(const auto digests, SharedFile::make());
        TrialPlan plan = plan_;
        plan.field_digests = FieldDigestRequest{digests.path()};
        plan.dumps = {DumpRequest{file.path(), ticks_done}};
        plan.until = core::Tick{ticks_done == 0 ? 0 : ticks_done - 1};
        return run_one(run, plan, Isolation::forked).map([&](const TrialResult&) {
            return std::move(file);
        });
    }

    GoodFields& good_;
    const TrialRunner& run_;
    TrialPlan plan_;
    const FieldChoice& choice_;
};

}  // namespace

bool FieldChoice::counts(const std::string& kind) const {
    const auto names_it = [&kind](const std::string& name) { return lies_in(kind, name); };
    return (only.empty() || std::ranges::any_of(only, names_it)) &&
           std::ranges::none_of(ignored, names_it);
}

Result<const SharedFile*> GoodFields::digests() {
    if (file_) {
        return &*file_;
    }
    ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
    TrialPlan plan = plan_;
    plan.field_digests = FieldDigestRequest{file.path()};
    ISOTICK_TRY_ASSIGN(const auto result, run_one(run_, plan, Isolation::forked));
    if (result.verdict != Verdict::identical) {
        return core::fail(core::ErrorCode::usage,
                          "hashes cannot be compared here, and the good build's fields cannot be "
                          "looked at: " +
                              result.reason);
    }
    file_.emplace(std::move(file));
    return &*file_;
}

Result<Judgement> judge_by_fields(GoodFields& good, const TrialRunner& candidate,
                                  std::optional<std::uint64_t> most, const FieldChoice& choice,
                                  std::size_t most_fields) {
    return JudgingByFields(good, candidate, most, choice).judge(most_fields);
}

}  // namespace isotick::harness::bisect
