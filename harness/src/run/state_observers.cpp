#include "state_observers.hpp"

#include "../system/posix.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/core/snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

// State dumps on their way from a simulation into a file.

/// Replaces the content of the file at `path`, which must exist, by a dump of the state now, which
/// `ticks_done` ticks made. Fails with `usage` where the simulation has no fields, with
/// `simulation` or `limit` where it cannot write them, with `io` where the file cannot be written.
[[nodiscard]] core::Result<void> write_state_dump(core::Simulation& simulation,
                                                  std::uint64_t ticks_done,
                                                  const std::string& path);

/// The dump that this would write, in memory; empty where it would be larger than `most` bytes or
/// cannot be made.
[[nodiscard]] std::vector<std::byte> state_dump(core::Simulation& simulation,
                                                std::uint64_t ticks_done, std::size_t most);

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// A file that a field stream is written into. Keeps the first failure.
class DumpFile {
  public:
    explicit DumpFile(const std::string& path)
        : path_(path), file_(open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)) {
        if (file_.get() < 0) {
            fail_with_errno("cannot be opened for writing");
        }
    }

    [[nodiscard]] isotick_sink sink() {
        return {this, [](void* context, const void* data, std::uint64_t size) -> std::int32_t {
                    DumpFile& self = *static_cast<DumpFile*>(context);
                    return self.write(static_cast<const char*>(data), size) ? ISOTICK_OK
                                                                            : ISOTICK_FAILED;
                }};
    }

    bool write(const char* data, std::uint64_t size) {
        if (error_) {
            return false;
        }
        if (size > core::kLargestState - written_) {
            error_ = Error{
                ErrorCode::limit, "the state is larger than a state dump may be", path_, {}, {}};
            return false;
        }
        written_ += size;
        if (!write_all(file_.get(), {data, static_cast<std::size_t>(size)})) {
            fail_with_errno("cannot be written");
            return false;
        }
        return true;
    }

    [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  private:
    void fail_with_errno(const std::string& what) {
        error_ = system_failure("the state dump " + what).value();
        error_->file = path_;
    }

    std::string path_;
    FileDescriptor file_;
    std::uint64_t written_ = 0;
    std::optional<Error> error_;
};

Result<std::vector<std::byte>> head_of(core::Simulation& simulation, std::uint64_t ticks_done) {
    const isotick_info& info = simulation.info();
    return simulation.hash().and_then([&](core::StateHash hash) {
        return core::state_dump_head(
            {info.name, ticks_done, std::string(core::hash_algorithm(info)), hash.value});
    });
}

/// Collects a field stream as long as there is room for it.
struct BoundedBytes {
    std::vector<std::byte> bytes;
    std::size_t most;

    [[nodiscard]] isotick_sink sink() {
        return {this, [](void* context, const void* data, std::uint64_t size) -> std::int32_t {
                    BoundedBytes& self = *static_cast<BoundedBytes*>(context);
                    if (size > self.most - self.bytes.size()) {
                        return ISOTICK_FAILED;
                    }
                    const auto* begin = static_cast<const std::byte*>(data);
                    self.bytes.insert(self.bytes.end(), begin, begin + size);
                    return ISOTICK_OK;
                }};
    }
};

}  // namespace

std::vector<std::byte> state_dump(core::Simulation& simulation, std::uint64_t ticks_done,
                                  std::size_t most) {
    if (!simulation.has_fields()) {
        return {};
    }
    auto head = head_of(simulation, ticks_done);
    if (!head || head->size() > most) {
        return {};
    }
    BoundedBytes dump{*std::move(head), most};
    const auto written = simulation.write_fields(dump.sink());
    return written ? std::move(dump.bytes) : std::vector<std::byte>();
}

Result<void> write_state_dump(core::Simulation& simulation, std::uint64_t ticks_done,
                              const std::string& path) {
    const isotick_info& info = simulation.info();
    if (!simulation.has_fields()) {
        return core::fail(ErrorCode::usage, std::string(info.name) +
                                                " does not show its fields (ISOTICK_HAS_FIELDS)");
    }
    ISOTICK_TRY_ASSIGN(const auto head, head_of(simulation, ticks_done));
    DumpFile file(path);
    file.write(reinterpret_cast<const char*>(head.data()), head.size());
    auto written = simulation.write_fields(file.sink());
    return file.error() ? tl::unexpected(*file.error()) : written;
}

using core::Result;

Result<void> StateObservers::open() {
    if (plan_.field_digests) {
        ISOTICK_TRY_ASSIGN(auto file,
                           FieldDigestFile::open(*plan_.field_digests, calls_.simulation()));
        digests_.emplace(std::move(file));
    }
    if (plan_.writes) {
        writes_.emplace(*plan_.writes, calls_.progress());
    }
    if (plan_.watch) {
        ISOTICK_TRY_ASSIGN(auto file, FieldWatch::open(*plan_.watch, calls_.simulation()));
        watch_.emplace(std::move(file));
    }
    return {};
}

Result<void> StateObservers::watch(core::Tick tick) {
    return watch_ ? watch_->look(calls_.during(Activity::showing_fields), tick) : Result<void>();
}

Result<void> StateObservers::digest(std::uint64_t ticks_done) {
    return digests_ ? digests_->look(calls_.during(Activity::showing_fields), ticks_done)
                    : Result<void>();
}

void StateObservers::watch_writes() {
    if (writes_ && plan_.writes->steps == steps() + 1) {
        loads_ = result_.statistics.state_loads;
        writes_->begin(calls_.during(Activity::visiting));
    }
}

void note_reached(std::vector<std::string>& reached, std::string_view name) {
    if (reached.size() == kMostReached) {
        return;
    }
    std::string printable = core::printable(name);
    if (std::ranges::find(reached, printable) == reached.end()) {
        reached.push_back(std::move(printable));
    }
}

void StateObservers::take_checkpoint(const char* name) {
    if (!hashed_ || result_.checkpoints.size() == kMostCheckpoints) {
        return;
    }
    core::Simulation& simulation = calls_.during(Activity::hashing);
    hashed_ = simulation.hash().map([&](core::StateHash hash) {
        const auto parts = simulation.parts();
        result_.checkpoints.push_back(
            {name == nullptr ? "" : core::printable(name), hash, {parts.begin(), parts.end()}});
    });
    calls_.during(Activity::stepping);
}

// After a failure of the simulation's nothing more may be asked of it.
void StateObservers::dump(std::uint64_t ticks_done, bool is_last) {
    keep_diverged(ticks_done);
    for (const DumpRequest& dump : plan_.dumps) {
        if (result_.dump_failed || (dump.steps ? *dump.steps != steps() : !is_last)) {
            continue;
        }
        auto written =
            write_state_dump(calls_.during(Activity::showing_fields), ticks_done, dump.path);
        result_.dumped = result_.dumped || written.has_value();
        if (!written) {
            result_.dump_failed = std::move(written.error());
        }
    }
}

// Where answers lag behind, the simulation has gone on when a hash is seen to be wrong.
void StateObservers::keep_diverged(std::uint64_t ticks_done) {
    if (plan_.keep_diverged_state && result_.divergence &&
        result_.divergence->computed.steps == steps()) {
        result_.diverged_state =
            state_dump(calls_.during(Activity::showing_fields), ticks_done, kLargestKeptState);
    }
}

}  // namespace isotick::harness
