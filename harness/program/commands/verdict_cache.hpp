#pragma once
// Verdicts of earlier runs, kept in a folder and taken from there while nothing has changed.

#include "../../src/run/dependencies.hpp"
#include "../output/console.hpp"
#include "../reporters/report.hpp"
#include "verify_setup.hpp"

#include <isotick/core/result.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace isotick::program {

/// Only what was identical is kept: what failed is always run again.
///
/// A verdict is looked up by all that is known before a run: the contents of the recording and of
/// the other files that the options name, the options, --cache-key, the working directory, the
/// user, this program with its libraries, the processor and the kernel. It counts if everything
/// that the trials read has the same contents: libraries, files, folders, variables of the
/// environment. What is read without the C library, or from sockets, is not seen. Simulations in
/// processes of their own (`exec:`) take a key: many runtimes read without the C library.
///
/// Machines may share the folder: a verdict appears there whole or not at all, and a damaged one
/// counts as missing. Anyone who can write there can forge verdicts. Not thread-safe.
class VerdictCache {
  public:
    /// In what --cache or ISOTICK_CACHE says, which is made if need be; none where neither does.
    /// Fails with `io` where that is no folder and cannot become one.
    [[nodiscard]] static core::Result<std::optional<VerdictCache>> open(
        const VerifyCommandOptions& options, const Prepared& prepared, Console& console);

    /// The verdict on this recording, if there is one that counts.
    [[nodiscard]] std::optional<ReportedRecording> find(const std::string& recording);

    /// Keeps a verdict for later runs. `log`: what its trials have read. Where it cannot be kept,
    /// `console` is told why, for each reason once.
    void keep(const ReportedRecording& verdict, const harness::DependencyLog& log,
              Console& console);

  private:
    VerdictCache(std::string folder, bool has_key)
        : folder_(std::move(folder)), has_key_(has_key) {}

    [[nodiscard]] std::string name_of(const std::string& recording) const;
    [[nodiscard]] std::string place_of(const std::string& name) const;
    [[nodiscard]] const std::string& state_of(const harness::Dependency& one);
    [[nodiscard]] bool was_changed_lately(const std::string& path) const;
    [[nodiscard]] bool holds(const Json& dependencies);
    [[nodiscard]] core::Result<Json> states_of(const std::vector<harness::Dependency>& found,
                                               const std::string& recording);
    [[nodiscard]] core::Result<void> try_to_keep(const ReportedRecording& verdict,
                                                 const harness::DependencyLog& log);

    std::chrono::system_clock::time_point begun_ = std::chrono::system_clock::now();
    std::string folder_;
    bool has_key_;
    std::string base_;  // what is the same for all recordings
    std::map<harness::Dependency, std::string> states_;
    std::map<std::string, std::string>
        names_;  // of verdicts that find has looked for, by recording
    std::set<std::string> said_;
};

}  // namespace isotick::program
