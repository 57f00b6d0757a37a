#pragma once
// Calls from another working directory.

#include "../../platform/posix.hpp"

#include <isotick/core/result.hpp>

#include <memory>
#include <string>

namespace isotick::harness {

/// The working directory of a simulation, where it is not the host's: the host's own files, whose
/// paths may be relative, stay where they are. Where the simulation changes it, it stays changed
/// for the calls to come.
class OtherFolder {
  public:
    [[nodiscard]] static core::Result<std::unique_ptr<OtherFolder>> make(const std::string& path);

    void enter() const;
    void leave();

  private:
    OtherFolder(FileDescriptor host, FileDescriptor simulation)
        : host_(std::move(host)), simulation_(std::move(simulation)) {}

    FileDescriptor host_;
    FileDescriptor simulation_;
};

/// In that folder as long as it lives; null: anywhere.
class InOtherFolder {
  public:
    explicit InOtherFolder(OtherFolder* folder) : folder_(folder) {
        if (folder_ != nullptr) {
            folder_->enter();
        }
    }
    ~InOtherFolder() {
        if (folder_ != nullptr) {
            folder_->leave();
        }
    }
    InOtherFolder(const InOtherFolder&) = delete;
    InOtherFolder& operator=(const InOtherFolder&) = delete;

  private:
    OtherFolder* folder_;
};

}  // namespace isotick::harness
