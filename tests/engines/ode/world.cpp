#include "world.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace isotick::engines::ode {
namespace {

constexpr double kDensity = 100.0;  // kilograms per cubic metre
constexpr int kMostPoints = 8;      // between two bodies
constexpr double kSoftness = 1e-5;  // constraint force mixing: a little keeps piles quiet

Vector3<double> vector(const dReal* from) {
    return {from[0], from[1], from[2]};
}

// dBodySetQuaternion makes the length 1 again, which changes the last bit of many a rotation.
// So the bits go where ODE shows that it keeps them, with the matrix that it makes of them.
void set_exactly(dBodyID body, const dQuaternion& turn) {
    std::copy_n(turn, 4, const_cast<dReal*>(dBodyGetQuaternion(body)));
    dQtoR(turn, const_cast<dReal*>(dBodyGetRotation(body)));
}

#if defined(ISOTICK_NAIVE_SNAPSHOTS)
constexpr bool kNaive = true;
#else
constexpr bool kNaive = false;
#endif

std::size_t number_of(dGeomID geom) {
    return reinterpret_cast<std::uintptr_t>(dGeomGetData(geom));
}

// ODE is prepared once for the process, and never put away: another plug-in may use it.
void initialise_ode() {
    static const bool ready = dInitODE2(0) != 0;
    if (!ready) {
        throw std::runtime_error("ODE does not start");
    }
}

bool has_own_random(const core::Settings& config) {
    const auto random = config.find("random").value_or("world");
    if (random != "world" && random != "process") {
        throw core::BadSettings("random is world or process");
    }
    return random == "world";
}

}  // namespace

World::World(const core::SimulationSetup& setup)
    : own_random_(has_own_random(setup.config)),
      random_(static_cast<unsigned long>(setup.seed & 0xffffffffU)) {
    const std::uint32_t count = bodies_setting(setup.config, 60);
    initialise_ode();
    if (!own_random_) {
        dRandSetSeed(random_);
    }
    world_.reset(dWorldCreate());
    space_.reset(dHashSpaceCreate(nullptr));
    contacts_.reset(dJointGroupCreate(0));
    dWorldSetGravity(world_.get(), 0.0, static_cast<double>(kGravity), 0.0);
    dWorldSetCFM(world_.get(), kSoftness);
    build_walls();
    for (std::uint32_t index = 0; index < count; ++index) {
        add_body(plan_body(kDeepPile, setup.seed, index));
    }
}

void World::build_walls() {
    const double side = -static_cast<double>(kDeepPile.half_width);
    add_collider(dCreatePlane(space_.get(), 0.0, 1.0, 0.0, 0.0));
    for (const double sign : {1.0, -1.0}) {
        add_collider(dCreatePlane(space_.get(), sign, 0.0, 0.0, side));
        add_collider(dCreatePlane(space_.get(), 0.0, 0.0, sign, side));
    }
    restitutions_.resize(colliders_.size(), 0.0);
}

void World::add_collider(dGeomID geom) {
    dGeomSetData(geom, reinterpret_cast<void*>(colliders_.size()));
    colliders_.push_back(geom);
}

void World::add_body(const BodyPlan& plan) {
    const double half = static_cast<double>(plan.half);
    dBodyID body = dBodyCreate(world_.get());
    dMass mass;
    if (plan.round) {
        dMassSetSphere(&mass, kDensity, half);
        add_collider(dCreateSphere(space_.get(), half));
    } else {
        dMassSetBox(&mass, kDensity, 2.0 * half, 2.0 * half, 2.0 * half);
        add_collider(dCreateBox(space_.get(), 2.0 * half, 2.0 * half, 2.0 * half));
    }
    dBodySetMass(body, &mass);
    dGeomSetBody(colliders_.back(), body);
    dBodySetPosition(body, static_cast<double>(plan.x), static_cast<double>(plan.y),
                     static_cast<double>(plan.z));
    dMatrix3 rotation;
    dRFromAxisAndAngle(rotation, 0.0, 0.0, 1.0, static_cast<double>(plan.angle));
    dBodySetRotation(body, rotation);
    bodies_.push_back(body);
    restitutions_.push_back(static_cast<double>(plan.restitution));
}

