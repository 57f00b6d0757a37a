// Safe calls through a table of functions.

#include <isotick/core/detail/described_input.hpp>
#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/core/snapshot.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace isotick::core {

// Calls across the seam: a bad status and an exception both become an Error.

// The room that a call has for its reason, with the NUL.
inline constexpr std::size_t kMessageCapacity = 1024;

// The Error for a call that broke the rules or said that it failed.
inline tl::unexpected<Error> seam_failed(const char* call, const std::string& reason) {
    return fail(ErrorCode::simulation, std::string(call) + " " + reason);
}

// Runs one call across the seam; a bad status and an exception both become an Error. `text`, of
// kMessageCapacity, is where the call's message goes.
template <class Call>
Result<void> seam_call(const char* name, std::vector<char>& text, const Call& call) {
    isotick_message message{text.data(), text.size()};
    text.front() = '\0';
    std::int32_t status = ISOTICK_OK;
    try {
        status = call(&message);
    } catch (const std::exception& thrown) {
        return seam_failed(name, std::string("threw: ") + thrown.what());
    } catch (...) {
        return seam_failed(name, "threw something that is not a std::exception");
    }
    if (status == ISOTICK_OK) {
        return {};
    }
    text.back() = '\0';
    const std::string reason = text.data();
    if (status == ISOTICK_BAD_SETTINGS) {
        return fail(ErrorCode::usage,
                    reason.empty() ? "settings refused without a reason" : reason);
    }
    return seam_failed(name, reason.empty() ? "failed with status " + std::to_string(status)
                                            : "failed: " + reason);
}

namespace {

const char* name_of(QueuedCall call) {
    switch (call) {
        case QueuedCall::begin_frame:
            return "begin_frame";
        case QueuedCall::step:
            return "step";
        case QueuedCall::render:
            return "render";
        case QueuedCall::hash:
            return "hash";
    }
    return "";
}

isotick_setup as_c(const SimulationSetup& setup, std::span<const isotick_setting> config,
                   std::span<const isotick_setting> environment) {
    return {.struct_size = sizeof(isotick_setup),
            .players = setup.players,
            .seed = setup.seed,
            .rate_numerator = setup.rate.numerator(),
            .rate_denominator = setup.rate.denominator(),
            .config_count = static_cast<std::uint32_t>(config.size()),
            .environment_count = static_cast<std::uint32_t>(environment.size()),
            .config = config.data(),
            .environment = environment.data(),
            .reads = nullptr,
            .read_config = nullptr,
            .read_environment = nullptr};
}

// Called by C code, which nothing may be thrown through.
void tell_of_checkpoint(void* listener, const char* name) noexcept {
    (*static_cast<std::function<void(const char*)>*>(listener))(name);
}

}  // namespace

/// The keys that the simulation has looked up, from any of its threads.
struct Simulation::Reads {
    std::mutex mutex;
    std::set<std::string> config;
    std::set<std::string> environment;

    void add(std::set<std::string>& keys, const char* key) {
        const std::lock_guard lock(mutex);
        keys.insert(key);
    }
    bool has(const std::set<std::string>& keys, const std::string& key) {
        const std::lock_guard lock(mutex);
        return keys.contains(key);
    }
    /// Must outlive what is made from `setup`.
    void listen(isotick_setup& setup) {
        setup.reads = this;
        setup.read_config = [](void* self, const char* key) {
            static_cast<Reads*>(self)->add(static_cast<Reads*>(self)->config, key);
        };
        setup.read_environment = [](void* self, const char* key) {
            static_cast<Reads*>(self)->add(static_cast<Reads*>(self)->environment, key);
        };
    }
};

