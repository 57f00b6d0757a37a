// Which bytes of the objects of a state `serialize` sees.

#include "type_survey.hpp"

#include <isotick/core/detail/memory_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace isotick::core {

// Numbers for names that come again and again, mostly at the same addresses.

/// Gives each different pair of a name and a size a number, counted from 0.
class NameIndex {
  public:
    struct Found {
        std::size_t number;
        bool added;  ///< met for the first time
    };

    /// `name` need not live beyond the call.
    Found find(const char* name, std::uint64_t size) {
        Cached& cached = cache_[slot(name)];
        if (cached.pointer == name && cached.entry->first.first == size &&
            std::strcmp(cached.entry->first.second.c_str(), name) == 0) {
            return {cached.entry->second, false};
        }
        const auto [entry, added] = numbers_.try_emplace({size, name}, numbers_.size());
        cached = {name, &*entry};
        return {entry->second, added};
    }

  private:
    using Numbers = std::map<std::pair<std::uint64_t, std::string>, std::size_t>;
    struct Cached {
        const char* pointer = nullptr;
        const Numbers::value_type* entry = nullptr;
    };

    static constexpr std::size_t kSlots = 1024;

    static std::size_t slot(const char* name) {
        const auto address = reinterpret_cast<std::uintptr_t>(name);
        return ((address >> 4U) ^ (address >> 14U)) % kSlots;
    }

    Numbers numbers_;
    std::array<Cached, kSlots> cache_;
};

namespace {

constexpr std::size_t kMostTypes = 10'000;
constexpr std::size_t kMostPaths = 100'000;
constexpr std::size_t kDeepest = 10'000;

// Thrown within the collector: the visit cannot be summed up.
struct BadVisit : std::runtime_error {
    BadVisit(ErrorCode error_code, const std::string& reason)
        : runtime_error("visit_memory " + reason), code(error_code) {}
    ErrorCode code;
};

// A class of paths while values are being counted.
struct PathSurvey {
    MemoryPathClass counted;
    SpreadSample<MemoryPlace> samples;
};

// An object that has begun and not ended.
struct OpenObject {
    std::size_t type = 0;
    std::byte* address = nullptr;  // null: not in memory
    ByteRange memory{};            // its addresses
    Coverage seen;
};

ByteRange addresses(const std::byte* address, std::uint64_t size) {
    const auto begin = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
    if (size > UINTPTR_MAX - begin) {
        throw BadVisit(ErrorCode::simulation, "shows memory beyond the end of all addresses");
    }
    return {begin, begin + size};
}

}  // namespace

class MemoryCollector::Survey {
  public:
    explicit Survey(MemoryMapOptions options) : options_(options) {}

    void begin_object(const char* type, std::byte* address, std::uint64_t size);
    void end_object();
    void value(const char* path, std::byte* address, std::uint64_t size, bool settable);
    MemoryMap finish();

    // Runs `body` for a call of the visitor, which may not throw.
    template <class Body>
    static std::int32_t guarded(void* context, const Body& body) {
        Survey& self = *static_cast<Survey*>(context);
        if (self.failure_) {
            return ISOTICK_FAILED;
        }
        try {
            body(self);
            return ISOTICK_OK;
        } catch (const BadVisit& bad) {
            self.failure_ = Error{bad.code, bad.what(), {}, {}, {}};
        } catch (const std::exception&) {
            self.failure_ = Error{ErrorCode::limit, "no memory for the memory map", {}, {}, {}};
        }
        return ISOTICK_FAILED;
    }

    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

  private:
    void cover(ByteRange memory);
    void count_made_up();
    PathSurvey& path_of(const char* path);

    MemoryMapOptions options_;
    NameIndex type_names_;
    NameIndex path_names_;
    std::vector<TypeSurvey> types_;
    std::vector<PathSurvey> paths_;
    std::vector<OpenObject> objects_;  // those beyond open_ keep their memory for later ones
    std::size_t open_ = 0;
    std::vector<ByteRange> gaps_;
    std::optional<Error> failure_;
};

void MemoryCollector::Survey::begin_object(const char* type, std::byte* address,
                                           std::uint64_t size) {
    if (open_ == kDeepest) {
        throw BadVisit(ErrorCode::limit, "shows objects nested too deeply");
    }
    const char* const name = type != nullptr ? type : "";
    const auto [number, added] = type_names_.find(name, size);
    if (added) {
        if (types_.size() == kMostTypes) {
            throw BadVisit(ErrorCode::limit, "shows too many different types");
        }
        types_.emplace_back(name, size, options_);
    }
    if (address == nullptr) {
        count_made_up();
    }
    if (open_ == objects_.size()) {
        objects_.emplace_back();
    }
    OpenObject& object = objects_[open_++];
    object.type = number;
    object.address = address;
    object.memory = addresses(address, size);
    object.seen.clear();
}

