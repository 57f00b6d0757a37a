// The parts of the walk over memory that are not templates.

#include <isotick/core/detail/archive_path.hpp>
#include <isotick/core/detail/memory_walk.hpp>

#include <stdexcept>
#include <string>
#include <utility>

#if __has_include(<cxxabi.h>)
#include <cstdlib>
#include <cxxabi.h>
#endif

namespace isotick::core {

MemoryPath& MemoryPath::next(std::string_view step, bool member) {
    if (cut_) {
        return *this;
    }
    if (likely_ < in_order_.size() && in_order_[likely_]->first == step) {
        MemoryPath& found = in_order_[likely_]->second;
        likely_ = likely_ + 1 < in_order_.size() ? likely_ + 1 : 0;
        return found;
    }
    const auto place = steps_.find(step);
    if (place == steps_.end()) {
        return add(step, member);
    }
    likely_ = place->second.place_ + 1;
    return place->second;
}

MemoryPath& MemoryPath::add(std::string_view step, bool member) {
    const auto added = steps_.try_emplace(std::string(step)).first;
    MemoryPath& path = added->second;
    path.place_ = in_order_.size();
    path.text_.append(text_).append(member && !text_.empty() ? "." : "").append(step);
    if (path.text_.size() > kLongest) {
        path.text_.resize(kLongest);
        path.text_ += "…";
        path.cut_ = true;
    }
    in_order_.push_back(added);
    likely_ = in_order_.size();
    return path;
}

namespace detail {

std::string demangled(const std::type_info& type) {
#if __has_include(<cxxabi.h>)
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
    if (status == 0 && name != nullptr) {
        return name.get();
    }
#endif
    return type.name();
}

}  // namespace detail

void MemoryWalk::enter() {
    if (++depth_ > static_cast<int>(ArchivePath::kDeepest)) {
        throw std::length_error("nested more than " + std::to_string(ArchivePath::kDeepest) +
                                " deep");
    }
}

void MemoryWalk::push_live(const void* memory, std::size_t size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    live_.push_back({begin, begin + size});
}

void MemoryWalk::leaf(const void* address, std::size_t size, bool settable) {
    if (muted_ != 0) {
        return;
    }
    MemoryPath& path = step();
    if (!frames_.empty() && frames_.back().opaque && living(address, size) == nullptr) {
        return;
    }
    show(path.text(), const_cast<void*>(address), size, settable);
}

void MemoryWalk::numbers(const void* address, std::size_t size, bool settable) {
    if (muted_ == 0 && size != 0) {
        show(step().text(), const_cast<void*>(address), size, settable);
    }
}

void MemoryWalk::begin_object(const char* type, const void* address, std::size_t size,
                              std::size_t added) {
    if (muted_ == 0) {
        MemoryPath& path = fold(step(), type);
        open(type, living(address, size), size, added);
        frames_.push_back({&path, nullptr, type, 0, false});
    }
}

void MemoryWalk::end_object() {
    if (muted_ == 0) {
        close();
        frames_.pop_back();
    }
}

void MemoryWalk::begin_base(const char* type, const void* address, std::size_t size,
                            std::size_t added) {
    if (muted_ != 0) {
        return;
    }
    open(type, living(address, size), size, added);
    Frame frame = frames_.back();
    if (name_ != nullptr) {
        frame = {&step(), nullptr, nullptr, 0, false};
    }
    frames_.push_back(frame);
}

void MemoryWalk::end_base() {
    if (muted_ != 0) {
        return;
    }
    close();
    const Frame base = frames_.back();
    frames_.pop_back();
    if (frames_.back().path == base.path) {
        frames_.back().done = base.done;
    }
}

void MemoryWalk::begin_body(const void* address, std::size_t size, const char* suffix) {
    MemoryPath& path = step();
    void* const place = living(address, size);
    show(path.text(), place, size, false);
    frames_.push_back({&path, suffix, nullptr, 0, place != nullptr});
}

void MemoryWalk::begin_opaque(const void* address, std::size_t size) {
    if (muted_ == 0) {
        begin_body(address, size, nullptr);
        frames_.back().opaque = true;
    }
}

void MemoryWalk::end_opaque() {
    if (muted_ == 0) {
        end_body();
    }
}

void MemoryWalk::begin_elements() {
    if (muted_ == 0) {
        name("size");
        leaf(nullptr, sizeof(std::uint64_t), false);
        set_suffix("[*]");
    }
}

void MemoryWalk::begin_row() {
    MemoryPath& path = step();
    frames_.push_back({&path, "[*]", nullptr, 0, false});
}

bool MemoryWalk::is_first_sight(std::shared_ptr<const void> object, const void* type) {
    if (!seen_.emplace(object.get(), type, owns_living()).second) {
        return false;
    }
    kept_.push_back(std::move(object));
    return true;
}

MemoryPath& MemoryWalk::step() {
    if (frames_.empty()) {
        name_ = nullptr;
        return root_;
    }
    Frame& frame = frames_.back();
    const std::uint64_t number = frame.done++;
    if (name_ != nullptr) {
        return frame.path->member(std::exchange(name_, nullptr));
    }
    return frame.suffix != nullptr ? frame.path->with(frame.suffix)
                                   : frame.path->member(std::to_string(number));
}

// An object within another one of its type: the members of both have the same paths, so that trees
// and lists have as many paths as they have members.
MemoryPath& MemoryWalk::fold(MemoryPath& path, const char* type) {
    for (const Frame& frame : frames_) {
        if (frame.type == type) {
            return *frame.path;
        }
    }
    return path;
}

void* MemoryWalk::living(const void* address, std::size_t size) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    for (auto block = live_.rbegin(); block != live_.rend(); ++block) {
        if (begin >= block->begin && begin <= block->end && size <= block->end - begin) {
            return const_cast<void*>(address);
        }
    }
    return nullptr;
}

void MemoryWalk::open(const char* type, void* address, std::size_t size, std::size_t added) {
    if (visitor_.begin_object(visitor_.context, type, address, size) != ISOTICK_OK) {
        throw std::runtime_error("the memory visitor accepts no more");
    }
    if (added != 0 && address != nullptr) {
        show("", address, added, false);
    }
}

void MemoryWalk::close() {
    if (visitor_.end_object(visitor_.context) != ISOTICK_OK) {
        throw std::runtime_error("the memory visitor accepts no more");
    }
}

void MemoryWalk::show(const char* path, void* address, std::size_t size, bool settable) {
    const bool may_set = settable && address != nullptr && keys_ == 0;
    const bool is_inside = living(address, size) != nullptr;
    if (visitor_.value(visitor_.context, path, is_inside || may_set ? address : nullptr, size,
                       !may_set    ? 0
                       : is_inside ? 1
                                   : ISOTICK_MEMORY_OUTSIDE) != ISOTICK_OK) {
        throw std::runtime_error("the memory visitor accepts no more");
    }
}

}  // namespace isotick::core
