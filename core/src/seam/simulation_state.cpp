// What a simulation shows of its state.

#include "seam_call.hpp"

#include <isotick/core/simulation.hpp>
#include <isotick/core/snapshot.hpp>

#include <cassert>
#include <new>

namespace isotick::core {
namespace {

// Collects what a simulation writes, up to kLargestState.
struct Collector {
    std::vector<std::byte>& bytes;
    bool full = false;

    static std::int32_t write(void* context, const void* data, std::uint64_t size) {
        Collector& self = *static_cast<Collector*>(context);
        const auto* first = static_cast<const std::byte*>(data);
        try {
            if (size <= kLargestState - self.bytes.size()) {
                self.bytes.insert(self.bytes.end(), first, first + size);
                return ISOTICK_OK;
            }
        } catch (const std::bad_alloc&) {  // reported as the limit that it is
        }
        self.full = true;
        return ISOTICK_FAILED;
    }
};

// Runs one call that writes into a sink; `bytes` then holds what it wrote.
template <class Call>
Result<void> collect_state(const char* name, std::vector<char>& text, std::vector<std::byte>& bytes,
                           const Call& call) {
    bytes.clear();
    Collector collector{bytes};
    const isotick_sink sink{&collector, &Collector::write};
    auto called =
        seam_call(name, text, [&](isotick_message* message) { return call(&sink, message); });
    if (collector.full) {
        return fail(ErrorCode::limit, std::string(name) + " wrote more than there is room for");
    }
    return called;
}

}  // namespace

Result<std::vector<std::byte>> Simulation::save() {
    std::vector<std::byte> bytes;
    return save_into(bytes).map([&] { return std::move(bytes); });
}

Result<void> Simulation::save_into(std::vector<std::byte>& bytes) {
    assert(can_save());
    return collect_state("save", message_text_, bytes,
                         [&](const isotick_sink* sink, isotick_message* message) {
                             return table_->save(instance_, sink, message);
                         });
}

Result<void> Simulation::load(std::span<const std::byte> snapshot) {
    assert(can_save());
    return seam_call("load", message_text_, [&](isotick_message* message) {
        return table_->load(instance_, reinterpret_cast<const std::uint8_t*>(snapshot.data()),
                            snapshot.size(), message);
    });
}

Result<std::vector<std::byte>> Simulation::fields() {
    assert(has_fields());
    std::vector<std::byte> bytes;
    return collect_state("visit_fields", message_text_, bytes,
                         [&](const isotick_sink* sink, isotick_message* message) {
                             return table_->visit_fields(instance_, sink, message);
                         })
        .map([&] { return std::move(bytes); });
}

Result<void> Simulation::write_fields(isotick_sink sink) {
    assert(has_fields());
    return seam_call("visit_fields", message_text_, [&](isotick_message* message) {
        return table_->visit_fields(instance_, &sink, message);
    });
}

Result<void> Simulation::visit_memory(const isotick_memory_visitor& visitor) {
    assert(has_memory());
    return seam_call("visit_memory", message_text_, [&](isotick_message* message) {
        return table_->visit_memory(instance_, &visitor, message);
    });
}

}  // namespace isotick::core
