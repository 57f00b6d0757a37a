#include "pile.hpp"

#include "pile_solver.hpp"
#include "reference/config_keys.hpp"

#include <isotick/core/input_text.hpp>

#include <algorithm>
#include <stdexcept>

#include <cereal/types/vector.hpp>

namespace isotick::core::reference::pile {
namespace {

constexpr float kSpacing = 1.3F;    // metres; more than any body's diameter
constexpr float kLeastHalf = 0.2F;  // metres
constexpr float kMostHalf = 0.45F;  // metres
constexpr std::uint32_t kLeastColumns = 5;
constexpr float kHeadroom = 4.0F;  // metres

// A little wider than high.
std::uint32_t columns_for(std::uint32_t count) {
    std::uint32_t columns = kLeastColumns;
    while (columns * columns < 2 * count) {
        ++columns;
    }
    return columns;
}

float between(float least, float most, Pcg32& random) {
    return least + (most - least) * random.unit_float();
}

Body make_wall(Vector position, Rotation normal) {
    Body wall;
    wall.position = position;
    wall.rotation = normal;
    return wall;
}

}  // namespace

Body make_body(Shape shape, Vector half, Vector position) {
    constexpr float kPi = 3.14159265F;
    const bool is_circle = shape == Shape::circle;
    const float mass = is_circle ? kPi * half.x * half.x : 4.0F * half.x * half.y;
    const float squared = half.x * half.x + half.y * half.y;
    const float inertia = is_circle ? 0.5F * mass * half.x * half.x : mass * squared / 3.0F;
    Body body;
    body.position = position;
    body.half = half;
    body.inverse_mass = 1.0F / mass;
    body.inverse_inertia = 1.0F / inertia;
    body.shape = shape;
    return body;
}

World make_world(std::uint32_t count) {
    const std::uint32_t columns = columns_for(count);
    const std::uint32_t rows = (count + columns - 1) / columns;
    return {.ticks = 0,
            .width = static_cast<float>(columns) * kSpacing,
            .height = static_cast<float>(rows) * kSpacing + kHeadroom};
}

std::vector<Body> make_bodies(const World& world, std::uint32_t count, Pcg32& random) {
    std::vector<Body> bodies{make_wall({0.0F, 0.0F}, {0.0F, 1.0F}),
                             make_wall({0.0F, 0.0F}, {1.0F, 0.0F}),
                             make_wall({world.width, 0.0F}, {-1.0F, 0.0F}),
                             make_wall({0.0F, world.height}, {0.0F, -1.0F})};
    const std::uint32_t columns = columns_for(count);
    for (std::uint32_t index = 0; index < count; ++index) {
        const Vector position{(static_cast<float>(index % columns) + 0.5F) * kSpacing,
                              (static_cast<float>(index / columns) + 0.5F) * kSpacing};
        const Shape shape = random.chance(1, 2) ? Shape::circle : Shape::box;
        const float half = between(kLeastHalf, kMostHalf, random);
        const float other = between(kLeastHalf, kMostHalf, random);
        Body body = make_body(shape, {half, shape == Shape::circle ? half : other}, position);
        body.rotation = normalised(1.0F, between(-1.0F, 1.0F, random));
        body.velocity.x = between(-1.0F, 1.0F, random);
        bodies.push_back(body);
    }
    return bodies;
}

namespace {

constexpr std::size_t kPushLength = 5;
constexpr std::size_t kDropLength = 4;

}  // namespace

std::optional<Command> CommandReader::next() {
    const bool readable = !rest_.empty() && taken_ < kMostCommands &&
                          rest_[0] <= static_cast<std::uint8_t>(CommandKind::drop);
    if (!readable) {
        return std::nullopt;
    }
    Command command{.kind = static_cast<CommandKind>(rest_[0])};
    const bool is_push = command.kind == CommandKind::push;
    const std::size_t length = is_push ? kPushLength : kDropLength;
    if (rest_.size() < length) {
        return std::nullopt;
    }
    command.body = static_cast<std::uint16_t>(rest_[1] | rest_[2] << 8);
    if (is_push) {
        command.right = static_cast<std::int8_t>(rest_[3]);
        command.up = static_cast<std::int8_t>(rest_[4]);
    } else {
        command.x = rest_[3];
    }
    rest_ = rest_.subspan(length);
    ++taken_;
    return command;
}

void append_command(const Command& command, std::vector<std::uint8_t>& bytes) {
    bytes.push_back(static_cast<std::uint8_t>(command.kind));
    bytes.push_back(static_cast<std::uint8_t>(command.body & 0xff));
    bytes.push_back(static_cast<std::uint8_t>(command.body >> 8));
    if (command.kind == CommandKind::push) {
        bytes.push_back(static_cast<std::uint8_t>(command.right));
        bytes.push_back(static_cast<std::uint8_t>(command.up));
    } else {
        bytes.push_back(command.x);
    }
}

}  // namespace isotick::core::reference::pile

