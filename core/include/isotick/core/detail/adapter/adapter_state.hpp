#pragma once
// The calls of a C++ simulation's table that show its state: save, load, visit_fields,
// visit_memory. Part of adapter.hpp.

#include <isotick/core/detail/fields/fields.hpp>
#include <isotick/core/detail/memory/visit.hpp>
#include <isotick/core/detail/seam/seam_text.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/simulation_type.hpp>
#include <isotick/core/snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>

#include <cereal/cereal.hpp>

namespace isotick::core::detail {

// Runs `body`; an exception becomes a status and a message.
template <class Body>
std::int32_t guard(isotick_message* message, const Body& body) {
    try {
        body();
        return ISOTICK_OK;
    } catch (const BadSettings& refused) {
        write_message(message, refused.what());
        return ISOTICK_BAD_SETTINGS;
    } catch (const std::exception& thrown) {
        write_message(message, thrown.what());
    } catch (...) {
        write_message(message, "an exception that is not a std::exception");
    }
    return ISOTICK_FAILED;
}

// Both ways through serialize, and not refused by `static constexpr bool kCanSave = false;`.
template <class T>
constexpr bool can_save() {
    if constexpr (requires { T::kCanSave; }) {
        return T::kCanSave;
    } else {
        return cereal::traits::is_output_serializable<T, SaveArchive>::value &&
               cereal::traits::is_input_serializable<T, LoadArchive>::value;
    }
}

// Likewise `kHasFields`.
template <class T>
constexpr bool has_fields() {
    if constexpr (requires { T::kHasFields; }) {
        return T::kHasFields;
    } else {
        return cereal::traits::is_output_serializable<T, FieldArchive>::value;
    }
}

// Likewise `kHasMemory`.
template <class T>
constexpr bool has_memory() {
    if constexpr (requires { T::kHasMemory; }) {
        return T::kHasMemory;
    } else {
        return cereal::traits::is_output_serializable<T, MemoryArchive>::value;
    }
}

// What saving reuses. A simulation's shape is found out once, when it is first needed.
class ShapeMemory {
  public:
    template <class T>
    const Shape& of(const T& simulation) {
        if (!shape_) {
            shape_ = shape_of(simulation);
        }
        return *shape_;
    }

  private:
    std::optional<Shape> shape_;
};

// A is the Adapter, which knows the instance.
template <class A>
struct StateCalls {
    static std::int32_t save(isotick_simulation* handle, const isotick_sink* sink,
                             isotick_message* message) {
        return guard(message, [&] {
            auto& self = A::instance(handle);
            save_snapshot(self.simulation, self.shape.of(self.simulation), *sink);
        });
    }

    static std::int32_t load(isotick_simulation* handle, const std::uint8_t* data,
                             std::uint64_t size, isotick_message* message) {
        return guard(message, [&] {
            auto& self = A::instance(handle);
            const std::span bytes(data, static_cast<std::size_t>(size));
            load_snapshot(self.simulation, self.shape.of(self.simulation), std::as_bytes(bytes));
        });
    }

    static std::int32_t visit_fields(isotick_simulation* handle, const isotick_sink* sink,
                                     isotick_message* message) {
        return guard(message, [&] { write_fields(A::instance(handle).simulation, *sink); });
    }

    static std::int32_t visit_memory(isotick_simulation* handle,
                                     const isotick_memory_visitor* visitor,
                                     isotick_message* message) {
        return guard(message,
                     [&] { core::visit_memory(A::instance(handle).simulation, *visitor); });
    }
};

}  // namespace isotick::core::detail
