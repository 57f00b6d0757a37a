#include "served_simulation.hpp"

#include <isotick/core/detail/described_input.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace isotick::harness {
namespace {

using core::ByteReader;
using core::Bytes;
using core::ErrorCode;
using core::Result;

tl::unexpected<core::Error> refuse(const std::string& why) {
    return core::fail(ErrorCode::simulation, why);
}

tl::unexpected<core::Error> refuse_input(std::uint64_t size) {
    return refuse("an input of " + std::to_string(size) + " bytes is longer than the " +
                  std::to_string(ISOTICK_LONGEST_INPUT) + " that it may have");
}

std::string_view text_or_nothing(const char* text) {
    return text == nullptr ? "" : text;
}

// The host says itself which call failed.
std::string without_call(const std::string& message) {
    constexpr std::string_view kFailed = " failed: ";
    const std::size_t end = message.find(kFailed);
    return end == std::string::npos || message.find(' ') != end
               ? message
               : message.substr(end + kFailed.size());
}

core::Settings take_settings(ByteReader& body) {
    std::map<std::string, std::string> entries;  // however many, in whatever order they come
    for (auto count = body.get<std::uint32_t>(); count > 0 && body.ok(); --count) {
        const std::string key = body.string();
        entries[key] = body.string();
    }
    core::Settings settings;
    for (const auto& [key, value] : entries) {
        if (body.ok() && !settings.set(key, value)) {
            body.fail();
        }
    }
    return settings;
}

bool fails_without_consequences(Verb verb) {
    return verb == Verb::describe_input || verb == Verb::compose_input;
}

std::span<const std::uint8_t> rest_of(ByteReader& body) {
    const auto rest = body.take(body.remaining());
    return {reinterpret_cast<const std::uint8_t*>(rest.data()), rest.size()};
}

}  // namespace

void ServedSimulation::answer(std::uint8_t verb, std::span<const std::byte> body, Bytes& answers) {
    const std::size_t start = answers.size();
    Status status = Status::ok;
    std::string message;
    {
        const Message good(answers, Status::ok);
        ByteReader reader(body);
        if (verb > 63 || (verbs() & (std::uint64_t{1} << verb)) == 0) {
            status = Status::unknown_verb;
        } else if (auto done = fill(static_cast<Verb>(verb), reader, answers); !done) {
            const bool refused = done.error().code == ErrorCode::usage &&
                                 verb == static_cast<std::uint8_t>(Verb::create);
            status = refused ? Status::bad_settings : Status::failed;
            message = without_call(done.error().message);
        } else if (!reader.ok()) {
            status = Status::failed;
            message = "the request ends too early";
        } else if (answers.size() - start > kSizeBytes + kLongestMessage) {
            status = Status::failed;
            message = "the answer is longer than the 1 GiB that a message may have";
        }
    }
    if (status != Status::ok) {
        failed_ |=
            status != Status::unknown_verb && !fails_without_consequences(static_cast<Verb>(verb));
        answers.resize(start);
        const Message bad(answers, status);
        core::put_bytes(answers, std::as_bytes(std::span(message)));
    }
}

Result<void> ServedSimulation::fill(Verb verb, ByteReader& body, Bytes& out) {
    if (failed_) {
        return refuse("the request comes after a failure");
    }
    if (verb == Verb::hello) {
        return greeted_ ? refuse("hello comes a second time") : hello(body, out);
    }
    if (!greeted_) {
        return refuse("hello comes first");
    }
    switch (verb) {
        case Verb::create:
            return create(body, out);
        case Verb::describe_input:
            return describe_input(body, out);
        case Verb::compose_input:
            return compose_input(body, out);
        default:
            return simulation_ ? ask_created(verb, body, out) : refuse("create comes first");
    }
}

Result<void> ServedSimulation::ask_created(Verb verb, ByteReader& body, Bytes& out) {
    switch (verb) {
        case Verb::begin_frame: {
            const auto time = static_cast<std::int64_t>(body.get<std::uint64_t>());
            return body.ok() ? simulation_->begin_frame(core::FrameTime{time}) : Result<void>();
        }
        case Verb::step:
            return step(body, out);
        case Verb::render:
            return render(body);
        case Verb::hash:
            return hash(out);
        case Verb::propose_input:
            return propose_input(body, out);
        case Verb::save:
            return simulation_->save().map([&](const auto& bytes) { core::put_bytes(out, bytes); });
        case Verb::load:
            next_tick_.reset();  // the snapshot knows
            return simulation_->load(body.take(body.remaining()));
        case Verb::visit_fields:
            return simulation_->fields().map(
                [&](const auto& bytes) { core::put_bytes(out, bytes); });
        case Verb::note_writes:
            return note_writes(body, out);
        default:
            return refuse("unknown verb");
    }
}

