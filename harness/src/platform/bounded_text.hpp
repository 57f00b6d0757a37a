#pragma once
// The output of a process, without room for a process that never stops printing.

#include <cstddef>
#include <string>
#include <string_view>

namespace isotick::harness {

/// Keeps the first and the last bytes of what is added, and counts the rest.
class BoundedText {
  public:
    void add(std::string_view text) {
        const std::size_t room = kKept - beginning_.size();
        beginning_ += text.substr(0, room);
        if (text.size() > room) {
            end_ += text.substr(room);
        }
        if (end_.size() > 2 * kKept) {
            dropped_ += end_.size() - kKept;
            end_.erase(0, end_.size() - kKept);
        }
    }

    void clear() { *this = {}; }

    [[nodiscard]] std::string text() const {
        if (dropped_ == 0) {
            return beginning_ + end_;
        }
        return beginning_ + "\n… " + std::to_string(dropped_) + " bytes left out …\n" + end_;
    }

  private:
    static constexpr std::size_t kKept = 8192;

    std::string beginning_;
    std::string end_;
    std::size_t dropped_ = 0;
};

}  // namespace isotick::harness
