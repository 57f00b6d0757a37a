#include "preload.hpp"

#include <isotick/core/detail/try.hpp>

#include <dlfcn.h>

namespace isotick::harness::preload {
namespace {

using core::Result;

// Null where the library is not loaded into this process.
Page* own_page() {
    using GetPage = Page*();
    auto* const get = reinterpret_cast<GetPage*>(dlsym(RTLD_DEFAULT, "isotick_preload_page"));
    return get == nullptr ? nullptr : get();
}

void change_unseen(int by) {
    using Change = void(int);
    static auto* const change =
        reinterpret_cast<Change*>(dlsym(RTLD_DEFAULT, "isotick_preload_unseen"));
    if (change != nullptr) {
        change(by);
    }
}

// In the library, where it is loaded.
void call(const char* name) {
    using Call = void();
    if (auto* const found = reinterpret_cast<Call*>(dlsym(RTLD_DEFAULT, name))) {
        found();
    }
}

SystemReads in_words(Source source, const Reads& reads) {
    SystemReads found;
    found.source = source;
    found.count = reads.count;
    for (const Call* call : {&reads.creating, &reads.later}) {
        if (call->state != 2) {
            continue;
        }
        SystemCall& first = found.first.emplace_back();
        first.place = {static_cast<Activity>(call->activity), core::Tick{call->tick}, 0};
        first.name = call->name.data();
        for (std::size_t i = 0; i < call->sites_count; ++i) {
            first.sites.push_back({call->sites[i].file.data(), call->sites[i].offset});
        }
    }
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
        call("isotick_preload_begin");
    }
    return {};
}

void change(const Settings& settings) {
    if (Page* const page = own_page()) {
        page->settings = settings;
        page->armed.store(settings == Settings() ? 0 : 1, std::memory_order_release);
        call("isotick_preload_change");
    }
}

Kept::Kept() {
    const Page* const page = own_page();
    if (page == nullptr) {
        return;
    }
    armed_ = page->armed;
    settings_ = page->settings;
    for (std::size_t source = 0; source < kSources; ++source) {
        const Reads& reads = page->reads[source];
        seen_[source] = {reads.count, reads.creating.state, reads.later.state};
    }
}

void Kept::restore() const {
    Page* const page = own_page();
    if (page == nullptr) {
        return;
    }
    page->settings = settings_;
    for (std::size_t source = 0; source < kSources; ++source) {
        Reads& reads = page->reads[source];
        reads.count = seen_[source].count;
        reads.creating.state = seen_[source].creating;
        reads.later.state = seen_[source].later;
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
        for (std::size_t source = 0; source < kSources; ++source) {
            if (page->reads[source].count > 0) {
                found.push_back(in_words(static_cast<Source>(source), page->reads[source]));
            }
        }
    }
    return found;
}

}  // namespace isotick::harness::preload