std::uint64_t ServedSimulation::verbs() const {
    const std::uint64_t can = table_.info->capabilities;
    std::uint64_t set = kNeededVerbs;
    set |= table_.begin_frame != nullptr ? bit_of(Verb::begin_frame) : 0;
    set |= table_.render != nullptr ? bit_of(Verb::render) : 0;
    set |= table_.propose_input != nullptr ? bit_of(Verb::propose_input) : 0;
    set |= (can & ISOTICK_CAN_SAVE) != 0 ? bit_of(Verb::save) | bit_of(Verb::load) : 0;
    set |= (can & ISOTICK_HAS_FIELDS) != 0 ? bit_of(Verb::visit_fields) : 0;
    set |= (can & ISOTICK_NOTES_WRITES) != 0 ? bit_of(Verb::note_writes) : 0;
    set |= core::describes_inputs(table_)
               ? bit_of(Verb::describe_input) | bit_of(Verb::compose_input)
               : 0;
    return set;
}

Result<void> ServedSimulation::hello(ByteReader& body, Bytes& out) {
    const auto magic = body.take(kHelloMagic.size());
    const auto version = body.get<std::uint32_t>();
    if (!body.ok() || std::memcmp(magic.data(), kHelloMagic.data(), magic.size()) != 0) {
        return refuse("this is not a hello");
    }
    if (version != kProtocolVersion) {
        return refuse("the host speaks version " + std::to_string(version) +
                      ", this process version " + std::to_string(kProtocolVersion));
    }
    greeted_ = true;
    const isotick_info& info = *table_.info;
    core::put(out, kProtocolVersion);
    core::put(out, info.rate_numerator);
    core::put(out, info.rate_denominator);
    core::put(out, info.least_players);
    core::put(out, info.most_players);
    core::put(out, info.usual_players);
    core::put(out, verbs());
    core::put(out, (info.capabilities & ISOTICK_CHANGING_DT) != 0 ? kTakesChangingDt : 0U);
    for (const char* text :
         {info.name, info.summary, info.hash_algorithm, info.config_help, info.build_id}) {
        core::put_string(out, text_or_nothing(text));
    }
    core::put_string(out, core::nan_policy(info));
    return {};
}

Result<void> ServedSimulation::create(ByteReader& body, Bytes& out) {
    if (simulation_) {
        return refuse("a process serves one simulation");
    }
    core::SimulationSetup setup;
    setup.players = body.get<std::uint32_t>();
    setup.seed = body.get<std::uint64_t>();
    const auto numerator = body.get<std::uint32_t>();
    const auto rate = core::TickRate::make(numerator, body.get<std::uint32_t>());
    setup.config = take_settings(body);
    setup.environment = take_settings(body);
    if (!body.ok()) {
        return {};
    }
    if (!rate) {
        return core::fail(ErrorCode::usage, rate.error().message);
    }
    setup.rate = *rate;
    ISOTICK_TRY_ASSIGN(simulation_, core::Simulation::create(table_, setup));
    players_ = setup.players;
    dt_ = core::TickDt(setup.rate);
    return simulation_->hash().map([&](core::StateHash) {
        const auto& names = simulation_->part_names();
        core::put(out, static_cast<std::uint32_t>(names.size()));
        for (const std::string& name : names) {
            core::put_string(out, name);
        }
    });
}

// Called by C code, which nothing may be thrown through.
void ServedSimulation::pass_checkpoint(const char* name) noexcept {
    if (name != nullptr && passed_.size() < kMostStepCheckpoints && !passed_.contains(name)) {
        passed_.emplace(name);
        newly_passed_.emplace_back(name);
    }
}

Result<void> ServedSimulation::step(ByteReader& body, Bytes& out) {
    isotick_step step{};
    step.struct_size = sizeof step;
    step.tick = body.get<std::uint64_t>();
    step.dt_seconds = std::bit_cast<double>(body.get<std::uint64_t>());
    step.dt_num = body.get<std::uint64_t>();
    step.dt_den = body.get<std::uint64_t>();
    step.input_count = body.get<std::uint32_t>();
    if (!body.ok()) {
        return {};
    }
    if (auto taken = check_time(step).and_then([&] { return take_inputs(body, step); });
        !taken || !body.ok()) {
        return taken;
    }
    next_tick_ = step.tick + 1;
    newly_passed_.clear();
    step.checkpoints = this;
    step.checkpoint = [](void* self, const char* name) {
        static_cast<ServedSimulation*>(self)->pass_checkpoint(name);
    };
    ISOTICK_TRY(simulation_->step(step));
    if (!newly_passed_.empty()) {
        core::put(out, static_cast<std::uint32_t>(newly_passed_.size()));
        for (const std::string& name : newly_passed_) {
            core::put_string(out, name);
        }
    }
    return {};
}

