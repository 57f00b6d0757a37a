#pragma once
// Which bytes of an object were seen.

#include <cstdint>
#include <vector>

namespace isotick::core {

/// Bytes from `begin` up to `end`.
struct ByteRange {
    std::uint64_t begin;
    std::uint64_t end;
    friend auto operator<=>(const ByteRange&, const ByteRange&) = default;
};

/// Ranges that may overlap and come in any order. Cheapest where each begins at the end of the one
/// before, as members that are serialized in order do.
class Coverage {
  public:
    void clear() { ranges_.clear(); }

    void add(ByteRange range) {
        if (!ranges_.empty() && range.begin >= ranges_.back().begin &&
            range.begin <= ranges_.back().end) {
            ranges_.back().end = range.end > ranges_.back().end ? range.end : ranges_.back().end;
        } else if (range.begin < range.end) {
            add_slowly(range);
        }
    }

    /// What of the first `size` bytes is not covered, into `gaps`, in order.
    void find_gaps(std::uint64_t size, std::vector<ByteRange>& gaps);

  private:
    void add_slowly(ByteRange range);
    void merge();

    std::vector<ByteRange> ranges_;
    std::size_t merged_ = 0;  // how many there were after the last merge
};

}  // namespace isotick::core
