#pragma once
// What the functions of isotick.h share: errors as statuses, structs of any size, hashes.

#include <isotick/core/detail/seam/seam_text.hpp>
#include <isotick/core/detail/time/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>
#include <isotick/replay/isotick.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <vector>

namespace isotick::replay::c_api {

[[nodiscard]] std::int32_t status_of(core::ErrorCode code);

/// Writes the error into the message and returns its status.
std::int32_t report(const core::Error& error, isotick_message* message);

/// Runs `body`, which returns a Result<void>; what it throws becomes ISOTICK_ERROR_INTERNAL.
template <class Body>
std::int32_t guard(isotick_message* message, const Body& body) {
    try {
        const core::Result<void> done = body();
        return done ? ISOTICK_OK : report(done.error(), message);
    } catch (const std::exception& thrown) {
        core::detail::write_message(message, thrown.what());
    } catch (...) {
        core::detail::write_message(message, "an exception that is not a std::exception");
    }
    return ISOTICK_ERROR_INTERNAL;
}

/// As guard, for a body that has no error to report: what it throws gives `failed`.
template <class Value, class Body>
Value value_or(Value failed, const Body& body) {
    try {
        return body();
    } catch (...) {
        return failed;
    }
}

/// The struct as this library knows it: members beyond the caller's struct_size are zero, and a
/// null pointer stands for all zeros. Fails with `usage` where struct_size is not set.
template <class Struct>
[[nodiscard]] core::Result<Struct> read_struct(const Struct* given) {
    Struct known{};
    if (given == nullptr) {
        return known;
    }
    if (given->struct_size <= sizeof given->struct_size) {
        return core::fail(core::ErrorCode::usage, "the struct_size of an argument is not set");
    }
    std::memcpy(&known, given, std::min<std::size_t>(given->struct_size, sizeof known));
    return known;
}

/// Fills in as much of the caller's struct as the caller knows.
template <class Struct>
void write_struct(Struct known, Struct* out) {
    known.struct_size = out->struct_size;
    std::memcpy(out, &known, std::min<std::size_t>(known.struct_size, sizeof known));
}

/// None for null.
[[nodiscard]] core::Result<std::optional<core::TickDt>> dt_from_c(const isotick_dt* given);
[[nodiscard]] isotick_dt dt_for_c(core::TickDt dt);

/// Paths are UTF-8, on Windows too.
[[nodiscard]] std::filesystem::path path_from_c(const char* path);

/// Hashes as C++ has them, in memory that is reused.
class HashesFromC {
  public:
    /// Null for null; valid until the next call.
    [[nodiscard]] const TickHashes* operator()(const isotick_hashes* given) {
        if (given == nullptr) {
            return nullptr;
        }
        parts_.clear();
        for (std::uint32_t i = 0; given->parts != nullptr && i < given->part_count; ++i) {
            parts_.push_back({given->parts[i]});
        }
        hashes_ = {{given->state}, parts_};
        return &hashes_;
    }

  private:
    std::vector<core::PartHash> parts_;
    TickHashes hashes_;
};

}  // namespace isotick::replay::c_api
