#include "process_simulation.hpp"

#include "connection.hpp"

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/harness/detail/checkpoint.hpp>
#include <isotick/harness/detail/process_simulation.hpp>

#include <cassert>
#include <chrono>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const char* null_if_empty(const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
}

// A pair of verbs stands for one capability.
Result<bool> answers_both(const ProcessInfo& info, Verb one, Verb other, const char* names) {
    if (info.answers(one) != info.answers(other)) {
        return core::fail(ErrorCode::simulation,
                          std::string("its info has only one of the verbs ") + names);
    }
    return info.answers(one);
}

Result<std::uint64_t> capabilities_of(const ProcessInfo& info, std::uint32_t flags) {
    ISOTICK_TRY_ASSIGN(const bool saves,
                       answers_both(info, Verb::save, Verb::load, "save and load"));
    ISOTICK_TRY_ASSIGN(const bool describes,
                       answers_both(info, Verb::describe_input, Verb::compose_input,
                                    "describe_input and compose_input"));
    // A fork of its host would share the process, just as it would lack the threads of others.
    return ISOTICK_MANY_INSTANCES | ISOTICK_OWN_THREADS | ISOTICK_QUEUES_CALLS |
           ((flags & kTakesChangingDt) != 0 ? ISOTICK_CHANGING_DT : 0) |
           (saves ? ISOTICK_CAN_SAVE : 0) |
           (info.answers(Verb::visit_fields) ? ISOTICK_HAS_FIELDS : 0) |
           (info.answers(Verb::note_writes) ? ISOTICK_NOTES_WRITES : 0) |
           (describes ? ISOTICK_DESCRIBES_INPUTS : 0);
}

bool is_text_for_c(const std::string& text) {
    return text.find('\0') == std::string::npos;
}

Result<void> check_version(std::uint32_t version) {
    return version == kProtocolVersion
               ? Result<void>()
               : core::fail(ErrorCode::version, "its process speaks version " +
                                                    std::to_string(version) +
                                                    " of the protocol, this isotick version " +
                                                    std::to_string(kProtocolVersion));
}

void point_to_texts(ProcessInfo& info) {
    info.info.name = info.name.c_str();
    info.info.summary = null_if_empty(info.summary);
    info.info.hash_algorithm = null_if_empty(info.hash_algorithm);
    info.info.config_help = null_if_empty(info.config_help);
    info.info.build_id = null_if_empty(info.build_id);
    info.info.nan_policy = null_if_empty(info.nan_policy);
}

}  // namespace

void request_hello(Connection& connection) {
    const Message hello(connection.requests(), Verb::hello);
    core::put_bytes(connection.requests(), std::as_bytes(std::span(kHelloMagic)));
    core::put(connection.requests(), kProtocolVersion);
}

Result<void> receive_hello(Connection& connection, ProcessInfo& info,
                           Connection::Patience patience) {
    ISOTICK_TRY_ASSIGN(const auto answer, connection.receive(Verb::hello, patience));
    ISOTICK_TRY(check_answer(answer));
    core::ByteReader reader(answer.body);
    ISOTICK_TRY(check_version(reader.get<std::uint32_t>()));
    info.info = {};
    info.info.struct_size = sizeof info.info;
    info.info.rate_numerator = reader.get<std::uint32_t>();
    info.info.rate_denominator = reader.get<std::uint32_t>();
    info.info.least_players = reader.get<std::uint32_t>();
    info.info.most_players = reader.get<std::uint32_t>();
    info.info.usual_players = reader.get<std::uint32_t>();
    info.verbs = reader.get<std::uint64_t>();
    const auto flags = reader.get<std::uint32_t>();
    for (std::string* text : {&info.name, &info.summary, &info.hash_algorithm, &info.config_help,
                              &info.build_id, &info.nan_policy}) {
        *text = reader.string();
        if (!is_text_for_c(*text)) {
            return core::fail(ErrorCode::simulation, "its info has a text with a zero byte");
        }
    }
    if (!reader.ok()) {
        return core::fail(ErrorCode::simulation, "its info ends too early");
    }
    if ((info.verbs & kNeededVerbs) != kNeededVerbs) {
        return core::fail(ErrorCode::simulation,
                          "its info lacks one of the verbs hello, create, step and hash");
    }
    point_to_texts(info);
    return capabilities_of(info, flags).map([&info](std::uint64_t capabilities) {
        info.info.capabilities = capabilities;
    });
}

Result<void> check_answer(const Answer& answer) {
    const std::string_view message = text_of(answer.body);
    switch (answer.status) {
        case Status::ok:
            return {};
        case Status::failed:
            return core::fail(ErrorCode::simulation,
                              message.empty() ? "failed without a reason" : std::string(message));
        case Status::bad_settings:
            return core::fail(ErrorCode::usage, std::string(message));
        case Status::unknown_verb:
            break;
    }
    return core::fail(ErrorCode::simulation, "its process says that it does not know the verb");
}

