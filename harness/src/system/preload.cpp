#include "preload.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace isotick::harness::preload {
namespace {

using core::Result;

// What there is of the library in this process: all null where it is not loaded. Looked for once,
// since copies of a process pay for each page that looking touches.
struct Library {
    Page* page = nullptr;
    void (*unseen)(int) = nullptr;
    void (*begin)() = nullptr;
    void (*change)() = nullptr;
    void (*note_libraries)() = nullptr;
};

template <class Function>
Function* find(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

Library find_library() {
    auto* const page = find<Page*()>("isotick_preload_page");
    if (page == nullptr) {
        return {};
    }
    return {page(), find<void(int)>("isotick_preload_unseen"),
            find<void()>("isotick_preload_begin"), find<void()>("isotick_preload_change"),
            find<void()>("isotick_preload_note_libraries")};
}

const Library& library() {
    static const Library found = find_library();
    return found;
}

Page* own_page() {
    return library().page;
}

void change_unseen(int by) {
    if (library().unseen != nullptr) {
        library().unseen(by);
    }
}

// The simulation can write there too: nothing says that it ends with a zero.
template <std::size_t size>
std::string text_in(const std::array<char, size>& text) {
    return {text.data(), strnlen(text.data(), size)};
}

SystemCall in_words(const Call& call, std::uint64_t place) {
    SystemCall found;
    Progress then;
    then.activity = call.activity;
    then.tick = call.tick;
    found.place = then.place();
    found.name = text_in(call.name);
    found.from = place;
    const auto sites = std::min<std::uint64_t>(call.sites_count, kMostSites);
    for (std::size_t i = 0; i < sites; ++i) {
        found.sites.push_back(call_site_of(call.sites[i]));
    }
    return found;
}

// The simulation can write to the page too, so indexes in it are checked.
void add_calls(const Places& places, const Page& page, SystemReads& reads) {
    for (std::size_t i = 0; i < Places::kMost; ++i) {
        const std::uint64_t place = places.places[i];
        const bool is_known = std::ranges::any_of(
            reads.first, [place](const SystemCall& other) { return other.from == place; });
        const std::uint32_t index = places.calls[i];
        if (places.states[i] == Places::kWritten && !is_known && index < page.calls.size()) {
            reads.first.push_back(in_words(page.calls[index], place));
        }
    }
}

SystemReads in_words(Source source, const Page& page) {
    const auto index = static_cast<std::size_t>(source);
    const Reads& reads = page.reads[index];
    SystemReads found{source, reads.count, {}};
    add_calls(reads.creating, page, found);
    add_calls(reads.later, page, found);
    return found;
}

}  // namespace

Result<void> begin(const Settings& settings) {
    Page* const page = own_page();
    if (page == nullptr) {
        return settings == Settings()
                   ? Result<void>()
                   : core::fail(core::ErrorCode::usage,
                                "some of these axes change what the system answers, which takes a "
                                "worker process");
    }
    page->reset();
    page->settings = settings;
    page->armed.store(settings == Settings() ? 0 : 1, std::memory_order_release);
    if (page->armed != 0) {
        library().begin();
    }
    return {};
}

void change(const Settings& settings) {
    if (Page* const page = own_page()) {
        page->settings = settings;
        page->armed.store(settings == Settings() ? 0 : 1, std::memory_order_release);
        library().change();
    }
}

Kept::Kept() {
    const Page* const page = own_page();
    if (page == nullptr) {
        return;
    }
    armed_ = page->armed;
    settings_ = page->settings;
    calls_used_ = page->calls_used;
    for (std::size_t source = 0; source < kSources; ++source) {
        const Reads& reads = page->reads[source];
        seen_[source].count = reads.count;
        seen_[source].creating.take(reads.creating);
        seen_[source].later.take(reads.later);
    }
}

void Kept::SeenPlaces::take(const Places& places) {
    looks = places.looks;
    std::ranges::copy(places.states, states.begin());
}

void Kept::SeenPlaces::give_back(Places& places) const {
    places.looks = looks;
    std::ranges::copy(states, places.states.begin());
}

void Kept::restore() const {
    Page* const page = own_page();
    if (page == nullptr) {
        return;
    }
    page->settings = settings_;
    page->calls_used = calls_used_;
    for (std::size_t source = 0; source < kSources; ++source) {
        Reads& reads = page->reads[source];
        reads.count = seen_[source].count;
        seen_[source].creating.give_back(reads.creating);
        seen_[source].later.give_back(reads.later);
    }
    page->armed.store(armed_, std::memory_order_release);
}

Unseen::Unseen() {
    change_unseen(1);
}

Unseen::~Unseen() {
    change_unseen(-1);
}

std::vector<SystemReads> reads() {
    std::vector<SystemReads> found;
    if (const Page* const page = own_page()) {
        library().note_libraries();
        for (std::size_t source = 0; source < kSources; ++source) {
            if (page->reads[source].count > 0) {
                found.push_back(in_words(static_cast<Source>(source), *page));
            }
        }
    }
    return found;
}

}  // namespace isotick::harness::preload

namespace isotick::harness {

OwnClock::time_point OwnClock::now() {
    const preload::Unseen unseen;
    return time_point(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace isotick::harness