namespace isotick::core::reference {

using namespace pile;

namespace {

constexpr std::uint64_t kUsualBodies = 60;
constexpr std::uint64_t kMostBodies = 2000;
constexpr float kGravity = 10.0F;            // metres per second squared
constexpr float kFastest = 30.0F;            // metres per second to each side; radians per second
constexpr float kDrag = 0.05F;               // of the velocity, per second
constexpr float kTurningDrag = 1.0F;         // of the spin, per second
constexpr float kLongestTick = 1.0F;         // seconds
constexpr std::uint32_t kDropCooldown = 60;  // ticks
constexpr int kPasses = 8;
constexpr int kRelaxingPasses = 3;

// Cut to -most … most; what is not a number becomes -most.
float within(float most, float value) {
    return value < most ? (value > -most ? value : -most) : (value >= most ? most : -most);
}

// Cut to 0 … most.
float in_room(float most, float coordinate) {
    const float positive = coordinate > 0.0F ? coordinate : 0.0F;
    return positive < most ? positive : most;
}

}  // namespace

Pile::Pile(const SimulationSetup& setup) : random_(setup.seed, 0) {
    require_known_keys(setup.config, {"bodies"});
    const auto count = static_cast<std::uint32_t>(
        take_setting(setup.config.number("bodies", kUsualBodies, 1, kMostBodies)));
    players_.resize(setup.players);
    world_ = make_world(count);
    bodies_ = make_bodies(world_, count, random_);
    island_builder_.rebuild(bodies_, {}, islands_);
}

void Pile::step(const Step& step) {
    begin_tick(step);
    advance(static_cast<float>(step.dt_seconds));
}

void Pile::render(double alpha) {
    const auto blend = static_cast<float>(alpha);
    const std::size_t count = std::min(bodies_.size(), previous_.size());
    drawn_.resize(count);
    for (std::size_t body = 0; body < count; ++body) {
        drawn_[body] = previous_[body] + (bodies_[body].position - previous_[body]) * blend;
    }
}

void Pile::begin_tick(const Step& step) {
    ++world_.ticks;
    drops_ = 0;
    previous_.clear();
    for (const Body& body : bodies_) {
        previous_.push_back(body.position);
    }
    for (std::size_t player = 0; player < players_.size(); ++player) {
        if (const auto input = step.inputs.of(player)) {
            take_input(player, *input);
        }
        if (players_[player].cooldown > 0) {
            --players_[player].cooldown;
        }
    }
}

void Pile::take_input(std::size_t player, std::span<const std::uint8_t> bytes) {
    ++players_[player].inputs;
    CommandReader reader(bytes);
    while (const auto command = reader.next()) {
        obey(players_[player], *command);
    }
}

void Pile::obey(Player& player, const Command& command) {
    const bool can_obey = command.kind == CommandKind::push || player.cooldown == 0;
    if (bodies_.size() <= kWalls || !can_obey) {
        return;
    }
    ++player.commands;
    Body& body = bodies_[kWalls + command.body % (bodies_.size() - kWalls)];
    wake(body, bodies_, islands_);
    if (command.kind == CommandKind::push) {
        body.velocity.x += static_cast<float>(command.right) * (1.0F / 16.0F);
        body.velocity.y += static_cast<float>(command.up) * (1.0F / 16.0F);
        return;
    }
    player.cooldown = kDropCooldown;
    drop(body, command.x);
}

void Pile::drop(Body& body, std::uint8_t x) {
    constexpr float kFastestTurn = 2.0F;  // radians per second
    ++drops_;
    const float tilt = random_.unit_float() * 2.0F - 1.0F;
    const float turn = random_.unit_float() * 2.0F - 1.0F;
    const float room = world_.width - 2.0F * kDropMargin;
    body.position.x = kDropMargin + room * (static_cast<float>(x) * (1.0F / 256.0F));
    body.position.y = world_.height - kDropMargin;
    body.rotation = normalised(1.0F, tilt);
    body.velocity = {};
    body.spin = turn * kFastestTurn;
}

void Pile::advance(float seconds) {
    if (!(seconds > 0.0F)) {
        return;
    }
    seconds = std::min(seconds, kLongestTick);
    const float per_second = 1.0F / seconds;
    find_contacts(seconds);
    take_impulses(contacts_, constraints_);
    accelerate(seconds);
    warm_start(bodies_, constraints_);
    for (int pass = 0; pass < kPasses; ++pass) {
        solve(bodies_, constraints_, per_second, Overlap::push_apart);
    }
    move(seconds);
    for (int pass = 0; pass < kRelaxingPasses; ++pass) {
        solve(bodies_, constraints_, per_second, Overlap::leave);
    }
    keep_impulses(constraints_, bodies_, islands_, contacts_, kept_contacts_);
    island_builder_.rebuild(bodies_, constraints_, islands_);
}

// Whatever touches a sleeper wakes its whole island, whose contacts then count too.
void Pile::find_contacts(float seconds) {
    const std::span<const Pair> pairs = broad_phase_.find(bodies_, seconds);
    while (collide_pairs(pairs, seconds)) {
    }
}

// Makes the constraints of all pairs that can move; true if one of them was woken by that.
bool Pile::collide_pairs(std::span<const Pair> pairs, float seconds) {
    bool woke = false;
    constraints_.clear();
    for (const auto [a, b] : pairs) {
        const Body& one = bodies_[a];
        const Body& other = bodies_[b];
        if (!is_awake(one, islands_) && !is_awake(other, islands_)) {
            continue;
        }
        const Manifold manifold = collide(one, other, touching_margin(one, other, seconds));
        for (std::uint32_t point = 0; point < manifold.count; ++point) {
            constraints_.push_back(
                make_constraint(bodies_, a, b, manifold, manifold.points[point]));
        }
        for (const Body* body : {&one, &other}) {
            if (manifold.count != 0 && is_asleep(*body, islands_)) {
                wake(*body, bodies_, islands_);
                woke = true;
            }
        }
    }
    return woke;
}

void Pile::accelerate(float seconds) {
    const float kept = 1.0F / (1.0F + seconds * kDrag);
    const float kept_spin = 1.0F / (1.0F + seconds * kTurningDrag);
    for (Body& body : bodies_) {
        if (is_awake(body, islands_)) {
            body.velocity.y -= kGravity * seconds;
            body.velocity = body.velocity * kept;
            body.spin *= kept_spin;
        }
    }
}

void Pile::move(float seconds) {
    for (Body& body : bodies_) {
        if (!is_awake(body, islands_)) {
            continue;
        }
        body.velocity = {within(kFastest, body.velocity.x), within(kFastest, body.velocity.y)};
        body.spin = within(kFastest, body.spin);
        const Vector moved = body.position + body.velocity * seconds;
        body.position = {in_room(world_.width, moved.x), in_room(world_.height, moved.y)};
        body.rotation = turned(body.rotation, body.spin * seconds);
    }
}

// The bot of a pile: now and then it pushes or drops something, from nothing but entropy.

namespace {

constexpr std::uint32_t kTicksPerInput = 40;  // on average
constexpr std::uint32_t kInputsPerEmptyOne = 16;
constexpr std::uint32_t kMostCommands = 3;
constexpr std::uint32_t kCommandsPerDrop = 4;

pile::Command any_command(Pcg32& chance, std::uint32_t bodies) {
    pile::Command command;
    command.kind =
        chance.below(kCommandsPerDrop) == 0 ? pile::CommandKind::drop : pile::CommandKind::push;
    command.body = static_cast<std::uint16_t>(chance.below(bodies));
    if (command.kind == pile::CommandKind::drop) {
        command.x = static_cast<std::uint8_t>(chance.below(256));
    } else {
        command.right = static_cast<std::int8_t>(chance.between(-100, 100));
        command.up = static_cast<std::int8_t>(chance.between(-20, 120));
    }
    return command;
}

}  // namespace

bool Pile::propose_input(const Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
    if (proposal.player == ISOTICK_WORLD) {
        return false;
    }
    Pcg32 chance(proposal.entropy, proposal.player);
    if (chance.below(kTicksPerInput) != 0) {
        return false;
    }
    if (chance.below(kInputsPerEmptyOne) != 0) {
        const auto bodies = static_cast<std::uint32_t>(bodies_.size()) - pile::kWalls;
        const std::uint32_t count = 1 + chance.below(kMostCommands);
        for (std::uint32_t i = 0; i < count; ++i) {
            append_command(any_command(chance, bodies), bytes);
        }
    }
    return true;
}

// The inputs of a pile as people write them: [{"command":"push","body":7,"right":-20,"up":100}].

namespace {

using pile::Command;
using pile::CommandKind;
using pile::CommandReader;

enum class Verb : std::uint8_t { missing = 0xff };

const char* isotick_enum_name(Verb verb) {
    switch (static_cast<CommandKind>(verb)) {
        case CommandKind::push:
            return "push";
        case CommandKind::drop:
            return "drop";
    }
    return "";
}

struct CommandText {
    Verb command = Verb::missing;
    Command values;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(command), cereal::make_nvp("body", values.body));
        if (static_cast<CommandKind>(command) == CommandKind::push) {
            archive(cereal::make_nvp("right", values.right), cereal::make_nvp("up", values.up));
        } else {
            archive(cereal::make_nvp("x", values.x));
        }
    }
};

