#pragma once
// The stage of a probe: a session played up to a tick, copied for each scene.

#include "../run/messages.hpp"
#include "../system/copied_process.hpp"
#include "../system/float_control.hpp"

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/probe.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace isotick::harness {

// The beginning of a recorded session, held in memory so that many instances can be run over it.

/// Immutable once read. Movable.
class SessionTicks {
  public:
    /// Reads the first `most` intact ticks, fewer where their inputs take more than 256 MiB. Fails
    /// where the recording cannot be opened, and where there is no tick.
    [[nodiscard]] static core::Result<SessionTicks> read(const std::string& path,
                                                         std::uint64_t most);

    [[nodiscard]] const replay::RecordingHead& head() const { return head_; }
    [[nodiscard]] std::uint64_t ticks() const { return recorded_.size() - 1; }
    /// The inputs of a tick: players in order, the world last.
    [[nodiscard]] std::span<const isotick_input> inputs(std::uint64_t tick) const {
        return std::span(inputs_).subspan(tick * columns_, columns_);
    }
    /// The same with every input absent.
    [[nodiscard]] std::span<const isotick_input> no_inputs() const { return absent_; }
    /// The dt of a tick, where it has one of its own.
    [[nodiscard]] std::optional<core::TickDt> dt(std::uint64_t tick) const { return dts_[tick]; }
    [[nodiscard]] std::uint64_t inputs_present() const;

    /// The hash that was recorded after so many ticks; none where none is stored.
    [[nodiscard]] std::optional<core::StateHash> recorded(std::uint64_t ticks_done) const {
        return recorded_[ticks_done];
    }

  private:
    void keep(std::span<const isotick_input> inputs);
    void point_inputs_to_bytes();

    replay::RecordingHead head_;
    std::size_t columns_ = 0;
    std::vector<isotick_input> inputs_;
    std::vector<isotick_input> absent_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::optional<core::TickDt>> dts_;
    std::vector<std::optional<core::StateHash>> recorded_;
};

// Where a probe plays: instances of the simulation, the session they are run over, and copies of
// the process in which anything may be done to them.

/// The part hashes of one state.
using PartRow = std::vector<std::uint64_t>;
using Bytes = std::vector<std::byte>;

/// How a scene ended that gave no answer.
struct SceneEnd {
    Verdict verdict = Verdict::crashed;  ///< or timed_out
    std::string reason;
};

template <class Answer>
using Played = tl::expected<Answer, SceneEnd>;

/// Whether a scene does something to the simulation that it cannot be expected to survive.
enum class Tampering { no, yes };

/// Not thread-safe. Each call into a simulation shows in the progress; calls that fail end with
/// the simulation's own Error, told where.
class Stage {
  public:
    using Instance = std::optional<core::Simulation>;

    /// All must outlive the stage.
    Stage(const ProbePlan& plan, const isotick_simulation_table& table, Progress& progress);

    /// Reads the recording. To be called once, before anything else.
    [[nodiscard]] core::Result<void> open();

    [[nodiscard]] const ProbePlan& plan() const { return plan_; }
    [[nodiscard]] const SessionTicks& session() const { return *session_; }
    [[nodiscard]] std::uint64_t capabilities() const { return table_.info->capabilities; }
    [[nodiscard]] bool can(std::uint64_t capability) const {
        return (capabilities() & capability) != 0;
    }
    /// There can be copies of its process in which to ruin it.
    [[nodiscard]] bool can_tamper() const { return !can(ISOTICK_OWN_THREADS); }
    [[nodiscard]] bool can_tamper_with_memory() const {
        return (can(ISOTICK_HAS_MEMORY) || !plan_.globals.empty()) && can_tamper();
    }
    [[nodiscard]] const isotick_simulation_table& table() const { return table_; }
    /// Where the library is loaded that the plan's globals are in.
    [[nodiscard]] std::uint64_t library_base() const { return library_base_; }
    /// Ticks simulated so far, in copies too.
    [[nodiscard]] std::uint64_t work() const { return work_; }
    /// The last state of a run that begins with `ticks_done`, by ticks done.
    [[nodiscard]] std::uint64_t end_of_run(std::uint64_t ticks_done) const;

    /// Plays a scene with an instance that has run `ticks_done` ticks, in a copy of the process; so
    /// the original is whole again for the next. Where simulations have threads of their own there
    /// are no copies: then it plays here, with a new instance. Descending ticks cost time. A scene
    /// takes an Instance& and returns the Result of an answer that is a message (messages.hpp).
    template <class Scene>
    [[nodiscard]] auto play(std::uint64_t ticks_done, Tampering tampering, const Scene& scene) {
        using Answer = typename std::invoke_result_t<const Scene&, Instance&>::value_type;
        return play_for_bytes(ticks_done, tampering,
                              [&](Instance& original) {
                                  return scene(original).map(
                                      [](const Answer& answer) { return to_bytes(answer); });
                              })
            .and_then(answer_of<Answer>);
    }

    // What scenes are made of.
    [[nodiscard]] core::Result<core::Simulation> create();
    /// A new instance; the original is gone where there can only be one at a time.
    [[nodiscard]] core::Result<core::Simulation> create_beside(Instance& original);
    [[nodiscard]] core::Result<void> step(core::Simulation& simulation, std::uint64_t tick);
    [[nodiscard]] core::Result<void> step_without_inputs(core::Simulation& simulation,
                                                         std::uint64_t tick);
    [[nodiscard]] core::Result<void> advance(core::Simulation& simulation, std::uint64_t from,
                                             std::uint64_t to);
    [[nodiscard]] core::Result<PartRow> hash(core::Simulation& simulation,
                                             std::uint64_t ticks_done);
    [[nodiscard]] core::Result<Bytes> save(core::Simulation& simulation, std::uint64_t ticks_done);
    [[nodiscard]] core::Result<void> load(core::Simulation& simulation,
                                          std::span<const std::byte> snapshot,
                                          std::uint64_t ticks_done);
    [[nodiscard]] core::Result<Bytes> fields(core::Simulation& simulation,
                                             std::uint64_t ticks_done);
    [[nodiscard]] core::Result<void> begin_frame(core::Simulation& simulation,
                                                 core::FrameTime frame_time,
                                                 std::uint64_t ticks_done);
    [[nodiscard]] core::Result<void> render(core::Simulation& simulation, double alpha,
                                            std::uint64_t ticks_done);
    /// Asks the bot for everybody's input, and drops it.
    [[nodiscard]] core::Result<void> propose(core::Simulation& simulation, std::uint64_t entropy,
                                             std::uint64_t ticks_done);
    void enter(Activity activity, std::uint64_t ticks_done);

    /// The calls that left the floating-point control words of their thread other than they were,
    /// each at its first time, in copies too. What calls leave that must not is undone, so that no
    /// other call is blamed for it, until `keep` is set.
    [[nodiscard]] const std::vector<FloatLeak>& float_leaks() const { return float_leaks_; }
    /// What this machine lacked to make a copy of the process.
    [[nodiscard]] const std::optional<core::Error>& shortage() const { return shortage_; }
    void keep_float_control(bool keep) { keep_float_control_ = keep; }

    /// The names of the parts that differ, but for those to be ignored.
    [[nodiscard]] std::vector<std::string> differing(const PartRow& a, const PartRow& b) const;
    /// The parts' names, known after the first hash; what a copy knows is to be taken over.
    [[nodiscard]] const std::vector<std::string>& part_names() const { return part_names_; }
    void take_part_names(std::vector<std::string> names) { part_names_ = std::move(names); }
    /// From now on these are ignored as well.
    void ignore(const std::vector<std::string>& parts);

  private:
    using SceneInBytes = std::function<core::Result<std::string>(Instance& original)>;

    template <class Answer>
    [[nodiscard]] static Played<Answer> answer_of(const std::string& bytes) {
        return from_bytes<Answer>(bytes).map_error(unreadable);
    }
    [[nodiscard]] static SceneEnd unreadable(const core::Error& error);
    [[nodiscard]] Played<std::string> play_for_bytes(std::uint64_t ticks_done, Tampering tampering,
                                                     const SceneInBytes& scene);
    [[nodiscard]] core::Result<void> bring_original_to(std::uint64_t ticks_done);
    [[nodiscard]] std::string report_of(Instance& original, const SceneInBytes& scene);
    [[nodiscard]] Played<std::string> play_here(std::uint64_t ticks_done,
                                                const SceneInBytes& scene);
    [[nodiscard]] Played<std::string> take_report(const std::string& bytes);
    [[nodiscard]] core::Result<void> check_dts() const;
    [[nodiscard]] core::Result<void> step(core::Simulation& simulation, std::uint64_t tick,
                                          std::span<const isotick_input> inputs);
    [[nodiscard]] core::Error placed(core::Error error) const;
    template <class Function>
    auto watched(const char* call, std::uint64_t ticks_done, const Function& function);
    void compare_float_control(const char* call, std::uint64_t ticks_done,
                               const FloatControl& before);

    const ProbePlan& plan_;
    const isotick_simulation_table& table_;
    Progress* progress_;
    std::optional<SessionTicks> session_;
    core::SimulationSetup setup_;
    Instance original_;
    std::uint64_t original_at_ = 0;
    std::uint64_t work_ = 0;
    std::uint64_t library_base_ = 0;
    std::vector<std::string> part_names_;
    std::vector<std::string> ignored_;
    std::vector<FloatLeak> float_leaks_;
    std::optional<core::Error> shortage_;
    bool keep_float_control_ = false;
    FloatControl float_control_ = FloatControl::now();
};

}  // namespace isotick::harness
