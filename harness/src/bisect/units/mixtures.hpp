#pragma once
// Links mixtures of object files and holds them against the reference.

#include "../compile/compiler.hpp"
#include "../judge/judge.hpp"
#include "../tools/linker.hpp"
#include "build_report.hpp"
#include "culprits.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness::bisect {

/// The object files of a unit, or of what was made of them.
using UnitObjects = std::vector<std::string>;

/// Whether a mixture makes a difference.
[[nodiscard]] Effect effect_of(const Mixed& mixed);

class Mixtures {
  public:
    /// Mixtures are linked below `folder`. `on_mixture` is called with each.
    Mixtures(const Linker& linker, ToolLimits limits, std::string folder,
             std::function<void(const Mixed&)> on_mixture)
        : linker_(linker),
          limits_(std::move(limits)),
          folder_(std::move(folder)),
          on_mixture_(std::move(on_mixture)) {}

    /// Links the object files for each of the linker's units.
    [[nodiscard]] core::Result<Mixed> link(const std::vector<UnitObjects>& objects,
                                           std::string what);

    /// Links them and holds the simulation against `judge`.
    [[nodiscard]] core::Result<Mixed> judge(const std::vector<UnitObjects>& objects,
                                            std::string what, const Judge& judge);

    /// A folder for the next mixture, which does not exist yet.
    [[nodiscard]] std::string next_folder() const {
        return folder_ + "/" + std::to_string(links_ + 1);
    }
    [[nodiscard]] std::uint64_t links() const { return links_; }
    [[nodiscard]] const ToolLimits& limits() const { return limits_; }

  private:
    const Linker& linker_;
    ToolLimits limits_;
    std::string folder_;
    std::function<void(const Mixed&)> on_mixture_;
    std::uint64_t links_ = 0;
};

}  // namespace isotick::harness::bisect
