#pragma once
// Where a run's reports go besides stdout: files, folders, and what CI servers ask for.

#include "../command/option_list.hpp"
#include "../output/output_file.hpp"
#include "reporter.hpp"

#include <isotick/core/result.hpp>

#include <set>
#include <string>
#include <vector>

namespace isotick::program {

/// Files that appear when they are complete. Movable.
class ReportFiles {
  public:
    /// What `--report` was given, each `KIND:FILE`, `github`, or a folder for a file of each kind.
    /// Besides, what the surroundings ask for: `github` where GITHUB_ACTIONS is `true`, JUnit in
    /// Bazel's XML_OUTPUT_FILE, a folder `isotick` in its TEST_UNDECLARED_OUTPUTS_DIR. Fails with
    /// `usage` where a place is one of the files `read` or is named twice, with `io` where nothing
    /// can be written there. Files that are there are replaced.
    [[nodiscard]] static core::Result<ReportFiles> create(const std::vector<std::string>& asked,
                                                          const std::vector<std::string>& read);

    [[nodiscard]] bool empty() const { return files_.empty() && folders_.empty() && !for_github_; }

    /// Writes and completes all. What GitHub is told of goes to stderr, where it reads as well.
    [[nodiscard]] core::Result<void> write(const Report& report, Console& console);

  private:
    struct File {
        const Reporter* reporter;
        OutputFile file;
    };

    core::Result<void> take(const std::string& path);
    core::Result<void> add_file(const Reporter& reporter, const std::string& path,
                                const std::vector<std::string>& read);
    core::Result<void> add_folder(const std::string& path, const std::vector<std::string>& read);
    core::Result<void> add(const std::string& asked, const std::vector<std::string>& read);

    std::vector<File> files_;
    std::vector<OutputFolder> folders_;
    std::set<std::string> places_;  // of all reports
    bool for_github_ = false;
};

/// `--report`, for ReportFiles::create.
void add_report(OptionList& list, std::vector<std::string>& asked);

/// Under ctest: measurements for its dashboard, which it takes out of what a test prints. Else
/// empty.
[[nodiscard]] std::string ctest_measurements(const Report& report);

}  // namespace isotick::program
