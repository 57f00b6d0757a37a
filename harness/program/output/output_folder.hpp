#pragma once
// A folder in which a command leaves several files.

#include "../../src/platform/temporary_folder.hpp"

#include <isotick/core/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace isotick::program {

/// Files on their way into a folder of the user's. Until they are complete, they are in a folder of
/// their own, `isotick-partial-…` in that folder, or in the one in which it is to be made; that
/// vanishes unless complete is called, however this process ends. Movable.
class OutputFolder {
  public:
    /// `option` is what errors name. `names`: of all files that such a command leaves. Fails with
    /// `io` where nothing can be written to `folder`, if need be after it has been made.
    [[nodiscard]] static core::Result<OutputFolder> create(const char* option, std::string folder,
                                                           std::vector<std::string> names);

    /// Where a file of that name is written to.
    [[nodiscard]] std::string place(const std::string& name) const {
        return partial_.path() + "/" + name;
    }
    [[nodiscard]] const std::string& place() const { return partial_.path(); }

    [[nodiscard]] core::Result<void> write(const std::string& name, std::string_view content) const;

    /// Puts what was written into the user's folder, which is made if need be. Files of those names
    /// that are there from an earlier run are replaced or removed.
    [[nodiscard]] core::Result<void> complete();

  private:
    OutputFolder(std::string folder, std::vector<std::string> names,
                 harness::TemporaryFolder partial)
        : folder_(std::move(folder)), names_(std::move(names)), partial_(std::move(partial)) {}

    std::string folder_;
    std::vector<std::string> names_;
    harness::TemporaryFolder partial_;
};

}  // namespace isotick::program
