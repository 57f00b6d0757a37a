#pragma once
// One worker as its parent sees it: a process of this same program that runs requests for it.

#include "../axes/axis.hpp"
#include "../system/channel.hpp"
#include "../system/page.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/progress.hpp>

#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// What a worker is asked to do, as bytes, and how its process is started.
struct Request {
    std::string bytes;
    ProcessSetup process{};
};

/// How a request ended.
struct RequestEnd {
    bool finished = false;     ///< the response is complete and the process ended well
    bool needs_fresh = false;  ///< nothing ran: it has to run in a process of its own
    bool timed_out = false;    ///< it was killed for making no progress
    int kills = 0;             ///< how often it was killed from outside
    std::string response;      ///< where finished
    std::string reason;        ///< where not: what ended the process
    Place place;               ///< where it was then
    bool ahead = false;      ///< it may have been doing something later: its answers lagged behind
    bool cut_off = false;    ///< it could not answer any more
    bool stopped = false;    ///< it was killed for making no progress, and its parent was stopped
    bool fresh = false;      ///< all requests run in newly executed processes of their own
    std::uint32_t left = 0;  ///< processes that it left running
    std::string output;      ///< what the simulation printed
    std::vector<CallSite> stack{};  ///< where not finished: where it was then, if that is known
};

/// Owns the process, which keeps another one that runs foreign code (see keep): destroying it ends
/// all of them. What those processes write into shared memory and files is data: it decides neither
/// who is signaled nor how far is read. Not thread-safe.
class WorkerProcess {
  public:
    enum class Kind {
        fork_server,  ///< loads the simulation once and forks for each request
        fresh,        ///< runs one request itself and ends
    };

    /// Starts `executable` (which must call run_worker when it finds kWorkerArgument).
    /// `most_shared`: bytes of shared memory that all its processes may have together; 0: any.
    [[nodiscard]] static core::Result<WorkerProcess> start(const std::string& executable, Kind kind,
                                                           const ProcessSetup& setup,
                                                           std::uint64_t most_shared);
    ~WorkerProcess();
    WorkerProcess(WorkerProcess&& other) noexcept = default;
    WorkerProcess& operator=(WorkerProcess&& other) noexcept = default;

    /// Hands over a request; the worker must be idle.
    [[nodiscard]] core::Result<void> submit(const std::string& request);

    /// Descriptors to wait on for reading: the end of a request, and output to drain.
    [[nodiscard]] int socket() const { return socket_.get(); }
    [[nodiscard]] int output() const { return output_.get(); }

    /// Reads the output that is there now, without waiting.
    void drain_output();

    /// To be called when socket() is readable. None where the end has not come yet; it has come
    /// once the process has ended.
    [[nodiscard]] std::optional<RequestEnd> take_end();

    /// False once the process has ended: it takes no further request.
    [[nodiscard]] bool alive() const { return process_.id() > 0; }

    /// Has a request that hangs note where it is, and waits until it has done so, for a short
    /// while.
    void ask_where_it_is() const;

    /// Ends the process and all that it started, and with them the request; how it ended.
    ProcessEnd stop();

    [[nodiscard]] std::uint64_t beats() const;

  private:
    WorkerProcess() = default;

    [[nodiscard]] Progress& progress() const { return page_.get()->progress; }
    [[nodiscard]] core::Result<void> open_channel();
    [[nodiscard]] std::vector<std::string> environment_for(const ProcessSetup& setup) const;
    [[nodiscard]] core::Result<void> spawn(const std::string& executable, const ProcessSetup& setup,
                                           std::uint64_t most_shared, int worker_socket,
                                           int worker_output);
    [[nodiscard]] RequestEnd make_end(const EndOfRequest& told, bool was_stopped);
    [[nodiscard]] std::string reason_of(const EndOfRequest& told, const RequestEnd& end) const;

    Process process_;
    ProcessEnd end_;
    Kind kind_ = Kind::fork_server;
    bool keeper_stopped_ = false;  // by a signal, when it was to end
    FileDescriptor socket_;
    FileDescriptor output_;
    FileDescriptor progress_file_;
    FileDescriptor request_;
    FileDescriptor response_;
    FileDescriptor preload_;
    Shared<preload::Page> page_;
    BoundedText printed_;
};

}  // namespace isotick::harness