void MemoryCollector::Survey::end_object() {
    if (open_ == 0) {
        throw BadVisit(ErrorCode::simulation, "ends an object that it did not begin");
    }
    OpenObject& object = objects_[--open_];
    if (object.address != nullptr) {
        TypeSurvey& type = types_[object.type];
        object.seen.find_gaps(type.size(), gaps_);
        type.add(object.address, gaps_);
        cover(object.memory);
    }
}

void MemoryCollector::Survey::value(const char* path, std::byte* address, std::uint64_t size,
                                    bool settable) {
    if (path == nullptr) {
        throw BadVisit(ErrorCode::simulation, "shows a value without a path");
    }
    if (address == nullptr) {
        count_made_up();
    } else {
        cover(addresses(address, size));
    }
    if (*path == '\0' && !settable) {
        return;
    }
    PathSurvey& survey = path_of(path);
    ++survey.counted.values;
    if (address == nullptr) {
        ++survey.counted.made_up;
    } else if (settable) {
        ++survey.counted.settable;
        survey.counted.bytes += size;
        survey.samples.add({address, size});
    }
}

// Something was seen: it counts for the innermost object that it lies in.
void MemoryCollector::Survey::cover(ByteRange memory) {
    for (std::size_t i = open_; i-- > 0;) {
        const ByteRange& object = objects_[i].memory;
        if (objects_[i].address != nullptr && memory.begin >= object.begin &&
            memory.end <= object.end) {
            objects_[i].seen.add({memory.begin - object.begin, memory.end - object.begin});
            return;
        }
    }
}

void MemoryCollector::Survey::count_made_up() {
    if (open_ != 0) {
        types_[objects_[open_ - 1].type].count_made_up();
    }
}

PathSurvey& MemoryCollector::Survey::path_of(const char* path) {
    const auto [number, added] = path_names_.find(path, 0);
    if (added) {
        if (paths_.size() == kMostPaths) {
            throw BadVisit(ErrorCode::limit, "shows too many different paths");
        }
        paths_.push_back({{path, 0, 0, 0, 0, {}}, SpreadSample<MemoryPlace>(options_.samples)});
    }
    return paths_[number];
}

MemoryMap MemoryCollector::Survey::finish() {
    if (open_ != 0) {
        throw BadVisit(ErrorCode::simulation, "does not end an object that it began");
    }
    MemoryMap map;
    for (const TypeSurvey& type : types_) {
        map.types.push_back(type.finish());
    }
    for (const PathSurvey& path : paths_) {
        map.paths.push_back(path.counted);
        map.paths.back().samples = path.samples.take();
    }
    return map;
}

MemoryCollector::MemoryCollector(MemoryMapOptions options)
    : survey_(std::make_unique<Survey>(options)) {}

MemoryCollector::~MemoryCollector() = default;

isotick_memory_visitor MemoryCollector::visitor() {
    isotick_memory_visitor visitor{};
    visitor.context = survey_.get();
    visitor.begin_object = [](void* context, const char* type, void* address, std::uint64_t size) {
        return Survey::guarded(context, [&](Survey& survey) {
            survey.begin_object(type, static_cast<std::byte*>(address), size);
        });
    };
    visitor.end_object = [](void* context) {
        return Survey::guarded(context, [](Survey& survey) { survey.end_object(); });
    };
    visitor.value = [](void* context, const char* path, void* address, std::uint64_t size,
                       std::uint32_t settable) {
        return Survey::guarded(context, [&](Survey& survey) {
            const bool may_be_gone = settable == ISOTICK_MEMORY_OUTSIDE;
            survey.value(path, may_be_gone ? nullptr : static_cast<std::byte*>(address), size,
                         settable == 1);
        });
    };
    return visitor;
}

bool MemoryCollector::has_refused() const {
    return survey_->failure().has_value();
}

Result<MemoryMap> MemoryCollector::finish() {
    if (!survey_->failure()) {
        MemoryMap map;
        if (Survey::guarded(survey_.get(), [&](Survey& survey) { map = survey.finish(); }) ==
            ISOTICK_OK) {
            return map;
        }
    }
    return tl::unexpected(*survey_->failure());
}

Result<MemoryMap> map_memory(Simulation& simulation, MemoryMapOptions options) {
    MemoryCollector collector(options);
    auto visited = simulation.visit_memory(collector.visitor());
    if (!visited && !collector.has_refused()) {
        return tl::unexpected(visited.error());
    }
    return collector.finish();
}

}  // namespace isotick::core
