#include "future.hpp"
#include "probe_json.hpp"
#include "probes.hpp"

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;
using Wire = nlohmann::json;

/// Restores one state.
class Restore {
  public:
    Restore(Stage& stage, std::uint64_t at) : stage_(stage) {
        facts_.at = at;
        facts_.run_on = stage.end_of_run(at) - at;
    }

    /// None where the facts are complete.
    std::optional<SceneEnd> probe() {
        auto future = original_future(stage_, facts_.at);
        if (!future) {
            return std::move(future.error());
        }
        future_ = std::move(*future);
        SceneEnd end = stage_.play(facts_.at, Tampering::no,
                                   [this](Stage::Instance& original) { return restore(original); });
        if (!end.answer) {
            return end;
        }
        end.answer->get_to(facts_);
        if (facts_.outcome == RestoreOutcome::differs && stage_.can(ISOTICK_HAS_FIELDS)) {
            end = stage_.play(facts_.at, Tampering::no, [this](Stage::Instance& original) {
                return compare_fields(original);
            });
            if (end.answer) {
                end.answer->get_to(facts_);
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] const RestoreFacts& facts() const { return facts_; }

  private:
    Wire refused(const char* call, const core::Error& error) {
        facts_.outcome = RestoreOutcome::refused;
        facts_.reason = std::string(call) + error.message;
        return Wire(facts_);
    }

    Result<Wire> restore(Stage::Instance& original) {
        const auto snapshot = stage_.save(*original, facts_.at);
        if (!snapshot) {
            return refused("", snapshot.error());
        }
        facts_.snapshot = snapshot->size();
        auto restored = stage_.create_beside(original);
        if (!restored) {
            return tl::unexpected(restored.error());
        }
        for (const bool set_back : {false, true}) {
            if (auto loaded = stage_.load(*restored, *snapshot, facts_.at); !loaded) {
                return refused("of what save had written: ", loaded.error());
            }
            const auto parting = run_against(stage_, *restored, future_);
            if (!parting) {
                return tl::unexpected(parting.error());
            }
            if (*parting) {
                facts_.outcome = RestoreOutcome::differs;
                facts_.set_back = set_back;
                facts_.difference.ticks_done = (*parting)->ticks_done;
                facts_.difference.parts = (*parting)->parts;
                break;
            }
        }
        return Wire(facts_);
    }

    // Runs both to where they differ, once more.
    Result<Wire> compare_fields(Stage::Instance& original) {
        const std::uint64_t until = facts_.difference.ticks_done;
        const auto snapshot = stage_.save(*original, facts_.at);
        if (!snapshot) {
            return tl::unexpected(snapshot.error());
        }
        if (auto advanced = stage_.advance(*original, facts_.at, until); !advanced) {
            return tl::unexpected(advanced.error());
        }
        const auto before = stage_.fields(*original, until);
        auto restored = stage_.create_beside(original);
        if (!before || !restored) {
            return tl::unexpected(before ? restored.error() : before.error());
        }
        if (auto ran = run_restored(*restored, *snapshot); !ran) {
            return tl::unexpected(ran.error());
        }
        const auto after = stage_.fields(*restored, until);
        if (!after) {
            return tl::unexpected(after.error());
        }
        describe_fields(*before, *after, facts_.difference);
        return Wire(facts_);
    }

    Result<void> run_restored(core::Simulation& restored, const Bytes& snapshot) {
        if (facts_.set_back) {
            auto loaded = stage_.load(restored, snapshot, facts_.at);
            if (!loaded) {
                return loaded;
            }
            const std::uint64_t end = facts_.at + facts_.run_on;
            if (auto ran = stage_.advance(restored, facts_.at, end); !ran) {
                return ran;
            }
        }
        if (auto loaded = stage_.load(restored, snapshot, facts_.at); !loaded) {
            return loaded;
        }
        return stage_.advance(restored, facts_.at, facts_.difference.ticks_done);
    }

    Stage& stage_;
    RestoreFacts facts_;
    Future future_;
};

}  // namespace

void probe_restore(Stage& stage, ProbeResult& result) {
    if (!stage.can(ISOTICK_CAN_SAVE)) {
        return;
    }
    for (const std::uint64_t at : stage.plan().at) {
        Restore restore(stage, at);
        if (const auto end = restore.probe()) {
            return give_up(result, *end);
        }
        result.restores.push_back(restore.facts());
    }
}

}  // namespace isotick::harness
