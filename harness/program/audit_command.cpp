#include "audit_report.hpp"
#include "options.hpp"
#include "record_plan.hpp"
#include "text.hpp"

#include <isotick/harness/audit.hpp>
#include <isotick/replay/reader.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::AuditReport;
using harness::Verdict;

/// A folder for the recording of a session that nobody asked to keep.
class TemporaryFolder {
  public:
    static Result<TemporaryFolder> make() {
        std::error_code error;
        std::string name =
            (std::filesystem::temp_directory_path(error) / "isotick-XXXXXX").string();
        if (error || mkdtemp(name.data()) == nullptr) {
            return core::fail(ErrorCode::io, std::string("cannot make a temporary folder: ") +
                                                 (error ? error.message() : std::strerror(errno)));
        }
        return TemporaryFolder(name);
    }
    ~TemporaryFolder() {
        if (!path_.empty()) {
            std::error_code ignored;
            std::filesystem::remove_all(path_, ignored);
        }
    }
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;

    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

  private:
    explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

    std::filesystem::path path_;
};

Result<void> record_session(const RecordOptions& options, const Prepared& prepared,
                            Console& console) {
    const auto facts = facts_from_worker(options.simulation, prepared.worker);
    if (!facts) {
        return tl::unexpected(facts.error());
    }
    const auto plan = plan_record(options, prepared, *facts);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    const auto result = record_in_worker(options.simulation, *plan, prepared.worker);
    if (!result) {
        return tl::unexpected(result.error());
    }
    if (!result->output.empty()) {
        console.remark(printed_output("the simulation", result->output));
    }
    return result->error ? tl::unexpected(*result->error) : Result<void>();
}

Result<AuditReport> audit_recording(const std::string& recording, const std::string& simulation,
                                    const Prepared& prepared) {
    harness::AuditOptions options;
    options.environment = prepared.environment;
    return audit(recording, options,
                 harness::probes_in_worker_processes(simulation, prepared.worker));
}

Result<AuditReport> audit_file(const AuditCommandOptions& options, const Prepared& prepared) {
    std::string simulation = options.simulation;
    if (simulation.empty()) {
        const auto reader = replay::Reader::open(options.recording);
        if (!reader) {
            return tl::unexpected(reader.error());
        }
        simulation = reader->head().session.simulation;
    }
    return audit_recording(options.recording, simulation, prepared)
        .map_error([&](const core::Error& error) { return about(options.recording, error); });
}

Result<AuditReport> audit_own_session(const AuditCommandOptions& options, const Prepared& prepared,
                                      Console& console) {
    if (options.simulation.empty()) {
        return core::fail(
            ErrorCode::usage,
            "name a recording, or a simulation with --sim (see isotick audit --help)");
    }
    const auto folder = TemporaryFolder::make();
    if (!folder) {
        return tl::unexpected(folder.error());
    }
    RecordOptions record = options;
    record.output = folder->file("session.isotick");
    if (auto recorded = record_session(record, prepared, console); !recorded) {
        return tl::unexpected(recorded.error());
    }
    return audit_recording(record.output, options.simulation, prepared).map([](AuditReport report) {
        report.recording.clear();
        return report;
    });
}

}  // namespace

int run_audit_command(const AuditCommandOptions& options, Console& console) {
    const auto prepared = prepare(options, "audit", console);
    if (!prepared) {
        return fail_with(prepared.error(), console);
    }
    const auto report = options.recording.empty() ? audit_own_session(options, *prepared, console)
                                                  : audit_file(options, *prepared);
    if (!report) {
        return fail_with(report.error(), console);
    }
    for (const std::string& output : report->outputs) {
        console.remark(printed_output("the simulation", output));
    }
    if (options.json) {
        console.print(audit_json(*report));
    } else {
        const std::size_t count = report->blind_spots.size();
        console.print(audit_text(*report));
        console.print(console.headline(audit_verdict(*report), report->verdict) +
                      (count == 0 ? "" : "  " + counted(count, "blind spot")) + "\n");
    }
    return exit_code(report->verdict);
}

}  // namespace isotick::program
