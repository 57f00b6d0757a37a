#pragma once
// The file that a trial writes watched fields into, as those see it who asked for them.

#include "../platform/mapped_file.hpp"

#include <isotick/core/detail/fields/field_selection.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// The path of one value; fails with `usage` where `text` is none.
[[nodiscard]] core::Result<core::FieldPattern> watched_path(std::string_view text);

/// The values of the watched fields after one tick.
struct WatchedTick {
    std::uint64_t tick = 0;
    std::vector<std::optional<std::string>> values;  ///< none: it does not exist then
};

/// A field that existed after no tick.
struct UnseenField {
    std::size_t field = 0;  ///< its place in the request
    std::string missing;    ///< which step of its path did not exist, and what did
};

class WatchFile {
  public:
    [[nodiscard]] static core::Result<WatchFile> make(std::vector<std::string> fields);

    /// What to ask of a trial; holds as long as this object.
    [[nodiscard]] WatchRequest request() const { return {file_.path(), fields_}; }

    /// Hands the ticks to `take` in order, up to its first failure, which is then returned. Of a
    /// trial that crashed these are the ticks before.
    [[nodiscard]] core::Result<std::vector<UnseenField>> read(
        const std::function<core::Result<void>(const WatchedTick&)>& take) const;

  private:
    WatchFile(SharedFile file, std::vector<std::string> fields)
        : file_(std::move(file)), fields_(std::move(fields)) {}

    SharedFile file_;
    std::vector<std::string> fields_;
};

}  // namespace isotick::harness
