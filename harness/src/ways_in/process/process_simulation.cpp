#include "process_instance.hpp"

#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/core/detail/seam/seam_text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/process_simulation.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

// A C table and what its functions find behind it.
struct ProcessSimulation::Table : isotick_simulation_table {
    std::string command;
    ProcessInfo facts;
    std::optional<Connection> describer;  // asked about inputs; started when it is first needed
    ProcessNotes notes;

    // The table is const to those who call through it; its maker, who is asked here, owns it.
    static Table& own(const isotick_simulation_table& table) {
        return const_cast<Table&>(static_cast<const Table&>(table));
    }
    static int32_t create_one(const isotick_simulation_table* table, const isotick_setup* setup,
                              isotick_simulation** out, isotick_message* message);
    template <Verb verb, class Byte>
    static int32_t ask_about_input(const isotick_simulation_table* table, std::uint32_t player,
                                   const Byte* data, std::uint64_t size, const isotick_sink* sink,
                                   isotick_message* message);
    [[nodiscard]] Result<void> ask(Verb verb, std::uint32_t player, std::span<const std::byte> data,
                                   const isotick_sink& sink);
    void fill();
};

namespace {

// For calls without a trial, which has a timeout of its own.
constexpr std::chrono::milliseconds kPatience{10'000};

ProcessInstance& instance_of(isotick_simulation* simulation) {
    return *reinterpret_cast<ProcessInstance*>(simulation);
}

// Runs `body`; what fails there becomes a status and a message.
template <class Body>
std::int32_t across(isotick_message* message, const Body& body) {
    try {
        const Result<void> done = body();
        if (done) {
            return ISOTICK_OK;
        }
        core::detail::write_message(message, done.error().message.c_str());
        return done.error().code == ErrorCode::usage ? ISOTICK_BAD_SETTINGS : ISOTICK_FAILED;
    } catch (const std::exception& thrown) {
        core::detail::write_message(message, thrown.what());
        return ISOTICK_FAILED;
    }
}

void destroy(isotick_simulation* simulation) {
    delete &instance_of(simulation);
}

std::int32_t begin_frame(isotick_simulation* simulation, std::int64_t frame_time_ns,
                         isotick_message* message) {
    return across(message, [&] { return instance_of(simulation).begin_frame(frame_time_ns); });
}

std::int32_t step(isotick_simulation* simulation, const isotick_step* step,
                  isotick_message* message) {
    return across(message, [&] { return instance_of(simulation).step(*step); });
}

std::int32_t render(isotick_simulation* simulation, double alpha, isotick_message* message) {
    return across(message, [&] { return instance_of(simulation).render(alpha); });
}

std::int32_t hash(isotick_simulation* simulation, isotick_part*, std::uint32_t, std::uint32_t*,
                  isotick_message* message) {
    return across(message, [&] { return instance_of(simulation).hash(); });
}

std::int32_t settle(isotick_simulation* simulation, isotick_part* parts, std::uint32_t capacity,
                    std::uint32_t* count, isotick_message* message) {
    return across(message, [&] { return instance_of(simulation).settle(parts, capacity, *count); });
}

std::int32_t propose_input(isotick_simulation* simulation, isotick_proposal* proposal,
                           isotick_message* message) {
    return across(message, [&] { return instance_of(simulation).propose_input(*proposal); });
}

template <Verb verb>
std::int32_t write_to(isotick_simulation* simulation, const isotick_sink* sink,
                      isotick_message* message) {
    return across(message, [&] { return instance_of(simulation).write_to(*sink, verb); });
}

std::int32_t load(isotick_simulation* simulation, const std::uint8_t* data, std::uint64_t size,
                  isotick_message* message) {
    return across(message, [&] { return instance_of(simulation).load(data, size); });
}

}  // namespace

std::int32_t ProcessSimulation::Table::create_one(const isotick_simulation_table* table,
                                                  const isotick_setup* setup,
                                                  isotick_simulation** out,
                                                  isotick_message* message) {
    auto& self = own(*table);
    return across(message, [&] {
        return ProcessInstance::create(self.command, self.facts, *setup, self.notes)
            .map([out](std::unique_ptr<ProcessInstance>&& instance) {
                *out = reinterpret_cast<isotick_simulation*>(instance.release());
            });
    });
}

template <Verb verb, class Byte>
std::int32_t ProcessSimulation::Table::ask_about_input(const isotick_simulation_table* table,
                                                       std::uint32_t player, const Byte* data,
                                                       std::uint64_t size, const isotick_sink* sink,
                                                       isotick_message* message) {
    auto& self = own(*table);
    return across(message, [&] {
        return self.ask(verb, player, std::as_bytes(std::span(data, size)), *sink);
    });
}

Result<void> ProcessSimulation::Table::ask(Verb verb, std::uint32_t player,
                                           std::span<const std::byte> data,
                                           const isotick_sink& sink) {
    if (!describer) {
        ISOTICK_TRY_ASSIGN(auto opened, Connection::open(command));
        ProcessInfo now;
        request_hello(opened);
        ISOTICK_TRY(receive_hello(opened, now));
        describer = std::move(opened);
    }
    {
        const Message message(describer->requests(), verb);
        core::put(describer->requests(), player);
        core::put_bytes(describer->requests(), data);
    }
    auto answer = describer->receive(verb, kPatience);
    if (!answer) {
        describer.reset();  // the next question finds another process
        return tl::unexpected(answer.error());
    }
    const auto checked = check_answer(*answer);
    return checked ? answer_into(sink, answer) : checked;
}

void ProcessSimulation::Table::fill() {
    struct_size = sizeof(isotick_simulation_table);
    abi_version = ISOTICK_ABI_VERSION;
    info = &facts.info;
    create = &create_one;
    destroy = &harness::destroy;
    if (facts.answers(Verb::begin_frame)) {
        begin_frame = &harness::begin_frame;
    }
    step = &harness::step;
    if (facts.answers(Verb::render)) {
        render = &harness::render;
    }
    hash = &harness::hash;
    settle = &harness::settle;
    if (facts.answers(Verb::propose_input)) {
        propose_input = &harness::propose_input;
    }
    save = &harness::write_to<Verb::save>;
    load = &harness::load;
    visit_fields = &harness::write_to<Verb::visit_fields>;
    describe_input = &ask_about_input<Verb::describe_input, std::uint8_t>;
    compose_input = &ask_about_input<Verb::compose_input, char>;
}

Result<ProcessSimulation> ProcessSimulation::ask(const std::string& command) {
    const auto cannot = [&command](const core::Error& error) {
        return core::fail(ErrorCode::usage,
                          "'" + command +
                              "' cannot be used as a simulation (isotick sims --check tries all "
                              "of it): " +
                              error.message);
    };
    auto table = std::make_unique<Table>();
    table->command = command;
    ISOTICK_TRY_ASSIGN(auto connection, Connection::open(command));
    request_hello(connection);
    if (auto greeted = receive_hello(connection, table->facts); !greeted) {
        return cannot(greeted.error());
    }
    table->fill();
    if (auto checked = core::check_table(table.get()); !checked) {
        return cannot(checked.error());
    }
    return ProcessSimulation(std::move(table));
}

ProcessNotes ProcessSimulation::take_notes(const isotick_simulation_table& table) {
    return table.create == &Table::create_one ? std::exchange(Table::own(table).notes, {})
                                              : ProcessNotes();
}

ProcessSimulation::ProcessSimulation(std::unique_ptr<Table> table) : table_(std::move(table)) {}
ProcessSimulation::~ProcessSimulation() = default;
ProcessSimulation::ProcessSimulation(ProcessSimulation&& other) noexcept = default;
ProcessSimulation& ProcessSimulation::operator=(ProcessSimulation&& other) noexcept = default;

const isotick_simulation_table& ProcessSimulation::table() const {
    return *table_;
}

}  // namespace isotick::harness
