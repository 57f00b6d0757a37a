#include "world.hpp"

namespace isotick::engines::box2d {
namespace {

constexpr int kVelocityIterations = 8;
constexpr int kPositionIterations = 3;

Vector2<float> vector(const b2Vec2& from) {
    return {from.x, from.y};
}

std::uint32_t number_of(const b2Fixture* fixture) {
    return static_cast<std::uint32_t>(
        const_cast<b2Fixture*>(fixture)->GetBody()->GetUserData().pointer);
}

}  // namespace

World::World(const core::SimulationSetup& setup) : world_(b2Vec2(0.0F, kGravity)) {
    const std::uint32_t count = bodies_setting(setup.config, 60);
    world_.SetWarmStarting(true);
    build_walls(count);
    for (std::uint32_t index = 0; index < count; ++index) {
        add_body(plan_body(kFlatPile, setup.seed, index));
    }
}

void World::build_walls(std::uint32_t number) {
    b2BodyDef definition;
    definition.userData.pointer = number;
    const float side = kFlatPile.half_width;
    const b2Vec2 corners[] = {// clockwise, so that the inside is solid
                              {-side, 0.0F},
                              {-side, kWallHeight},
                              {side, kWallHeight},
                              {side, 0.0F}};
    b2ChainShape box;
    box.CreateLoop(corners, 4);
    world_.CreateBody(&definition)->CreateFixture(&box, 0.0F);
}

void World::add_body(const BodyPlan& plan) {
    b2BodyDef definition;
    definition.type = b2_dynamicBody;
    definition.userData.pointer = bodies_.size();
    definition.position.Set(plan.x, plan.y);
    definition.angle = plan.angle;
    b2Body* body = world_.CreateBody(&definition);

    b2CircleShape circle;
    circle.m_radius = plan.half;
    b2PolygonShape square;
    square.SetAsBox(plan.half, plan.half);
    b2FixtureDef fixture;
    fixture.shape = plan.round ? static_cast<const b2Shape*>(&circle) : &square;
    fixture.density = 1.0F;
    fixture.friction = kFriction;
    fixture.restitution = plan.restitution;
    body->CreateFixture(&fixture);
    bodies_.push_back(body);
}

void World::push(const Push& push) {
    b2Body* body = bodies_[push.body];
    body->ApplyLinearImpulseToCenter(body->GetMass() * b2Vec2(push.right, push.up), true);
}

void World::advance(double dt_seconds) {
    world_.Step(static_cast<float>(dt_seconds), kVelocityIterations, kPositionIterations);
}

State World::state() const {
    State state;
    for (const b2Body* body : bodies_) {
        const b2Transform& place = body->GetTransform();
        state.bodies.push_back({vector(place.p), vector(body->GetWorldCenter()),
                                vector(body->GetLinearVelocity()), place.q.s, place.q.c,
                                body->GetAngle(), body->GetAngularVelocity(), body->IsAwake()});
    }
    for (const b2Contact* contact = world_.GetContactList(); contact != nullptr;
         contact = contact->GetNext()) {
        const b2Manifold& manifold = *contact->GetManifold();
        Contact& added = state.contacts.emplace_back(
            Contact{number_of(contact->GetFixtureA()), number_of(contact->GetFixtureB()), {}});
        for (std::int32_t i = 0; i < manifold.pointCount; ++i) {
            const b2ManifoldPoint& point = manifold.points[i];
            added.points.push_back({point.id.key, point.normalImpulse, point.tangentImpulse});
        }
    }
    return state;
}

void World::restore(const State& state) {
    for (std::size_t index = 0; index < bodies_.size(); ++index) {
        const Body& from = state.bodies[index];
        b2Body* body = bodies_[index];
        body->SetTransform({from.position.x, from.position.y}, from.angle);
        body->SetLinearVelocity({from.velocity.x, from.velocity.y});
        body->SetAngularVelocity(from.spin);
        body->SetAwake(from.awake);
    }
}

}  // namespace isotick::engines::box2d