Result<void> ServedSimulation::check_time(const isotick_step& step) const {
    if (next_tick_ && step.tick != *next_tick_) {
        return refuse("tick " + std::to_string(step.tick) + " comes where tick " +
                      std::to_string(*next_tick_) + " is next");
    }
    const bool has_fraction = step.dt_den != 0;
    if (!std::isfinite(step.dt_seconds) || step.dt_seconds < 0 ||
        (step.dt_num != 0 && !has_fraction)) {
        return refuse("a tick cannot have this dt");
    }
    const bool constant = step.dt_seconds == dt_.seconds() && has_fraction &&
                          core::TickDt::make(step.dt_num, step.dt_den) == dt_;
    return constant || (table_.info->capabilities & ISOTICK_CHANGING_DT) != 0
               ? Result<void>()
               : refuse("the dt is not the tick rate's");
}

Result<void> ServedSimulation::take_inputs(ByteReader& body, isotick_step& step) {
    if (step.input_count != std::uint64_t{players_} + 1) {
        return refuse(std::to_string(step.input_count) + " inputs come for " +
                      std::to_string(players_) + " players and the world");
    }
    inputs_.clear();
    for (std::uint32_t i = 0; i < step.input_count && body.ok(); ++i) {
        const auto size = body.get<std::uint32_t>();
        const bool present = size != kAbsentInput;
        if (present && size > ISOTICK_LONGEST_INPUT) {
            return refuse_input(size);
        }
        const auto bytes = body.take(present ? size : 0);
        inputs_.push_back({i == players_ ? ISOTICK_WORLD : i, present ? 1U : 0U, bytes.size(),
                           reinterpret_cast<const std::uint8_t*>(bytes.data())});
    }
    step.inputs = inputs_.data();
    return {};
}

Result<void> ServedSimulation::render(ByteReader& body) {
    const auto alpha = std::bit_cast<double>(body.get<std::uint64_t>());
    if (!body.ok()) {
        return {};
    }
    return alpha >= 0 && alpha < 1 ? simulation_->render(alpha)
                                   : refuse("alpha is not from 0 to below 1");
}

Result<void> ServedSimulation::hash(Bytes& out) {
    return simulation_->hash().map([&](core::StateHash) {
        for (const core::PartHash part : simulation_->parts()) {
            core::put(out, part.value);
        }
    });
}

Result<void> ServedSimulation::note_writes(ByteReader& body, Bytes& out) {
    if (body.get<std::uint8_t>() != 0) {
        return simulation_->begin_noting_writes();
    }
    return body.ok() ? simulation_->take_noted_writes().map(
                           [&](const auto& bytes) { core::put_bytes(out, bytes); })
                     : Result<void>();
}

Result<void> ServedSimulation::propose_input(ByteReader& body, Bytes& out) {
    const auto player = body.get<std::uint32_t>();
    const core::Tick tick{body.get<std::uint64_t>()};
    const auto entropy = body.get<std::uint64_t>();
    if (!body.ok()) {
        return {};
    }
    if (player >= players_ && player != ISOTICK_WORLD) {
        return refuse("there is no player " + std::to_string(player));
    }
    return simulation_->propose_input(player, tick, entropy, proposed_)
        .map([&](const isotick_input& input) {
            core::put(out, static_cast<std::uint8_t>(input.present));
            core::put_bytes(out, std::as_bytes(std::span(input.data, input.size)));
        });
}

Result<void> ServedSimulation::describe_input(ByteReader& body, Bytes& out) {
    const auto player = body.get<std::uint32_t>();
    const auto bytes = rest_of(body);
    if (bytes.size() > ISOTICK_LONGEST_INPUT) {
        return refuse_input(bytes.size());
    }
    return core::describe_input(table_, player, bytes).map([&](const std::string& json) {
        core::put_bytes(out, std::as_bytes(std::span(json)));
    });
}

Result<void> ServedSimulation::compose_input(ByteReader& body, Bytes& out) {
    const auto player = body.get<std::uint32_t>();
    const auto json = rest_of(body);
    return core::compose_input(table_, player,
                               {reinterpret_cast<const char*>(json.data()), json.size()})
        .map([&](const auto& bytes) { core::put_bytes(out, std::as_bytes(std::span(bytes))); });
}

}  // namespace isotick::harness
