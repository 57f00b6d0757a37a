#include "pile.hpp"

#include <bit>
#include <initializer_list>

namespace isotick::engines {
namespace {

constexpr float kHalfWidth = 10.0F;  // metres
constexpr float kHeight = 400.0F;
constexpr std::uint32_t kPerRow = 12;
constexpr int kVelocityIterations = 8;
constexpr int kPositionIterations = 3;
constexpr std::size_t kPushBytes = 4;

// SplitMix64: a well-mixed number for each counter (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

// Byte number `which` of `bits`, as a number from 0 to 1.
float fraction(std::uint64_t bits, unsigned which) {
    return static_cast<float>((bits >> (8 * which)) & 0xff) / 255.0F;
}

// A speed in m/s from its byte: two's complement, in 1/8 m/s.
float speed(std::uint8_t byte) {
    return static_cast<float>(static_cast<std::int8_t>(byte)) / 8.0F;
}

void append(std::vector<std::uint32_t>& words, std::initializer_list<float> values) {
    for (const float value : values) {
        words.push_back(std::bit_cast<std::uint32_t>(value));
    }
}

std::uint32_t index_of(b2Fixture* fixture) {
    return static_cast<std::uint32_t>(fixture->GetBody()->GetUserData().pointer);
}

}  // namespace

Pile::Pile(const core::SimulationSetup& setup) : world_(b2Vec2(0.0F, -10.0F)) {
    const std::uint64_t count = core::take_setting(setup.config.number("bodies", 60, 1, 2000));
    world_.SetWarmStarting(true);
    build_walls(static_cast<std::uint32_t>(count));
    for (std::uint32_t index = 0; index < count; ++index) {
        add_body(index, mixed(setup.seed + index));
    }
}

void Pile::build_walls(std::uint32_t index) {
    b2BodyDef definition;
    definition.userData.pointer = index;
    const b2Vec2 corners[] = {
        {-kHalfWidth, 0.0F}, {kHalfWidth, 0.0F}, {kHalfWidth, kHeight}, {-kHalfWidth, kHeight}};
    b2ChainShape box;
    box.CreateLoop(corners, 4);
    world_.CreateBody(&definition)->CreateFixture(&box, 0.0F);
}

void Pile::add_body(std::uint32_t index, std::uint64_t chance) {
    b2BodyDef definition;
    definition.type = b2_dynamicBody;
    definition.userData.pointer = index;
    const float column = static_cast<float>(index % kPerRow) - 0.5F * kPerRow;
    const float row = static_cast<float>(index / kPerRow);
    definition.position.Set(1.5F * column + 0.5F * fraction(chance, 0), 1.0F + 1.5F * row);
    definition.angle = fraction(chance, 1);
    b2Body* body = world_.CreateBody(&definition);

    const float size = 0.25F + 0.25F * fraction(chance, 2);  // metres from centre to side
    b2CircleShape circle;
    circle.m_radius = size;
    b2PolygonShape square;
    square.SetAsBox(size, size);
    b2FixtureDef fixture;
    fixture.shape = index % 3 == 0 ? static_cast<const b2Shape*>(&circle) : &square;
    fixture.density = 1.0F;
    fixture.friction = 0.4F;
    fixture.restitution = 0.3F * fraction(chance, 3);
    body->CreateFixture(&fixture);
    bodies_.push_back(body);
}

void Pile::step(const core::Step& step) {
    for (std::size_t player = 0; player < step.inputs.players(); ++player) {
        if (const auto input = step.inputs.of(player); input && input->size() == kPushBytes) {
            push(*input);
        }
    }
    world_.Step(static_cast<float>(step.dt_seconds), kVelocityIterations, kPositionIterations);
}

void Pile::push(std::span<const std::uint8_t> bytes) {
    b2Body* body = bodies_[(bytes[0] + 256U * bytes[1]) % bodies_.size()];
    const b2Vec2 change(speed(bytes[2]), speed(bytes[3]));
    body->ApplyLinearImpulseToCenter(body->GetMass() * change, true);
}

bool Pile::propose_input(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
    if (proposal.player == ISOTICK_WORLD || proposal.entropy % 8 != 0) {
        return false;
    }
    for (std::size_t i = 0; i < kPushBytes; ++i) {
        bytes.push_back(static_cast<std::uint8_t>(proposal.entropy >> (8 + 8 * i)));
    }
    return true;
}

std::vector<std::uint32_t> Pile::body_words() const {
    std::vector<std::uint32_t> words;
    for (const b2Body* body : bodies_) {
        const b2Transform& transform = body->GetTransform();
        const b2Vec2& centre = body->GetWorldCenter();
        const b2Vec2& velocity = body->GetLinearVelocity();
        append(words,
               {transform.p.x, transform.p.y, transform.q.s, transform.q.c, centre.x, centre.y,
                body->GetAngle(), velocity.x, velocity.y, body->GetAngularVelocity()});
        words.push_back(body->IsAwake() ? 1 : 0);
    }
    return words;
}

std::vector<std::uint32_t> Pile::contact_words() const {
    std::vector<std::uint32_t> words;
    // The list's order is state too: the solver goes through it.
    for (const b2Contact* contact = world_.GetContactList(); contact != nullptr;
         contact = contact->GetNext()) {
        const b2Manifold& manifold = *contact->GetManifold();
        words.push_back(index_of(const_cast<b2Fixture*>(contact->GetFixtureA())));
        words.push_back(index_of(const_cast<b2Fixture*>(contact->GetFixtureB())));
        words.push_back(static_cast<std::uint32_t>(manifold.pointCount));
        for (std::int32_t i = 0; i < manifold.pointCount; ++i) {
            const b2ManifoldPoint& point = manifold.points[i];
            append(words, {point.normalImpulse, point.tangentImpulse});
            words.push_back(point.id.key);
        }
    }
    return words;
}

}  // namespace isotick::engines