Result<Simulation> Simulation::create(const isotick_simulation_table& table,
                                      const SimulationSetup& setup) {
    ISOTICK_TRY(check_table(&table));
    ISOTICK_TRY(check_setup(*table.info, setup));
    auto reads = std::make_shared<Reads>();
    const auto config = detail::settings_as_c(setup.config);
    const auto environment = detail::settings_as_c(setup.environment);
    isotick_setup c_setup = as_c(setup, config, environment);
    reads->listen(c_setup);
    isotick_simulation* instance = nullptr;
    std::vector<char> text(kMessageCapacity);
    ISOTICK_TRY(seam_call("create", text, [&](isotick_message* message) {
        return table.create(&table, &c_setup, &instance, message);
    }));
    if (instance == nullptr) {
        return seam_failed("create", "returned ISOTICK_OK but no simulation");
    }
    return Simulation(table, std::move(reads), instance, setup.rate, std::move(text));
}

Simulation::~Simulation() {
    if (instance_ != nullptr) {
        table_->destroy(instance_);
    }
}

Simulation::Simulation(Simulation&& other) noexcept
    : table_(other.table_),
      reads_(std::move(other.reads_)),
      instance_(std::exchange(other.instance_, nullptr)),
      dt_(other.dt_),
      dt_seconds_(other.dt_seconds_),
      message_text_(std::move(other.message_text_)),
      raw_parts_(std::move(other.raw_parts_)),
      parts_(std::move(other.parts_)),
      part_names_(std::move(other.part_names_)),
      raw_names_(std::move(other.raw_names_)),
      listener_(std::move(other.listener_)) {}

Simulation& Simulation::operator=(Simulation&& other) noexcept {
    std::swap(table_, other.table_);
    reads_.swap(other.reads_);
    std::swap(instance_, other.instance_);
    std::swap(dt_, other.dt_);
    std::swap(dt_seconds_, other.dt_seconds_);
    message_text_.swap(other.message_text_);
    raw_parts_.swap(other.raw_parts_);
    parts_.swap(other.parts_);
    part_names_.swap(other.part_names_);
    raw_names_.swap(other.raw_names_);
    listener_.swap(other.listener_);
    return *this;
}

bool Simulation::has_read_config(const std::string& key) const {
    return reads_->has(reads_->config, key);
}

bool Simulation::has_read_environment(const std::string& key) const {
    return reads_->has(reads_->environment, key);
}

Result<void> Simulation::begin_frame(FrameTime frame_time) {
    if (!takes_frames()) {
        return {};
    }
    auto begun = queue_begin_frame(frame_time);
    return begun && queues_calls() ? settle(QueuedCall::begin_frame, {}) : begun;
}

Result<void> Simulation::queue_begin_frame(FrameTime frame_time) {
    assert(takes_frames());
    return seam_call("begin_frame", message_text_, [&](isotick_message* message) {
        return table_->begin_frame(instance_, frame_time.nanoseconds, message);
    });
}

Result<void> Simulation::step(Tick tick, std::span<const isotick_input> inputs,
                              std::optional<TickDt> dt) {
    auto stepped = queue_step(tick, inputs, dt);
    return stepped && queues_calls() ? settle(QueuedCall::step, tick) : stepped;
}

Result<void> Simulation::queue_step(Tick tick, std::span<const isotick_input> inputs,
                                    std::optional<TickDt> dt) {
    const bool is_own = dt && *dt != dt_;
    if (is_own) {
        ISOTICK_TRY(check_dt(info(), tick, *dt, dt_));
    }
    const TickDt& used = is_own ? *dt : dt_;
    const bool is_heard = listener_ && !queues_calls();
    const isotick_step arguments{.struct_size = sizeof(isotick_step),
                                 .input_count = static_cast<std::uint32_t>(inputs.size()),
                                 .tick = tick.value,
                                 .dt_seconds = is_own ? used.seconds() : dt_seconds_,
                                 .dt_num = used.numerator(),
                                 .dt_den = used.denominator(),
                                 .inputs = inputs.data(),
                                 .checkpoints = is_heard ? &listener_ : nullptr,
                                 .checkpoint = is_heard ? &tell_of_checkpoint : nullptr};
    return queue_step(arguments);
}

Result<void> Simulation::step(const isotick_step& arguments) {
    auto stepped = queue_step(arguments);
    return stepped && queues_calls() ? settle(QueuedCall::step, Tick{arguments.tick}) : stepped;
}