// One simulation in a process of its own.

/// What a process is asked for between create and the end of its stdin. The first four only queue;
/// `settle` takes their answers, in order. The others wait for theirs, and require that everything
/// is settled.
class ProcessInstance {
  public:
    /// Starts `command` and creates the simulation there. Fails where it is not the simulation that
    /// `facts` tells of, any more. How it ends is added to `notes`, which must outlive it.
    [[nodiscard]] static core::Result<std::unique_ptr<ProcessInstance>> create(
        const std::string& command, const ProcessInfo& facts, const isotick_setup& setup,
        ProcessNotes& notes);
    ~ProcessInstance();
    ProcessInstance(const ProcessInstance&) = delete;
    ProcessInstance& operator=(const ProcessInstance&) = delete;

    [[nodiscard]] core::Result<void> begin_frame(std::int64_t frame_time_ns);
    [[nodiscard]] core::Result<void> step(const isotick_step& step);
    [[nodiscard]] core::Result<void> render(double alpha);
    [[nodiscard]] core::Result<void> hash();

    /// Of a hash, writes the parts: their names are valid as long as this object.
    [[nodiscard]] core::Result<void> settle(isotick_part* parts, std::uint32_t capacity,
                                            std::uint32_t& count);

    [[nodiscard]] core::Result<void> propose_input(isotick_proposal& proposal);
    [[nodiscard]] core::Result<void> write_to(const isotick_sink& sink, Verb verb);
    [[nodiscard]] core::Result<void> load(const std::uint8_t* data, std::uint64_t size);
    [[nodiscard]] core::Result<void> note_writes(const isotick_sink* log);

  private:
    ProcessInstance(Connection connection, ProcessNotes& notes)
        : connection_(std::move(connection)), notes_(&notes) {}

    [[nodiscard]] core::Result<void> queue(Verb verb);
    [[nodiscard]] core::Result<Answer> answer(Verb verb);
    [[nodiscard]] core::Result<void> take_part_names();
    [[nodiscard]] core::Result<void> note_checkpoints(const Answer& stepped);

    Connection connection_;
    ProcessNotes* notes_;
    std::deque<Verb> queued_;
    std::vector<std::string> part_names_;
};

/// Hands the body of a good answer to `sink`.
[[nodiscard]] core::Result<void> answer_into(const isotick_sink& sink,
                                             const core::Result<Answer>& answer);

namespace {

using core::ErrorCode;
using core::Result;

tl::unexpected<core::Error> bad_answer(const std::string& what) {
    return core::fail(ErrorCode::simulation, "its process answered with " + what);
}

}  // namespace

Result<std::unique_ptr<ProcessInstance>> ProcessInstance::create(const std::string& command,
                                                                 const ProcessInfo& facts,
                                                                 const isotick_setup& setup,
                                                                 ProcessNotes& notes) {
    auto connection = Connection::open(command);
    if (!connection) {
        notes.shortage = connection.error();
        return tl::unexpected(connection.error());
    }
    auto instance =
        std::unique_ptr<ProcessInstance>(new ProcessInstance(*std::move(connection), notes));
    request_hello(instance->connection_);
    put_create(instance->connection_.requests(), setup);
    ProcessInfo now;
    ISOTICK_TRY(receive_hello(instance->connection_, now));
    if (now.name != facts.name || now.verbs != facts.verbs) {
        return core::fail(ErrorCode::simulation, "its info differs from start to start");
    }
    ISOTICK_TRY(instance->take_part_names());
    return instance;
}

ProcessInstance::~ProcessInstance() {
    if (!notes_->bad_end.empty() || connection_.is_over()) {
        return;
    }
    connection_.hang_up();
    const auto ending = connection_.await_end(ChildProcess::kPatience);
    if (!ending.process) {
        notes_->bad_end = "its process was still there 2 s after the end of its stdin";
    } else if (!ending.process->well()) {
        notes_->bad_end = "its process " + end_in_words(*ending.process);
    } else if (queued_.empty() && !ending.rest.empty()) {
        notes_->bad_end = "its process wrote more to stdout than the answers: " + ending.rest;
    }
}

Result<void> ProcessInstance::take_part_names() {
    ISOTICK_TRY_ASSIGN(const auto created, answer(Verb::create));
    return part_names_in(created.body).map([this](std::vector<std::string>&& names) {
        part_names_ = std::move(names);
    });
}

Result<void> ProcessInstance::queue(Verb verb) {
    queued_.push_back(verb);
    return connection_.post();
}

Result<void> ProcessInstance::begin_frame(std::int64_t frame_time_ns) {
    {
        const Message message(connection_.requests(), Verb::begin_frame);
        core::put(connection_.requests(), static_cast<std::uint64_t>(frame_time_ns));
    }
    return queue(Verb::begin_frame);
}