void World::push(const Push& push) {
    const dReal* now = dBodyGetLinearVel(bodies_[push.body]);
    dBodySetLinearVel(bodies_[push.body], now[0] + static_cast<double>(push.right),
                      now[1] + static_cast<double>(push.up), now[2]);
}

void World::add_contacts(void* world, dGeomID a, dGeomID b) {
    World& self = *static_cast<World*>(world);
    std::array<dContact, kMostPoints> points;
    const int count = dCollide(a, b, kMostPoints, &points[0].geom, sizeof(dContact));
    const double restitution = self.restitutions_[number_of(a)] + self.restitutions_[number_of(b)];
    for (int i = 0; i < count; ++i) {
        dContact& point = points[static_cast<std::size_t>(i)];
        point.surface = {};
        point.surface.mode = dContactBounce | dContactApprox1;
        point.surface.mu = static_cast<double>(kFriction);
        point.surface.bounce = restitution;
        point.surface.bounce_vel = 0.5;
        dJointID joint = dJointCreateContact(self.world_.get(), self.contacts_.get(), &point);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

void World::advance(double dt_seconds) {
    if (own_random_) {
        dRandSetSeed(random_);
    }
    dSpaceCollide(space_.get(), this, &World::add_contacts);
    const bool stepped = dWorldQuickStep(world_.get(), dt_seconds) != 0;
    dJointGroupEmpty(contacts_.get());
    if (own_random_) {
        random_ = dRandGetSeed();
    }
    if (!stepped) {
        throw std::runtime_error("ODE has no memory for this tick");
    }
}

State World::state() const {
    State state;
    for (dBodyID body : bodies_) {
        const dReal* turn = dBodyGetQuaternion(body);
        state.bodies.push_back({vector(dBodyGetPosition(body)),
                                vector(dBodyGetLinearVel(body)),
                                vector(dBodyGetAngularVel(body)),
                                {turn[0], turn[1], turn[2], turn[3]}});
    }
    for (int i = 0; i < dSpaceGetNumGeoms(space_.get()); ++i) {
        state.order.push_back(
            static_cast<std::uint32_t>(number_of(dSpaceGetGeom(space_.get(), i))));
    }
    state.random = own_random_ ? random_ : 0;
    return state;
}

void World::restore(const State& state) {
    for (std::size_t index = 0; index < bodies_.size(); ++index) {
        const Body& from = state.bodies[index];
        dBodyID body = bodies_[index];
        dBodySetPosition(body, from.position.x, from.position.y, from.position.z);
        const dQuaternion turn = {from.rotation.w, from.rotation.x, from.rotation.y,
                                  from.rotation.z};
        dBodySetQuaternion(body, turn);
        dBodySetLinearVel(body, from.velocity.x, from.velocity.y, from.velocity.z);
        dBodySetAngularVel(body, from.spin.x, from.spin.y, from.spin.z);
        if (!kNaive) {
            set_exactly(body, turn);
        }
    }
    if (!kNaive) {
        restore_order(state.order);
        random_ = static_cast<unsigned long>(state.random);
    }
}

void World::restore_order(const std::vector<std::uint32_t>& order) {
    std::vector<bool> seen(colliders_.size());
    for (const std::uint32_t number : order) {
        if (number >= seen.size() || seen[number]) {
            throw std::runtime_error("the order is no order of what collides");
        }
        seen[number] = true;
    }
    if (order.size() != seen.size()) {
        throw std::runtime_error("the order leaves something out");
    }
    for (auto number = order.rbegin(); number != order.rend(); ++number) {
        dSpaceRemove(space_.get(), colliders_[*number]);
        dSpaceAdd(space_.get(), colliders_[*number]);  // to the front
    }
}

}  // namespace isotick::engines::ode
