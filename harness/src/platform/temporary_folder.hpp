#pragma once
// A folder that vanishes with the process that made it, however that ends.

#include <isotick/core/result.hpp>

#include <cstdint>
#include <string>

namespace isotick::harness {

/// The folder for temporary files: what TMPDIR says, else the system's.
[[nodiscard]] std::string temporary_place();

/// Removed with all that is in it by the destructor, or by the cleanup process when this process
/// was ended before. Movable.
class TemporaryFolder {
  public:
    /// A new one in `parent`, whose name begins with `prefix`. `mode`: who may enter it, as for
    /// mkdir. Fails with `io`.
    [[nodiscard]] static core::Result<TemporaryFolder> make(const std::string& parent,
                                                            const std::string& prefix,
                                                            std::uint32_t mode);

    /// One for whoever makes it later, for this user alone: only its name is new.
    [[nodiscard]] static core::Result<TemporaryFolder> reserve(const std::string& parent,
                                                               const std::string& prefix);

    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder&& other) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;

    /// Absolute.
    [[nodiscard]] const std::string& path() const { return path_; }

    /// It has become something else, and stays.
    void keep();

  private:
    explicit TemporaryFolder(std::string path);

    std::string path_;  // empty: there is none
    int maker_;         // a copy of this process removes nothing
};

}  // namespace isotick::harness
