#include "state_dump_file.hpp"

#include "../worker/posix.hpp"

#include <isotick/core/fields.hpp>
#include <isotick/core/snapshot.hpp>

#include <fcntl.h>
#include <optional>

namespace isotick::harness {
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

}  // namespace

Result<void> write_state_dump(core::Simulation& simulation, std::uint64_t ticks_done,
                              const std::string& path) {
    const isotick_info& info = simulation.info();
    if (!simulation.has_fields()) {
        return core::fail(ErrorCode::usage, std::string(info.name) +
                                                " does not show its fields (ISOTICK_HAS_FIELDS)");
    }
    const auto hash = simulation.hash();
    if (!hash) {
        return tl::unexpected(hash.error());
    }
    const auto head = core::state_dump_head(
        {info.name, ticks_done, std::string(core::hash_algorithm(info)), hash->value});
    if (!head) {
        return tl::unexpected(head.error());
    }
    DumpFile file(path);
    file.write(reinterpret_cast<const char*>(head->data()), head->size());
    auto written = simulation.write_fields(file.sink());
    return file.error() ? tl::unexpected(*file.error()) : written;
}

}  // namespace isotick::harness
