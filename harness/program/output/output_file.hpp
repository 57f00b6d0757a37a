#pragma once
// Files and folders that appear only when they are complete.

#include "../../src/system/files.hpp"
#include "../options/options.hpp"
#include "console.hpp"

#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/replay/detail/new_file.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::program {

// What a command may write, and a file of text that it writes.

/// The files that these options, common to many commands, have a command read: a plug-in, a
/// schedule, captures. `schedule` is what they say it is; `other_build` a second simulation.
[[nodiscard]] std::vector<std::string> files_read(const CommonOptions& options,
                                                  const core::Schedule& schedule,
                                                  const std::string& other_build = {});

/// Fails with `usage` unless a file can be written to `path`: it has a name, what is there may be
/// replaced (`force`), and it is none of the files `read`, under any name.
[[nodiscard]] core::Result<void> check_output(const std::string& path, bool force,
                                              const std::vector<std::string>& read);

/// Fails with `usage` if `path` is one of the files `read`, under any name.
[[nodiscard]] core::Result<void> check_is_not_read(const std::string& path,
                                                   const std::vector<std::string>& read);

/// Points to what killed recorders left of recordings that were to replace the one at `path`.
void remark_unfinished(const std::string& path, Console& console);

/// Text on its way into a file, which appears when it is complete, or to stdout. Movable.
class OutputFile {
  public:
    /// `path` "-" is stdout. Fails with `usage` where the path exists and `replace` is off, with
    /// `io` where it cannot be created.
    [[nodiscard]] static core::Result<OutputFile> create(const std::string& path, bool replace);

    [[nodiscard]] core::Result<void> write(std::string_view text);

    /// Closes, and gives the file its name.
    [[nodiscard]] core::Result<void> complete();

  private:
    explicit OutputFile(std::optional<replay::NewFile> file) : file_(std::move(file)) {}

    std::optional<replay::NewFile> file_;  // none: stdout
};

// A folder in which a command leaves several files.

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
