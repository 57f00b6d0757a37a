#include "world.hpp"

namespace isotick::engines::chipmunk {
namespace {

constexpr int kIterations = 10;
constexpr double kSleepAfter = 0.5;  // seconds

Vector2<double> vector(cpVect from) {
    return {from.x, from.y};
}

// Bodies carry their number where users keep a pointer.
std::uint32_t number_of(const cpBody* body) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(cpBodyGetUserData(body)));
}

void add_contact(cpBody* body, cpArbiter* arbiter, void* contacts) {
    cpBody* one = nullptr;
    cpBody* other = nullptr;
    cpArbiterGetBodies(arbiter, &one, &other);  // `body` and what it touches
    static_cast<std::vector<Contact>*>(contacts)->push_back(
        {number_of(body), number_of(other), static_cast<std::uint32_t>(cpArbiterGetCount(arbiter)),
         vector(cpArbiterTotalImpulse(arbiter))});
}

}  // namespace

World::World(const core::SimulationSetup& setup) : space_(cpSpaceNew()) {
    const std::uint32_t count = bodies_setting(setup.config, 60);
    cpSpaceSetGravity(space_.get(), cpv(0.0, static_cast<double>(kGravity)));
    cpSpaceSetIterations(space_.get(), kIterations);
    cpSpaceSetSleepTimeThreshold(space_.get(), kSleepAfter);
    cpBodySetUserData(cpSpaceGetStaticBody(space_.get()),
                      reinterpret_cast<cpDataPointer>(std::uintptr_t{count}));
    build_walls();
    for (std::uint32_t index = 0; index < count; ++index) {
        add_body(plan_body(kFlatPile, setup.seed, index));
    }
}

void World::build_walls() {
    const double side = static_cast<double>(kFlatPile.half_width);
    const double top = static_cast<double>(kWallHeight);
    const cpVect corners[] = {cpv(-side, top), cpv(-side, 0.0), cpv(side, 0.0), cpv(side, top)};
    cpBody* still = cpSpaceGetStaticBody(space_.get());
    for (std::size_t i = 0; i < 3; ++i) {
        add_shape(cpSegmentShapeNew(still, corners[i], corners[i + 1], 0.0), 0.0);
    }
}

void World::add_body(const BodyPlan& plan) {
    const double half = static_cast<double>(plan.half);
    const double mass = plan.round ? 3.0 * half * half : 4.0 * half * half;
    const double moment = plan.round ? cpMomentForCircle(mass, 0.0, half, cpvzero)
                                     : cpMomentForBox(mass, 2.0 * half, 2.0 * half);
    cpBody* body = cpSpaceAddBody(space_.get(), cpBodyNew(mass, moment));
    cpBodySetUserData(body, reinterpret_cast<cpDataPointer>(bodies_.size()));
    bodies_.emplace_back(body);
    cpBodySetPosition(body, cpv(static_cast<double>(plan.x), static_cast<double>(plan.y)));
    cpBodySetAngle(body, static_cast<double>(plan.angle));
    add_shape(plan.round ? cpCircleShapeNew(body, half, cpvzero)
                         : cpBoxShapeNew(body, 2.0 * half, 2.0 * half, 0.0),
              static_cast<double>(plan.restitution));
}

void World::add_shape(cpShape* shape, double restitution) {
    shapes_.emplace_back(cpSpaceAddShape(space_.get(), shape));
    cpShapeSetFriction(shape, static_cast<double>(kFriction));
    cpShapeSetElasticity(shape, restitution);
}

void World::push(const Push& push) {
    cpBody* body = bodies_[push.body].get();
    const cpVect change = cpv(static_cast<double>(push.right), static_cast<double>(push.up));
    cpBodyActivate(body);
    cpBodySetVelocity(body, cpvadd(cpBodyGetVelocity(body), change));
}

void World::advance(double dt_seconds) {
    cpSpaceStep(space_.get(), dt_seconds);
}

State World::state() const {
    State state;
    for (const auto& body : bodies_) {
        state.bodies.push_back({vector(cpBodyGetPosition(body.get())),
                                vector(cpBodyGetVelocity(body.get())), cpBodyGetAngle(body.get()),
                                cpBodyGetAngularVelocity(body.get()),
                                cpBodyIsSleeping(body.get()) != 0});
        cpBodyEachArbiter(body.get(), add_contact, &state.contacts);
    }
    return state;
}

void World::restore(const State& state) {
    for (std::size_t index = 0; index < bodies_.size(); ++index) {
        const Body& from = state.bodies[index];
        cpBody* body = bodies_[index].get();
        cpBodyActivate(body);
        cpBodySetPosition(body, cpv(from.position.x, from.position.y));
        cpBodySetVelocity(body, cpv(from.velocity.x, from.velocity.y));
        cpBodySetAngle(body, from.angle);
        cpBodySetAngularVelocity(body, from.spin);
    }
}

}  // namespace isotick::engines::chipmunk