Result<void> Simulation::queue_step(const isotick_step& arguments) {
    auto stepped = seam_call("step", message_text_, [&](isotick_message* message) {
        return table_->step(instance_, &arguments, message);
    });
    if (!stepped) {
        stepped.error().tick = arguments.tick;
    }
    return stepped;
}

Result<void> Simulation::render(double alpha) {
    if (!renders()) {
        return {};
    }
    auto rendered = queue_render(alpha);
    return rendered && queues_calls() ? settle(QueuedCall::render, {}) : rendered;
}

Result<void> Simulation::queue_render(double alpha) {
    assert(renders());
    return seam_call("render", message_text_, [&](isotick_message* message) {
        return table_->render(instance_, alpha, message);
    });
}

Result<StateHash> Simulation::hash() {
    if (queues_calls()) {
        ISOTICK_TRY(queue_hash());
        ISOTICK_TRY(settle(QueuedCall::hash, {}));
    } else {
        raw_parts_.resize(ISOTICK_MOST_PARTS);
        std::uint32_t count = 0;
        ISOTICK_TRY(seam_call("hash", message_text_, [&](isotick_message* message) {
            return table_->hash(instance_, raw_parts_.data(), ISOTICK_MOST_PARTS, &count, message);
        }));
        ISOTICK_TRY(take_parts(count));
    }
    return hash_parts(parts_);
}

Result<void> Simulation::queue_hash() {
    return seam_call("hash", message_text_, [&](isotick_message* message) {
        std::uint32_t count = 0;
        return table_->hash(instance_, nullptr, 0, &count, message);
    });
}

Result<void> Simulation::settle(QueuedCall call, Tick tick) {
    assert(queues_calls());
    raw_parts_.resize(ISOTICK_MOST_PARTS);
    std::uint32_t count = 0;
    auto settled = seam_call(name_of(call), message_text_, [&](isotick_message* message) {
        return table_->settle(instance_, raw_parts_.data(), ISOTICK_MOST_PARTS, &count, message);
    });
    if (!settled && call == QueuedCall::step) {
        settled.error().tick = tick.value;
    }
    return settled && call == QueuedCall::hash ? take_parts(count) : settled;
}

Result<void> Simulation::take_parts(std::size_t count) {
    if (count == 0 || count > ISOTICK_MOST_PARTS) {
        return seam_failed("hash", "gave " + std::to_string(count) + " parts; 1 to " +
                                       std::to_string(ISOTICK_MOST_PARTS) + " are allowed");
    }
    const std::span<const isotick_part> parts = std::span(raw_parts_).first(count);
    if (!part_names_.empty() && part_names_.size() != parts.size()) {
        return seam_failed("hash", "gave " + std::to_string(parts.size()) + " parts after " +
                                       std::to_string(part_names_.size()));
    }
    parts_.resize(count);
    raw_names_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (parts[i].name == nullptr || parts[i].name != raw_names_[i]) {
            ISOTICK_TRY(take_name(i, parts[i].name));
        }
        parts_[i] = {parts[i].hash};
    }
    return {};
}

Result<void> Simulation::take_name(std::size_t part, const char* name) {
    if (name == nullptr || *name == '\0') {
        return seam_failed("hash", "gave a part without a name");
    }
    if (part == part_names_.size()) {
        part_names_.emplace_back(name);
    } else if (part_names_[part] != name) {
        return seam_failed("hash", "renamed part '" + part_names_[part] + "' to '" + name + "'");
    }
    raw_names_[part] = name;
    return {};
}

Result<isotick_input> Simulation::propose_input(std::uint32_t player, Tick tick,
                                                std::uint64_t entropy,
                                                std::vector<std::uint8_t>& buffer) {
    assert(has_bot());
    buffer.resize(ISOTICK_LONGEST_INPUT);
    isotick_proposal proposal{.struct_size = sizeof(isotick_proposal),
                              .player = player,
                              .tick = tick.value,
                              .entropy = entropy,
                              .data = buffer.data(),
                              .capacity = buffer.size(),
                              .size = 0,
                              .present = 0,
                              .reserved = 0};
    auto proposed = seam_call("propose_input", message_text_, [&](isotick_message* message) {
        return table_->propose_input(instance_, &proposal, message);
    });
    if (!proposed) {
        proposed.error().tick = tick.value;
        return tl::unexpected(proposed.error());
    }
    if (proposal.size > proposal.capacity) {
        return seam_failed("propose_input", "claims more bytes than it was given room for");
    }
    const bool present = proposal.present != 0;
    return isotick_input{player, present ? 1U : 0U, present ? proposal.size : 0, buffer.data()};
}

