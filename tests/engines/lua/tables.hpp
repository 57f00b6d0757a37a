#pragma once
// Structs with a cereal `serialize` as Lua tables, both ways: members are fields of their names,
// vectors are sequences.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <cereal/cereal.hpp>
#include <lua.hpp>

namespace isotick::engines::lua {

/// Pushes values onto the stack of a Lua state.
class TableWriter {
  public:
    explicit TableWriter(lua_State* lua) : lua_(lua) {}

    void put(double value) { lua_pushnumber(lua_, value); }
    void put(std::int64_t value) { lua_pushinteger(lua_, value); }

    template <class T>
    void put(std::vector<T>& values) {
        lua_createtable(lua_, static_cast<int>(values.size()), 0);
        for (std::size_t i = 0; i < values.size(); ++i) {
            put(values[i]);
            lua_rawseti(lua_, -2, static_cast<lua_Integer>(i + 1));
        }
    }

    template <class T>
    requires std::is_class_v<T>
    void put(T& value) {
        lua_newtable(lua_);
        value.serialize(*this);
    }

    /// What `serialize` calls with its members: sets fields of the table on top.
    template <class... Members>
    void operator()(Members&&... members) {
        (..., (put(members.value), lua_setfield(lua_, -2, members.name)));
    }

  private:
    lua_State* lua_;
};

/// Reads values off the top of the stack of a Lua state, and leaves them there. A table with more
/// or other fields than the struct has members is an error: nothing is left out silently.
class TableReader {
  public:
    explicit TableReader(lua_State* lua) : lua_(lua) {}

    void get(double& value) {
        require(lua_type(lua_, -1) == LUA_TNUMBER, "a number");
        value = lua_tonumber(lua_, -1);
    }

    void get(std::int64_t& value) {
        require(lua_isinteger(lua_, -1) != 0, "an integer");
        value = lua_tointeger(lua_, -1);
    }

    template <class T>
    void get(std::vector<T>& values) {
        require(lua_istable(lua_, -1), "a sequence");
        values.resize(lua_rawlen(lua_, -1));
        require(fields() == values.size(), "nothing but a sequence");
        for (std::size_t i = 0; i < values.size(); ++i) {
            lua_rawgeti(lua_, -1, static_cast<lua_Integer>(i + 1));
            get(values[i]);
            lua_pop(lua_, 1);
        }
    }

    template <class T>
    requires std::is_class_v<T>
    void get(T& value) {
        require(lua_istable(lua_, -1), "a table");
        value.serialize(*this);
    }

    template <class... Members>
    void operator()(Members&&... members) {
        require(fields() == sizeof...(members), "a table without further fields");
        (..., take(members.name, members.value));
    }

  private:
    template <class T>
    void take(const char* name, T& value) {
        at_ = name;
        lua_getfield(lua_, -1, name);
        get(value);
        lua_pop(lua_, 1);
    }

    [[nodiscard]] std::size_t fields() const {
        std::size_t count = 0;
        for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) {
            ++count;
        }
        return count;
    }

    void require(bool holds, const char* what) const {
        if (!holds) {
            throw std::runtime_error(std::string("the script's `") + at_ + "` is not " + what);
        }
    }

    lua_State* lua_;
    const char* at_ = "state";  // the field that was reached
};

}  // namespace isotick::engines::lua