Result<void> ProcessInstance::step(const isotick_step& step) {
    const core::Bytes& requests = connection_.requests();
    const std::size_t before = requests.size();
    put_step(connection_.requests(), step);
    if (requests.size() - before > kSizeBytes + kLongestRequest) {
        return core::fail(ErrorCode::limit,
                          "its inputs are longer than the 64 MiB that a request may have");
    }
    return queue(Verb::step);
}

Result<void> ProcessInstance::render(double alpha) {
    {
        const Message message(connection_.requests(), Verb::render);
        core::put(connection_.requests(), std::bit_cast<std::uint64_t>(alpha));
    }
    return queue(Verb::render);
}

Result<void> ProcessInstance::hash() {
    { const Message message(connection_.requests(), Verb::hash); }
    return queue(Verb::hash);
}

Result<void> ProcessInstance::settle(isotick_part* parts, std::uint32_t capacity,
                                     std::uint32_t& count) {
    assert(!queued_.empty());
    const Verb verb = queued_.front();
    queued_.pop_front();
    ISOTICK_TRY_ASSIGN(const auto settled, answer(verb));
    if (verb != Verb::hash) {
        return verb == Verb::step ? note_checkpoints(settled) : Result<void>();
    }
    core::ByteReader reader(settled.body);
    if (reader.remaining() != part_names_.size() * sizeof(std::uint64_t) ||
        part_names_.size() > capacity) {
        return bad_answer(std::to_string(reader.remaining()) + " bytes of hashes; " +
                          std::to_string(part_names_.size()) + " parts take 8 each");
    }
    count = static_cast<std::uint32_t>(part_names_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        parts[i] = {part_names_[i].c_str(), reader.get<std::uint64_t>()};
    }
    return {};
}

Result<void> ProcessInstance::note_checkpoints(const Answer& stepped) {
    ISOTICK_TRY_ASSIGN(const auto names, checkpoints_in(stepped.body));
    for (const std::string& name : names) {
        note_reached(notes_->reached, name);
    }
    return {};
}

Result<Answer> ProcessInstance::answer(Verb verb) {
    ISOTICK_TRY_ASSIGN(auto received, connection_.receive(verb));
    ISOTICK_TRY(check_answer(received));
    return received;
}

Result<void> ProcessInstance::propose_input(isotick_proposal& proposal) {
    core::Bytes& out = connection_.requests();
    {
        const Message message(out, Verb::propose_input);
        core::put(out, proposal.player);
        core::put(out, proposal.tick);
        core::put(out, proposal.entropy);
    }
    ISOTICK_TRY_ASSIGN(const auto proposed, answer(Verb::propose_input));
    core::ByteReader reader(proposed.body);
    proposal.present = reader.get<std::uint8_t>();
    const auto input = reader.take(reader.remaining());
    if (!reader.ok() || proposal.present > 1 || input.size() > proposal.capacity) {
        return bad_answer("an invalid input: " + std::to_string(proposed.body.size()) + " bytes");
    }
    proposal.size = input.size();
    if (!input.empty()) {
        std::memcpy(proposal.data, input.data(), input.size());
    }
    return {};
}

Result<void> ProcessInstance::write_to(const isotick_sink& sink, Verb verb) {
    { const Message message(connection_.requests(), verb); }
    return answer_into(sink, answer(verb));
}

Result<void> ProcessInstance::load(const std::uint8_t* data, std::uint64_t size) {
    if (size >= kLongestMessage) {
        return core::fail(ErrorCode::limit,
                          "a snapshot of more than 1 GiB cannot be sent to a process");
    }
    {
        const Message message(connection_.requests(), Verb::load);
        core::put_bytes(connection_.requests(), std::as_bytes(std::span(data, size)));
    }
    return answer(Verb::load).map([](const Answer&) {});
}

Result<void> ProcessInstance::note_writes(const isotick_sink* log) {
    {
        const Message message(connection_.requests(), Verb::note_writes);
        core::put(connection_.requests(), static_cast<std::uint8_t>(log == nullptr ? 1 : 0));
    }
    auto noted = answer(Verb::note_writes);
    return log == nullptr ? noted.map([](const Answer&) {}) : answer_into(*log, noted);
}

Result<void> answer_into(const isotick_sink& sink, const Result<Answer>& answer) {
    if (!answer) {
        return tl::unexpected(answer.error());
    }
    return sink.write(sink.context, answer->body.data(), answer->body.size()) == ISOTICK_OK
               ? Result<void>()
               : core::fail(ErrorCode::simulation, "the host wants no more");
}

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

std::int32_t note_writes(isotick_simulation* simulation, const isotick_sink* log,
                         isotick_message* message) {
    return across(message, [&] { return instance_of(simulation).note_writes(log); });
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
    note_writes = &harness::note_writes;
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
