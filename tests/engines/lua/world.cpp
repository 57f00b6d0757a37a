#include "world.hpp"

#include "script.hpp"
#include "tables.hpp"

#include <new>
#include <stdexcept>

namespace isotick::engines::lua {
namespace {

std::string order_setting(const core::Settings& config) {
    const auto order = config.find("order").value_or("sequence");
    if (order != "sequence" && order != "address" && order != "name") {
        throw core::BadSettings("order is sequence, address or name");
    }
    return std::string(order);
}

State first_state(std::uint64_t seed, std::uint32_t count) {
    State state;
    state.random = static_cast<std::int64_t>(seed);
    for (std::uint32_t index = 0; index < count; ++index) {
        const BodyPlan plan = plan_body(kFlatPile, seed, index);
        state.bodies.push_back({{static_cast<double>(plan.x), static_cast<double>(plan.y)},
                                {},
                                static_cast<double>(plan.half)});
    }
    return state;
}

}  // namespace

World::World(const core::SimulationSetup& setup)
    : count_(bodies_setting(setup.config, 30)), lua_(luaL_newstate()) {
    if (!lua_) {
        throw std::bad_alloc();
    }
    run_script(order_setting(setup.config));
    restore(first_state(setup.seed, count_));
}

void World::run_script(const std::string& order) {
    lua_State* lua = lua_.get();
    luaL_requiref(lua, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(lua, LUA_MATHLIBNAME, luaopen_math, 1);
    lua_settop(lua, 0);
    if (luaL_loadbufferx(lua, kScript, std::char_traits<char>::length(kScript), "=cluster.lua",
                         "t") != LUA_OK) {
        throw std::runtime_error(lua_tostring(lua, -1));
    }
    lua_pushlstring(lua, order.data(), order.size());
    call(1);
}

void World::call(int arguments) {
    if (lua_pcall(lua_.get(), arguments, 0, 0) != LUA_OK) {
        const char* text = lua_tostring(lua_.get(), -1);
        throw std::runtime_error(text == nullptr ? "an error of the script without text" : text);
    }
}

void World::push(const Push& push) {
    lua_getglobal(lua_.get(), "push");
    lua_pushinteger(lua_.get(), push.body);
    lua_pushnumber(lua_.get(), static_cast<double>(push.right));
    lua_pushnumber(lua_.get(), static_cast<double>(push.up));
    call(3);
}

void World::advance(double dt_seconds) {
    lua_getglobal(lua_.get(), "advance");
    lua_pushnumber(lua_.get(), dt_seconds);
    call(1);
}

State World::state() const {
    State state;
    lua_getglobal(lua_.get(), "state");
    TableReader(lua_.get()).get(state);
    lua_pop(lua_.get(), 1);
    return state;
}

void World::restore(const State& state) {
    State copy = state;  // serialize takes no const
    TableWriter(lua_.get()).put(copy);
    lua_setglobal(lua_.get(), "state");
}

}  // namespace isotick::engines::lua
