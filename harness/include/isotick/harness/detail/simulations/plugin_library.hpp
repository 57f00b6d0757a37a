#pragma once
// A simulation in a shared library.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <string>

namespace isotick::harness {

/// A loaded shared library and the simulation table it exports. The library stays loaded for as
/// long as this object lives; its table and everything made from it must not outlive it. Loading
/// runs the library's initializers. Movable; not thread-safe.
class PluginLibrary {
  public:
    /// Loads `path` and checks its table. Fails with `usage` where there is no such file, or it is
    /// not a plug-in that this isotick can use (wrong architecture, missing symbol, null or newer
    /// table): the message says which.
    [[nodiscard]] static core::Result<PluginLibrary> load(const std::string& path);

    ~PluginLibrary();
    PluginLibrary(PluginLibrary&& other) noexcept;
    PluginLibrary& operator=(PluginLibrary&& other) noexcept;

    [[nodiscard]] const isotick_simulation_table& table() const { return *table_; }

  private:
    explicit PluginLibrary(void* handle) : handle_(handle) {}

    void* handle_;
    const isotick_simulation_table* table_ = nullptr;
};

}  // namespace isotick::harness