// What a simulation shows of its state.

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

Result<void> Simulation::begin_noting_writes() {
    assert(notes_writes());
    return seam_call("note_writes", message_text_, [&](isotick_message* message) {
        return table_->note_writes(instance_, nullptr, message);
    });
}

Result<std::vector<std::byte>> Simulation::take_noted_writes() {
    assert(notes_writes());
    std::vector<std::byte> bytes;
    return collect_state("note_writes", message_text_, bytes,
                         [&](const isotick_sink* sink, isotick_message* message) {
                             return table_->note_writes(instance_, sink, message);
                         })
        .map([&] { return std::move(bytes); });
}

namespace {

// Collects what a call writes, up to a limit.
template <class Container>
struct Limited {
    std::size_t most;
    Container content;
    bool full = false;

    static std::int32_t write(void* context, const void* data, std::uint64_t size) {
        Limited& self = *static_cast<Limited*>(context);
        if (size > self.most - self.content.size()) {
            self.full = true;
            return ISOTICK_FAILED;
        }
        const auto* first = static_cast<const typename Container::value_type*>(data);
        self.content.insert(self.content.end(), first, first + size);
        return ISOTICK_OK;
    }
};

template <class Container, class Call>
Result<Container> collect_input(const char* name, std::size_t most, const Call& call) {
    Limited<Container> limited{most, {}};
    const isotick_sink sink{&limited, &Limited<Container>::write};
    std::vector<char> text(kMessageCapacity);
    auto called =
        seam_call(name, text, [&](isotick_message* message) { return call(&sink, message); });
    if (limited.full) {
        return seam_failed(name, "wrote more than " + std::to_string(most) + " bytes");
    }
    ISOTICK_TRY(called);
    return std::move(limited.content);
}

}  // namespace

bool describes_inputs(const isotick_simulation_table& table) {
    return (table.info->capabilities & ISOTICK_DESCRIBES_INPUTS) != 0;
}

Result<std::string> describe_input(const isotick_simulation_table& table, std::uint32_t player,
                                   std::span<const std::uint8_t> bytes) {
    assert(describes_inputs(table));
    const auto call = [&](const isotick_sink* sink, isotick_message* message) {
        return table.describe_input(&table, player, bytes.data(), bytes.size(), sink, message);
    };
    ISOTICK_TRY_ASSIGN(const auto text, collect_input<std::string>(
                                            "describe_input", ISOTICK_LONGEST_INPUT_TEXT, call));
    if (const auto parsed = parse_json(text); !parsed) {
        return seam_failed("describe_input", "wrote what is not JSON: " + describe(parsed.error()));
    }
    return printable(compact_json(text));
}

Result<std::vector<std::uint8_t>> compose_input(const isotick_simulation_table& table,
                                                std::uint32_t player, std::string_view json) {
    assert(describes_inputs(table));
    ISOTICK_TRY(parse_json(json));
    return collect_input<std::vector<std::uint8_t>>(
        "compose_input", ISOTICK_LONGEST_INPUT,
        [&](const isotick_sink* sink, isotick_message* message) {
            return table.compose_input(&table, player, json.data(), json.size(), sink, message);
        });
}

std::optional<std::string> faithful_description(const isotick_simulation_table& table,
                                                std::uint32_t player,
                                                std::span<const std::uint8_t> bytes) {
    auto text = describe_input(table, player, bytes);
    if (!text) {
        return std::nullopt;
    }
    const auto again = compose_input(table, player, *text);
    return again && std::equal(again->begin(), again->end(), bytes.begin(), bytes.end())
               ? std::optional(*std::move(text))
               : std::nullopt;
}

}  // namespace isotick::core
