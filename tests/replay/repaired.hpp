#pragma once
// A small recording to be damaged, and what repair makes of it.

#include "fake_session.hpp"
#include "scratch.hpp"

#include <isotick/replay/repair.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace isotick::replay {

void PrintTo(const TickRange& range, std::ostream* out);

using Ranges = std::vector<TickRange>;
using Lost = std::vector<std::pair<std::uint64_t, std::optional<std::uint64_t>>>;

/// Records small_session to `whole`; tests damage it and look at what repair makes of that.
class RepairTest : public Scratch {
  protected:
    static constexpr std::size_t kTickChunks = 4;

    void SetUp() override { record(); }
    /// Records session_ anew.
    void record();

    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
    [[nodiscard]] Corruption whole() const { return Corruption(bytes_); }
    [[nodiscard]] std::size_t head_size() const { return chunks_[0]; }
    /// Where a chunk begins: those of ticks, the final one, index, end mark, the file's end.
    [[nodiscard]] std::size_t chunk_at(std::size_t n) const { return chunks_.at(n); }
    [[nodiscard]] std::vector<std::byte> chunk(std::size_t n) const;
    /// The number of the chunk in which a byte lies.
    [[nodiscard]] std::size_t chunk_with(std::size_t offset) const;
    /// A chunk of a session with other inputs, which may be longer.
    [[nodiscard]] std::vector<std::byte> foreign_chunk(std::size_t n, std::uint64_t ticks = 200);

    /// Saves the file as `damaged` and repairs it to `out`, which may exist.
    RepairReport repaired(const Corruption& damaged);

    /// What was saved, which may be empty, and what was left.
    static Ranges ranges(const RepairReport& report);
    static Lost lost(const RepairReport& report);
    [[nodiscard]] Ranges all_ticks() const { return {{{0}, {session_.ticks}}}; }
    /// What is left and what is lost without the n-th tick chunk of small_session.
    [[nodiscard]] Ranges without_chunk(std::uint64_t n) const;
    [[nodiscard]] Lost lost_chunk(std::uint64_t n) const;

    /// Reads the output: whether its ticks and hashes are those of the session, it is without
    /// damage, and has an end and a tail if the report says so. What is not, or an empty text.
    std::string what_is_wrong_with_output(const RepairReport& report);
    /// Reads what was not saved, where it is: whether all of it is there, and is the session's.
    std::string what_is_wrong_with_the_rest(const RepairReport& report);

    FakeSession session_ = small_session();

  private:
    std::vector<std::byte> bytes_;
    std::vector<std::size_t> chunks_;
};

}  // namespace isotick::replay
