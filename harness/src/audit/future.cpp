#include "future.hpp"

#include "scene_answers.hpp"

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::size_t kMostFields = 4;

SceneEnd unsettled(const FirstDifference& difference) {
    return {Verdict::nondeterministic,
            "two runs from the same state do not hash alike " +
                std::string(difference.ticks_done == 0 ? "in " : "after ") +
                describe_state(difference.ticks_done) + " in " + core::joined(difference.parts) +
                ": gaps in hash and snapshot cannot be measured"};
}

}  // namespace

Result<std::vector<PartRow>> hash_run(Stage& stage, core::Simulation& simulation,
                                      std::uint64_t at) {
    std::vector<PartRow> rows;
    const std::uint64_t end = stage.end_of_run(at);
    for (std::uint64_t done = at;; ++done) {
        ISOTICK_TRY_ASSIGN(auto row, stage.hash(simulation, done));
        rows.push_back(std::move(row));
        if (done == end) {
            return rows;
        }
        ISOTICK_TRY(stage.step(simulation, done));
    }
}

tl::expected<Future, SceneEnd> run_once(Stage& stage, std::uint64_t at, Tampering tampering,
                                        const Bring& bring) {
    auto run = stage.play(at, tampering, [&](Stage::Instance& original) {
        return bring(original)
            .and_then([&] { return hash_run(stage, *original, at); })
            .map([&](std::vector<PartRow>&& rows) {
                return HashedRun{std::move(rows), stage.part_names()};
            });
    });
    if (!run) {
        return tl::unexpected(std::move(run.error()));
    }
    stage.take_part_names(std::move(run->part_names));
    return Future{at, std::move(run->rows)};
}

tl::expected<Future, SceneEnd> original_future(Stage& stage, std::uint64_t at) {
    const Bring as_it_is = [](Stage::Instance&) { return Result<void>(); };
    ISOTICK_TRY_ASSIGN(auto first, run_once(stage, at, Tampering::no, as_it_is));
    ISOTICK_TRY_ASSIGN(const auto again, run_once(stage, at, Tampering::no, as_it_is));
    if (const auto difference = first_difference(stage, first, again)) {
        return tl::unexpected(unsettled(*difference));
    }
    return first;
}

std::optional<FirstDifference> first_difference(const Stage& stage, const Future& one,
                                                const Future& other) {
    for (std::size_t i = 0; i < std::min(one.rows.size(), other.rows.size()); ++i) {
        if (auto parts = stage.differing(one.rows[i], other.rows[i]); !parts.empty()) {
            return FirstDifference{one.at + i, std::move(parts)};
        }
    }
    return std::nullopt;
}

Result<std::optional<FirstDifference>> run_against(Stage& stage, core::Simulation& simulation,
                                                   const Future& future) {
    for (std::size_t i = 0; i < future.rows.size(); ++i) {
        const std::uint64_t done = future.at + i;
        if (i > 0) {
            ISOTICK_TRY(stage.step(simulation, done - 1));
        }
        ISOTICK_TRY_ASSIGN(const auto row, stage.hash(simulation, done));
        if (auto parts = stage.differing(future.rows[i], row); !parts.empty()) {
            return FirstDifference{done, std::move(parts)};
        }
    }
    return std::nullopt;
}

void describe_fields(const Bytes& before, const Bytes& after, StateDifference& difference) {
    const auto compared = core::compare_fields(before, after, kMostFields);
    difference.fields_known = compared.has_value();
    if (!compared) {
        return;
    }
    difference.fields_total = compared->total;
    for (const core::FieldDifference& field : compared->listed) {
        difference.fields.push_back({field.path, to_string(field)});
    }
}

}  // namespace isotick::harness
