#pragma once
// Shows where the values of a state lie in memory.

#include <isotick/core/detail/memory/archive.hpp>
#include <isotick/core/detail/memory/containers.hpp>
#include <isotick/core/detail/memory/walk.hpp>
#include <isotick/core/plugin.h>

#include <exception>
#include <stdexcept>
#include <string>

namespace isotick::core {

/// Walks `state` through its `serialize` and shows `visitor` the objects and values, as
/// isotick_memory_visitor describes them. Throws what happens on the way, as a std::runtime_error
/// with the path that was reached.
template <class T>
void visit_memory(const T& state, const isotick_memory_visitor& visitor) {
    MemoryWalk walk(visitor);
    walk.push_live(&state, sizeof state);
    MemoryArchive archive(walk);
    try {
        archive(state);
    } catch (const std::exception& thrown) {
        const std::string where = walk.where();
        throw std::runtime_error(where.empty() ? thrown.what() : where + ": " + thrown.what());
    }
}

}  // namespace isotick::core
