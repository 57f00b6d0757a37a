#pragma once
// Any simulation as one that queues its calls (ISOTICK_QUEUES_CALLS): each is made only when it is
// settled, so that whoever forgets to settle, or mixes up the order, notices.

#include <isotick/core/plugin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace isotick::tests {

/// A table with another one behind it, which must outlive it. The four calls that queue, their
/// settling, create and destroy; no more.
class QueuedTable : public isotick_simulation_table {
  public:
    explicit QueuedTable(const isotick_simulation_table& inner)
        : isotick_simulation_table{}, inner_(inner), info_(*inner.info) {
        struct_size = sizeof(isotick_simulation_table);
        abi_version = ISOTICK_ABI_VERSION;
        info_.struct_size = sizeof info_;
        info_.capabilities = ISOTICK_QUEUES_CALLS | (info_.capabilities & ISOTICK_CHANGING_DT);
        info = &info_;
        destroy = [](isotick_simulation* simulation) {
            const Instance& self = of(simulation);
            self.table->inner_.destroy(self.inner);
            delete &self;
        };
        create = [](const isotick_simulation_table* table, const isotick_setup* setup,
                    isotick_simulation** out, isotick_message* message) {
            auto* self = new Instance{static_cast<const QueuedTable*>(table), nullptr, {}};
            const auto status =
                self->table->inner_.create(&self->table->inner_, setup, &self->inner, message);
            *out = reinterpret_cast<isotick_simulation*>(self);
            return status;
        };
        queue_calls();
    }
    QueuedTable(const QueuedTable&) = delete;
    QueuedTable& operator=(const QueuedTable&) = delete;

    /// The most calls that were ever waiting.
    [[nodiscard]] std::size_t longest_queue() const { return longest_queue_; }

  private:
    struct Answer {
        isotick_part* parts;
        std::uint32_t capacity;
        std::uint32_t* count;
        isotick_message* message;
    };
    using Call = std::function<std::int32_t(isotick_simulation*, const Answer&)>;
    struct Instance {
        const QueuedTable* table;
        isotick_simulation* inner;
        std::deque<Call> calls;
    };

    static Instance& of(isotick_simulation* simulation) {
        return *reinterpret_cast<Instance*>(simulation);
    }

    static std::int32_t queue(isotick_simulation* simulation, Call call) {
        Instance& self = of(simulation);
        self.calls.push_back(std::move(call));
        self.table->longest_queue_ = std::max(self.table->longest_queue_, self.calls.size());
        return ISOTICK_OK;
    }

    // A copy of the inputs is kept: they are the caller's only during the call.
    static std::int32_t queue_step(isotick_simulation* simulation, const isotick_step* made,
                                   isotick_message*) {
        const auto call = of(simulation).table->inner_.step;
        std::vector<isotick_input> inputs(made->inputs, made->inputs + made->input_count);
        std::vector<std::vector<std::uint8_t>> bytes;
        for (const isotick_input& input : inputs) {
            bytes.emplace_back(input.data, input.data + input.size);
        }
        return queue(simulation, [call, copy = *made, inputs, bytes](auto* inner,
                                                                     const Answer& answer) mutable {
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                inputs[i].data = bytes[i].data();
            }
            copy.inputs = inputs.data();
            return call(inner, &copy, answer.message);
        });
    }

    void queue_calls() {
        begin_frame = [](isotick_simulation* simulation, std::int64_t time, isotick_message*) {
            const auto call = of(simulation).table->inner_.begin_frame;
            return queue(simulation, [call, time](auto* inner, const Answer& answer) {
                return call == nullptr ? ISOTICK_OK : call(inner, time, answer.message);
            });
        };
        step = &queue_step;
        render = [](isotick_simulation* simulation, double alpha, isotick_message*) {
            const auto call = of(simulation).table->inner_.render;
            return queue(simulation, [call, alpha](auto* inner, const Answer& answer) {
                return call == nullptr ? ISOTICK_OK : call(inner, alpha, answer.message);
            });
        };
        hash = [](isotick_simulation* simulation, isotick_part*, std::uint32_t, std::uint32_t*,
                  isotick_message*) {
            const auto call = of(simulation).table->inner_.hash;
            return queue(simulation, [call](auto* inner, const Answer& answer) {
                return call(inner, answer.parts, answer.capacity, answer.count, answer.message);
            });
        };
        settle = [](isotick_simulation* simulation, isotick_part* parts, std::uint32_t capacity,
                    std::uint32_t* count, isotick_message* message) {
            Instance& self = of(simulation);
            const Call call = std::move(self.calls.front());
            self.calls.pop_front();
            return call(self.inner, {parts, capacity, count, message});
        };
    }

    const isotick_simulation_table& inner_;
    isotick_info info_;
    mutable std::size_t longest_queue_ = 0;
};

}  // namespace isotick::tests
