#pragma once
// One running simulation as everything above the seam sees it: a C table and an instance of it.

#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace isotick::core {

/// The calls that can be queued.
enum class QueuedCall : std::uint8_t { begin_frame, step, render, hash };

/// Owns one instance of a simulation and calls it through its table. A status other than
/// ISOTICK_OK and an exception that leaves a call both come back as an Error with code
/// `simulation` (`usage` for settings that create refuses), naming the call; after that nothing but
/// destruction may follow. Movable; not thread-safe. The table must outlive the Simulation.
class Simulation {
  public:
    /// Checks the table and the setup, then creates an instance in its initial state.
    [[nodiscard]] static Result<Simulation> create(const isotick_simulation_table& table,
                                                   const SimulationSetup& setup);
    ~Simulation();
    Simulation(Simulation&& other) noexcept;
    Simulation& operator=(Simulation&& other) noexcept;

    /// Tells the simulation how long the frame took that begins now.
    [[nodiscard]] Result<void> begin_frame(FrameTime frame_time);

    /// Advances by one tick of the session's constant dt or, where it is given, of `dt`. `inputs`
    /// has one entry per player in order and the world's last. Fails with `usage` on another dt
    /// than the constant one where the simulation does not say that it takes one that changes.
    [[nodiscard]] Result<void> step(Tick tick, std::span<const isotick_input> inputs,
                                    std::optional<TickDt> dt = {});

    /// As step(), with whatever dt the arguments have: for hosts that pass on what they are told.
    [[nodiscard]] Result<void> step(const isotick_step& arguments);

    /// Has `listener` told of each checkpoint that steps come to from now on; an empty one: nobody.
    /// It may call hash() of this simulation, and nothing else, and must not throw. Steps that can
    /// be queued have no checkpoints, nor have those whose arguments are passed on.
    void listen(std::function<void(const char* name)> listener) { listener_ = std::move(listener); }

    /// Renders headless at `alpha` in [0, 1).
    [[nodiscard]] Result<void> render(double alpha);

    /// Hashes the state now. The part hashes stay readable through `parts()`.
    [[nodiscard]] Result<StateHash> hash();

    /// The part hashes of the last call of hash(), in order; valid until the next.
    [[nodiscard]] std::span<const PartHash> parts() const { return parts_; }

    /// The parts' names, in order; known after the first call of hash() and constant from then on.
    [[nodiscard]] const std::vector<std::string>& part_names() const { return part_names_; }

    /// Whether begin_frame() and render() call anything.
    [[nodiscard]] bool takes_frames() const { return table_->begin_frame != nullptr; }
    [[nodiscard]] bool renders() const { return table_->render != nullptr; }

    /// Whether calls can be queued (ISOTICK_QUEUES_CALLS): made without waiting for their end. Each
    /// must be settled, in order, before any function but these and the destructor is called.
    [[nodiscard]] bool queues_calls() const { return has(ISOTICK_QUEUES_CALLS); }

    /// Requires takes_frames() and queues_calls(), as what follows requires them.
    [[nodiscard]] Result<void> queue_begin_frame(FrameTime frame_time);
    [[nodiscard]] Result<void> queue_step(Tick tick, std::span<const isotick_input> inputs,
                                          std::optional<TickDt> dt = {});
    [[nodiscard]] Result<void> queue_render(double alpha);  ///< requires renders()
    [[nodiscard]] Result<void> queue_hash();

    /// Waits for the end of the oldest queued call, which was `call`, of `tick` where that is a
    /// step. After a hash parts() has the part hashes, and hash_parts() of them is the state's.
    [[nodiscard]] Result<void> settle(QueuedCall call, Tick tick);

    /// Whether it is known which settings the simulation looks at (ISOTICK_COUNTS_READS).
    [[nodiscard]] bool counts_reads() const { return has(ISOTICK_COUNTS_READS); }
    /// Whether it has looked at that setting so far. Requires counts_reads().
    [[nodiscard]] bool has_read_config(const std::string& key) const;
    [[nodiscard]] bool has_read_environment(const std::string& key) const;

