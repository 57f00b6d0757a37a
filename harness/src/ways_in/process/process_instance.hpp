#pragma once
// One simulation in a process of its own.

#include "connection.hpp"
#include "process_info.hpp"

#include <isotick/core/plugin.h>
#include <isotick/harness/detail/simulations/process_simulation.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace isotick::harness {

/// What a process is asked for between create and the end of its stdin. The first four only queue;
/// `settle` takes their answers, in order. The others wait for theirs, and require that everything
/// is settled.
class ProcessInstance {
  public:
    /// Starts `command` and creates the simulation there. Fails where it is not the simulation that
    /// `facts` tells of, any more. How it ends is added to `notes`, which must outlive it.
    [[nodiscard]] static core::Result<std::unique_ptr<ProcessInstance>> create(
        const std::string& command, const ProcessInfo& facts, const isotick_setup& setup,
        ProcessNotes& notes);
    ~ProcessInstance();
    ProcessInstance(const ProcessInstance&) = delete;
    ProcessInstance& operator=(const ProcessInstance&) = delete;

    [[nodiscard]] core::Result<void> begin_frame(std::int64_t frame_time_ns);
    [[nodiscard]] core::Result<void> step(const isotick_step& step);
    [[nodiscard]] core::Result<void> render(double alpha);
    [[nodiscard]] core::Result<void> hash();

    /// Of a hash, writes the parts: their names are valid as long as this object.
    [[nodiscard]] core::Result<void> settle(isotick_part* parts, std::uint32_t capacity,
                                            std::uint32_t& count);

    [[nodiscard]] core::Result<void> propose_input(isotick_proposal& proposal);
    [[nodiscard]] core::Result<void> write_to(const isotick_sink& sink, Verb verb);
    [[nodiscard]] core::Result<void> load(const std::uint8_t* data, std::uint64_t size);

  private:
    ProcessInstance(Connection connection, ProcessNotes& notes)
        : connection_(std::move(connection)), notes_(&notes) {}

    [[nodiscard]] core::Result<void> queue(Verb verb);
    [[nodiscard]] core::Result<Answer> answer(Verb verb);
    [[nodiscard]] core::Result<void> take_part_names();

    Connection connection_;
    ProcessNotes* notes_;
    std::deque<Verb> queued_;
    std::vector<std::string> part_names_;
};

/// Hands the body of a good answer to `sink`.
[[nodiscard]] core::Result<void> answer_into(const isotick_sink& sink,
                                             const core::Result<Answer>& answer);

}  // namespace isotick::harness
