#include "future.hpp"

#include <isotick/core/field_difference.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;
using Wire = nlohmann::json;

constexpr std::size_t kMostFields = 4;

Result<std::vector<PartRow>> hash_run(Stage& stage, core::Simulation& simulation,
                                      std::uint64_t at) {
    std::vector<PartRow> rows;
    const std::uint64_t end = stage.end_of_run(at);
    for (std::uint64_t done = at;; ++done) {
        auto row = stage.hash(simulation, done);
        if (!row) {
            return tl::unexpected(row.error());
        }
        rows.push_back(std::move(*row));
        if (done == end) {
            return rows;
        }
        if (auto stepped = stage.step(simulation, done); !stepped) {
            return tl::unexpected(stepped.error());
        }
    }
}

}  // namespace

tl::expected<Future, SceneEnd> original_future(Stage& stage, std::uint64_t at) {
    SceneEnd end = stage.play(at, Tampering::no, [&](Stage::Instance& original) {
        return hash_run(stage, *original, at).map([](const std::vector<PartRow>& rows) {
            return Wire(rows);
        });
    });
    if (!end.answer) {
        return tl::unexpected(std::move(end));
    }
    return Future{at, end.answer->get<std::vector<PartRow>>()};
}

Result<std::optional<Parting>> run_against(Stage& stage, core::Simulation& simulation,
                                           const Future& future) {
    for (std::size_t i = 0; i < future.rows.size(); ++i) {
        const std::uint64_t done = future.at + i;
        if (i > 0) {
            if (auto stepped = stage.step(simulation, done - 1); !stepped) {
                return tl::unexpected(stepped.error());
            }
        }
        const auto row = stage.hash(simulation, done);
        if (!row) {
            return tl::unexpected(row.error());
        }
        if (auto parts = stage.differing(future.rows[i], *row); !parts.empty()) {
            return Parting{done, std::move(parts)};
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
        difference.fields.push_back(to_string(field));
    }
}

}  // namespace isotick::harness