    [[nodiscard]] bool has_bot() const { return table_->propose_input != nullptr; }

    /// Asks the simulation's bot for `player`'s input (ISOTICK_WORLD: the world's) for `tick`,
    /// drawing chance from `entropy` only. The result points into `buffer`, which is resized; it
    /// is absent where the bot makes none. Requires has_bot().
    [[nodiscard]] Result<isotick_input> propose_input(std::uint32_t player, Tick tick,
                                                      std::uint64_t entropy,
                                                      std::vector<std::uint8_t>& buffer);

    /// Whether save, load and their like can be called.
    [[nodiscard]] bool can_save() const { return has(ISOTICK_CAN_SAVE); }
    [[nodiscard]] bool has_fields() const { return has(ISOTICK_HAS_FIELDS); }
    [[nodiscard]] bool has_memory() const { return has(ISOTICK_HAS_MEMORY); }

    /// A snapshot of the state, for load() in a simulation of the same build and setup. At most
    /// kLargestState bytes (code `limit`). Requires can_save().
    [[nodiscard]] Result<std::vector<std::byte>> save();

    /// As save(), into `bytes`, whose memory is reused.
    [[nodiscard]] Result<void> save_into(std::vector<std::byte>& bytes);

    /// Replaces the state by a snapshot, which may be damaged or hostile. Requires can_save().
    [[nodiscard]] Result<void> load(std::span<const std::byte> snapshot);

    /// The state's fields as a field stream (core/FIELDS.md), for compare_fields and state dumps.
    /// At most kLargestState bytes. Requires has_fields().
    [[nodiscard]] Result<std::vector<std::byte>> fields();

    /// As fields(), into a sink, such as FieldComparison's.
    [[nodiscard]] Result<void> write_fields(isotick_sink sink);

    /// Shows `visitor` where the state lies in memory. The addresses hold until the next call of a
    /// function other than hash(), save(), fields() and their like. Requires has_memory().
    /// memory_map.hpp sums it up.
    [[nodiscard]] Result<void> visit_memory(const isotick_memory_visitor& visitor);

    /// Whether it can note which code changes its state (ISOTICK_NOTES_WRITES).
    [[nodiscard]] bool notes_writes() const { return has(ISOTICK_NOTES_WRITES); }

    /// Has it note each change of its state from now on. Requires notes_writes().
    [[nodiscard]] Result<void> begin_noting_writes();

    /// What it has noted since, in the form of harness/PROTOCOL.md; it notes no more. Requires
    /// notes_writes().
    [[nodiscard]] Result<std::vector<std::byte>> take_noted_writes();

    [[nodiscard]] const isotick_info& info() const { return *table_->info; }

  private:
    struct Reads;  // of settings, by the simulation

    Simulation(const isotick_simulation_table& table, std::shared_ptr<Reads> reads,
               isotick_simulation* instance, TickRate rate, std::vector<char> message_text)
        : table_(&table),
          reads_(std::move(reads)),
          instance_(instance),
          dt_(rate),
          dt_seconds_(dt_.seconds()),
          message_text_(std::move(message_text)) {}

    [[nodiscard]] Result<void> queue_step(const isotick_step& arguments);
    [[nodiscard]] bool has(std::uint64_t capability) const {
        return (table_->info->capabilities & capability) != 0;
    }
    [[nodiscard]] Result<void> take_parts(std::size_t count);  // of raw_parts_
    [[nodiscard]] Result<void> take_name(std::size_t part, const char* name);

    const isotick_simulation_table* table_;
    std::shared_ptr<Reads> reads_;
    isotick_simulation* instance_;
    TickDt dt_;                       // the constant one
    double dt_seconds_;               // of it
    std::vector<char> message_text_;  // what a failing call says; cleared once, not for each call
    std::vector<isotick_part> raw_parts_;
    std::vector<PartHash> parts_;
    std::vector<std::string> part_names_;
    std::vector<const char*> raw_names_;         // as given last: one pointer stands for one name
    std::function<void(const char*)> listener_;  // to checkpoints
};

}  // namespace isotick::core
