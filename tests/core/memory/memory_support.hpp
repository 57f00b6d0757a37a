#pragma once
// Memory maps of states, in a form that tests can compare.

#include <isotick/core/detail/memory_map.hpp>
#include <isotick/core/detail/memory_visit.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {

template <class T>
MemoryMap map_of(const T& state, MemoryMapOptions options = {}) {
    MemoryCollector collector(options);
    visit_memory(state, collector.visitor());
    return collector.finish().value();
}

/// What the map says of the type called `name`; a type without objects if it was not met.
inline MemoryType type_called(const MemoryMap& map, const std::string& name) {
    const auto place = std::find_if(map.types.begin(), map.types.end(),
                                    [&](const MemoryType& type) { return type.name == name; });
    return place == map.types.end() ? MemoryType{} : *place;
}

/// The bytes of T that nothing sees, such as `4-8 of 2; 12-16 of 1`: from offset 4 up to 8 in two
/// objects, from 12 up to 16 in one.
template <class T>
std::string unseen_of(const MemoryMap& map) {
    const MemoryType type = type_called(map, detail::type_name<T>());
    EXPECT_NE(type.objects, 0U) << "there is no " << detail::type_name<T>();
    std::string text;
    for (const UnseenRange& range : type.unseen) {
        text += (text.empty() ? "" : "; ") + std::to_string(range.offset) + "-" +
                std::to_string(range.offset + range.size) + " of " + std::to_string(range.objects);
    }
    return text;
}

/// What the map says of a class of paths; one without values if it was not met.
inline MemoryPathClass at(const MemoryMap& map, const std::string& path) {
    const auto place = std::find_if(map.paths.begin(), map.paths.end(),
                                    [&](const MemoryPathClass& is) { return is.path == path; });
    return place == map.paths.end() ? MemoryPathClass{} : *place;
}

/// All paths that hold something that may be set.
inline std::vector<std::string> settable_paths(const MemoryMap& map) {
    std::vector<std::string> paths;
    for (const MemoryPathClass& path : map.paths) {
        if (path.settable != 0) {
            paths.push_back(path.path);
        }
    }
    return paths;
}

/// All types by name that have bytes which nothing sees.
inline std::vector<std::string> types_with_unseen(const MemoryMap& map) {
    std::vector<std::string> names;
    for (const MemoryType& type : map.types) {
        if (!type.unseen.empty()) {
            names.push_back(type.name);
        }
    }
    return names;
}

}  // namespace isotick::core::core_tests