std::vector<std::uint8_t> as_bytes(const std::vector<CommandText>& commands) {
    if (commands.size() > CommandReader::kMostCommands) {
        throw std::invalid_argument("at most 16 commands are obeyed at a time");
    }
    std::vector<std::uint8_t> bytes;
    for (const CommandText& text : commands) {
        Command command = text.values;
        command.kind = static_cast<CommandKind>(text.command);
        if (command.kind > CommandKind::drop) {
            throw std::invalid_argument("command: there are push and drop");
        }
        append_command(command, bytes);
    }
    return bytes;
}

}  // namespace

std::string Pile::describe_input(std::uint32_t player, std::span<const std::uint8_t> bytes) {
    if (player == ISOTICK_WORLD) {
        throw std::invalid_argument("the world commands nothing");
    }
    std::vector<CommandText> commands;
    CommandReader reader(bytes);
    while (const auto command = reader.next()) {
        commands.push_back({static_cast<Verb>(command->kind), *command});
    }
    if (!std::ranges::equal(as_bytes(commands), bytes)) {
        throw std::invalid_argument("not all of these bytes are commands");
    }
    return to_json(commands);
}

std::vector<std::uint8_t> Pile::compose_input(std::uint32_t player, std::string_view json) {
    if (player == ISOTICK_WORLD) {
        throw std::invalid_argument("the world commands nothing");
    }
    return as_bytes(from_json<std::vector<CommandText>>(json));
}

}  // namespace isotick::core::reference
