#include "world.hpp"

namespace isotick::engines::bullet {
namespace {

constexpr float kDensity = 100.0F;  // kilograms per cubic metre
constexpr int kMostTicks = 10;      // that Bullet makes of one frame
constexpr float kPi = 3.14159265F;

Vector3<float> vector(const btVector3& from) {
    return {from.x(), from.y(), from.z()};
}
btVector3 vector(const Vector3<float>& from) {
    return {from.x, from.y, from.z};
}

bool has_frames_for_clock(const core::Settings& config) {
    const auto clock = config.find("clock").value_or("tick");
    if (clock != "tick" && clock != "frame") {
        throw core::BadSettings("clock is tick or frame");
    }
    return clock == "frame";
}

}  // namespace

World::World(const core::SimulationSetup& setup)
    : frames_are_clock_(has_frames_for_clock(setup.config)) {
    world_.setGravity({0.0F, kGravity, 0.0F});
    build_walls();
    const std::uint32_t count = bodies_setting(setup.config, 60);
    for (std::uint32_t index = 0; index < count; ++index) {
        add_body(plan_body(kDeepPile, setup.seed, index));
    }
}

void World::build_walls() {
    const float side = -kDeepPile.half_width;
    const btVector4 planes[] = {{0.0F, 1.0F, 0.0F, 0.0F},  // the side it faces; where it stands
                                {1.0F, 0.0F, 0.0F, side},
                                {-1.0F, 0.0F, 0.0F, side},
                                {0.0F, 0.0F, 1.0F, side},
                                {0.0F, 0.0F, -1.0F, side}};
    for (const btVector4& plane : planes) {
        shapes_.push_back(std::make_unique<btStaticPlaneShape>(plane, plane.w()));
        btRigidBody::btRigidBodyConstructionInfo info(0.0F, nullptr, shapes_.back().get());
        info.m_friction = kFriction;
        walls_.push_back(std::make_unique<btRigidBody>(info));
        world_.addRigidBody(walls_.back().get());
    }
}

void World::add_body(const BodyPlan& plan) {
    const float half = plan.half;
    const float volume =
        plan.round ? 4.0F / 3.0F * kPi * half * half * half : 8.0F * half * half * half;
    if (plan.round) {
        shapes_.push_back(std::make_unique<btSphereShape>(half));
    } else {
        shapes_.push_back(std::make_unique<btBoxShape>(btVector3(half, half, half)));
    }
    btVector3 inertia;
    shapes_.back()->calculateLocalInertia(kDensity * volume, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(kDensity * volume, nullptr, shapes_.back().get(),
                                                  inertia);
    info.m_startWorldTransform =
        btTransform(btQuaternion({0.0F, 0.0F, 1.0F}, plan.angle), {plan.x, plan.y, plan.z});
    info.m_friction = kFriction;
    info.m_restitution = plan.restitution;
    auto body = std::make_unique<btRigidBody>(info);
    body->setUserIndex(static_cast<int>(bodies_.size()));
    world_.addRigidBody(body.get());
    bodies_.push_back(std::move(body));
}

void World::push(const Push& push) {
    btRigidBody& body = *bodies_[push.body];
    body.activate(true);
    body.setLinearVelocity(body.getLinearVelocity() + btVector3(push.right, push.up, 0.0F));
}

void World::begin_frame(core::FrameTime frame_time) {
    if (frames_are_clock_) {
        constexpr float kNanosecond = 1e-9F;
        world_.stepSimulation(kNanosecond * static_cast<float>(frame_time.nanoseconds), kMostTicks);
    }
}

void World::advance(double dt_seconds) {
    if (!frames_are_clock_) {
        world_.stepSimulation(static_cast<float>(dt_seconds), 0);  // 0: one tick of this dt
    }
}

State World::state() const {
    State state;
    for (const auto& body : bodies_) {
        const btTransform& place = body->getWorldTransform();
        const btMatrix3x3& axes = place.getBasis();
        state.bodies.push_back({vector(place.getOrigin()),
                                vector(body->getLinearVelocity()),
                                vector(body->getAngularVelocity()),
                                {vector(axes[0]), vector(axes[1]), vector(axes[2])},
                                body->getActivationState(),
                                body->getDeactivationTime()});
    }
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
        const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(i);
        Contact& added = state.contacts.emplace_back(
            Contact{manifold.getBody0()->getUserIndex(), manifold.getBody1()->getUserIndex(), {}});
        for (int at = 0; at < manifold.getNumContacts(); ++at) {
            const btManifoldPoint& point = manifold.getContactPoint(at);
            added.points.push_back({point.getDistance(), point.m_appliedImpulse,
                                    point.m_appliedImpulseLateral1, point.m_appliedImpulseLateral2,
                                    point.getLifeTime()});
        }
    }
    return state;
}

void World::restore(const State& state) {
    for (std::size_t index = 0; index < bodies_.size(); ++index) {
        const Body& from = state.bodies[index];
        btTransform place;
        place.setOrigin(vector(from.position));
        place.setBasis({from.axes[0].x, from.axes[0].y, from.axes[0].z, from.axes[1].x,
                        from.axes[1].y, from.axes[1].z, from.axes[2].x, from.axes[2].y,
                        from.axes[2].z});
        btRigidBody& body = *bodies_[index];
        body.setWorldTransform(place);
        body.setInterpolationWorldTransform(place);
        body.setLinearVelocity(vector(from.velocity));
        body.setAngularVelocity(vector(from.spin));
        body.forceActivationState(from.activation);
        body.setDeactivationTime(from.at_rest);
    }
}

}  // namespace isotick::engines::bullet
