#include "state_writes.hpp"

#include "../system/mapped_memory.hpp"
#include "../system/posix.hpp"
#include "messages.hpp"
#include "told_log.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/field_writer.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

using core::FieldToken;
using core::Result;

constexpr std::size_t kMostWatched = std::size_t{1} << 22;
constexpr std::size_t kMostPaths = 10'000;
constexpr std::size_t kMostNew = 1024;
constexpr std::size_t kMostAroundNew = 65'536;  // each new value is counted among all

// Of a number whose type a field stream calls so.
std::optional<FieldToken> token_of(std::string_view type) {
    for (auto token = FieldToken::u8; token <= FieldToken::boolean;
         token = static_cast<FieldToken>(static_cast<std::uint8_t>(token) + 1)) {
        if (type == core::number_name(token)) {
            return token;
        }
    }
    return std::nullopt;
}

// For people; empty if it is no such value. By way of a stream that has this value alone.
std::string text_of(FieldToken token, std::span<const std::byte> value) {
    std::vector<std::byte> stream{std::byte{1}, static_cast<std::byte>(token)};
    if (token == FieldToken::text) {
        stream.push_back(static_cast<std::byte>(value.size()));
    }
    stream.insert(stream.end(), value.begin(), value.end());
    stream.push_back(std::byte{0});
    std::string text;
    const auto pattern = core::FieldPattern::parse("");
    const auto selected =
        pattern
            ? core::select_fields(stream, *pattern,
                                  [&text](const core::SelectedField& field) { text = field.value; })
            : tl::unexpected(pattern.error());
    if (!selected) {
        return "";
    }
    return token == FieldToken::text ? '"' + text + '"' : text;
}

}  // namespace

bool is_within(std::string_view path, std::string_view part) {
    constexpr auto index_in = [](std::string_view text) {  // up to its bracket, unless it is quoted
        const bool is_quoted = text.starts_with("[\"");
        const std::size_t end = is_quoted ? text.find("\"]", 2) : text.find(']');
        return end == std::string_view::npos ? text : text.substr(0, end + (is_quoted ? 2 : 1));
    };
    while (!part.empty()) {
        if (path.empty()) {
            return false;
        }
        if (path.front() != '[' || part.front() != '[') {
            if (path.front() != part.front()) {
                return false;
            }
            path.remove_prefix(1);
            part.remove_prefix(1);
            continue;
        }
        const std::string_view one = index_in(path);
        const std::string_view other = index_in(part);
        if (one != other && one != "[*]" && other != "[*]") {
            return false;
        }
        path.remove_prefix(one.size());
        part.remove_prefix(other.size());
    }
    return path.empty() || path.front() == '.' || path.front() == '[';
}

isotick_memory_visitor visitor_of_values(void* context, ValueVisit* value) {
    return {context,
            [](void*, const char*, void*, std::uint64_t) -> std::int32_t { return ISOTICK_OK; },
            [](void*) -> std::int32_t { return ISOTICK_OK; }, value};
}

class StateWrites::Collector {
  public:
    explicit Collector(StateWrites& into) : into_(into) {
        into_.paths_.clear();
        into_.places_.clear();
    }

    isotick_memory_visitor visitor() {
        return visitor_of_values(this,
                                 [](void* context, const char* path, void* address,
                                    std::uint64_t size, std::uint32_t settable) -> std::int32_t {
                                     return static_cast<Collector*>(context)->take(
                                                path, static_cast<std::byte*>(address), size,
                                                settable)
                                                ? ISOTICK_OK
                                                : ISOTICK_FAILED;
                                 });
    }

    [[nodiscard]] bool is_full() const { return full_; }
    [[nodiscard]] const std::vector<WatchedMemory>& memory() const { return memory_; }

    /// Leaves out the values outside of objects that are not where `again`, another visit, found
    /// them, or not as they were shown: copies that are gone.
    void leave_out_copies(const Collector& again) {
        std::vector<MappedRange> mapped = mapped_ranges();
        const auto on_stack = reinterpret_cast<std::uintptr_t>(&mapped);
        std::erase_if(mapped, [on_stack](const MappedRange& range) {
            return on_stack >= range.begin && on_stack < range.end;
        });
        for (const Outside& one : outside_) {
            WatchedMemory& memory = memory_[one.place];
            const bool is_there = one.place < again.memory_.size() &&
                                  again.memory_[one.place].address == memory.address &&
                                  is_mapped(memory, mapped) &&
                                  std::memcmp(memory.address, one.shown.data(), memory.size) == 0;
            if (!is_there) {
                memory = {};
                into_.places_[one.place].address = nullptr;
                into_.places_[one.place].is_value = false;
            }
        }
    }

  private:
    // A value in no object, and its bytes as it was shown.
    struct Outside {
        std::size_t place = 0;
        std::vector<std::byte> shown;
    };

    static bool is_mapped(const WatchedMemory& memory, const std::vector<MappedRange>& mapped) {
        const auto begin = reinterpret_cast<std::uintptr_t>(memory.address);
        return std::ranges::any_of(mapped, [&](const MappedRange& range) {
            return begin >= range.begin && begin + memory.size <= range.end;
        });
    }

    bool take(const char* path, std::byte* address, std::uint64_t size, std::uint32_t settable) {
        if (*path == '\0' && settable == 0) {  // what the compiler adds
            return true;
        }
        const auto [known, is_new] = numbers_.try_emplace(path, numbers_.size());
        if (is_new) {
            into_.paths_.emplace_back(path);
        }
        if (settable == ISOTICK_MEMORY_OUTSIDE) {
            outside_.push_back({memory_.size(), {address, address + size}});
        }
        into_.places_.push_back({known->second, address, size, settable != 0});
        const std::string& wanted = into_.request_.of;
        const bool is_watched = address != nullptr && (wanted.empty() || is_within(path, wanted));
        memory_.push_back({address, is_watched ? size : 0});
        full_ = memory_.size() == kMostWatched || numbers_.size() == kMostPaths;
        return !full_;
    }

    StateWrites& into_;
    std::map<std::string, std::size_t, std::less<>> numbers_;
    std::vector<WatchedMemory> memory_;
    std::vector<Outside> outside_;
    bool full_ = false;
};

namespace {

// Blocks of all usual sizes: while they are there, whatever a visit allocates for a while lies
// elsewhere than before.
std::vector<std::unique_ptr<std::byte[]>> taken_blocks() {
    constexpr std::size_t kOfEach = 12;
    std::vector<std::unique_ptr<std::byte[]>> blocks;
    for (std::size_t size = 8; size <= 1U << 16U; size += size < 1024 ? 16 : size) {
        for (std::size_t i = 0; i < kOfEach; ++i) {
            blocks.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
        }
    }
    return blocks;
}

}  // namespace

void StateWrites::leave_out_copies(core::Simulation& simulation, Collector& collector) const {
    const auto blocks = taken_blocks();
    StateWrites other(request_, progress_);
    Collector again(other);
    if (simulation.visit_memory(again.visitor())) {
        collector.leave_out_copies(again);
    }
}

void StateWrites::keep_fields(core::Simulation& simulation) {
    if (simulation.has_fields()) {
        if (const auto fields = simulation.fields()) {
            fields_.assign(fields->begin(), fields->end());
        }
    }
}

void StateWrites::begin(core::Simulation& simulation) {
    watch_.reset();
    if (simulation.notes_writes()) {
        const auto begun = simulation.begin_noting_writes();
        is_noting_ = begun.has_value();
        unknown_ = begun ? "" : describe(begun.error());
        return;
    }
    if (!WriteWatch::is_possible()) {
        unknown_ = "this cannot be seen on this system";
        return;
    }
    if (!simulation.has_memory()) {
        unknown_ = "the simulation does not show where its state is (ISOTICK_HAS_MEMORY)";
        return;
    }
    if ((simulation.info().capabilities & ISOTICK_OWN_THREADS) != 0) {
        unknown_ = "the simulation has threads";
        return;
    }
    fields_.clear();
    selected_.clear();
    if (request_.with_code > 0) {
        keep_fields(simulation);
    }
    Collector collector(*this);
    const auto visited = simulation.visit_memory(collector.visitor());
    if (!visited) {
        unknown_ =
            collector.is_full() ? "the state has too many values" : describe(visited.error());
        return;
    }
    leave_out_copies(simulation, collector);
    std::string layout;
    std::string values;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const WatchedMemory& one = collector.memory()[i];
        layout += fmt::format("{}:{},", places_[i].path, places_[i].size);
        if (places_[i].is_value && one.size > 0) {
            values.append(reinterpret_cast<const char*>(one.address), one.size);
        }
    }
    hidden_ = static_cast<std::uint64_t>(
        std::ranges::count(places_, static_cast<const std::byte*>(nullptr), &Place::address));
    for (const std::string& path : paths_) {
        layout += path + '\n';
    }
    layout_ = core::hash_bytes(std::as_bytes(std::span(layout)));
    began_with_ = core::hash_bytes(std::as_bytes(std::span(values)));
    if (!request_.of.empty() && values.empty()) {
        unknown_ = "the state has no value \"" + request_.of + "\" whose place in memory is known";
        return;
    }
    unknown_.clear();
    watch_.emplace(
        collector.memory(),
        WatchLimits{request_.most, request_.with_code, request_.most_traps, request_.instructions},
        progress_.activity);
}

const std::vector<core::SelectedField>& StateWrites::fields_at(const std::string& path) {
    const auto [known, is_new] = selected_.try_emplace(path);
    std::vector<core::SelectedField>& all = known->second;
    if (const auto pattern = core::FieldPattern::parse(path); is_new && pattern) {
        const auto selected = core::select_fields(
            fields_, *pattern, [&all](const core::SelectedField& one) { all.push_back(one); });
        if (!selected) {
            all.clear();
        }
    }
    return all;
}

// What lies at the place, if that is numbers.
std::optional<FieldToken> StateWrites::number_at(const Place& place) {
    const std::vector<core::SelectedField>& all = fields_at(paths_[place.path]);
    return all.empty() ? std::nullopt : token_of(all.front().type);
}

NotedWrite StateWrites::noted_of(const MemoryWrite& write, std::vector<CallSite> sites) {
    const Place& place = places_[write.place];
    NotedWrite noted{
        static_cast<Activity>(write.tag), paths_[place.path], {}, {}, std::move(sites)};
    if (!place.is_value) {
        return noted;
    }
    if (const auto type = number_at(place)) {
        note_number(write, *type, noted);
    } else {
        note_characters(write, noted);
    }
    if (noted.after.empty()) {
        noted.before = fmt::format("{:#x}", write.before);
        noted.after = fmt::format("{:#x}", write.after);
    }
    return noted;
}

void StateWrites::note_number(const MemoryWrite& write, FieldToken type, NotedWrite& noted) {
    const Place& place = places_[write.place];
    const std::uint64_t size = core::number_size(type);
    const std::uint64_t begin = write.offset / size * size;
    if (begin < write.word) {
        return;
    }
    // Several numbers in a row may be one place.
    std::uint64_t numbers = 0;
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].path == place.path) {
            number = i == write.place ? numbers + write.offset / size : number;
            numbers += places_[i].size / size;
        }
    }
    const std::vector<core::SelectedField>& all = fields_at(noted.path);
    if (numbers == all.size()) {
        noted.path = all[number].path;
    }
    const auto text = [&](std::uint64_t word) {
        return text_of(type, std::as_bytes(std::span(&word, 1)).subspan(begin - write.word, size));
    };
    noted.before = text(write.before);
    noted.after = text(write.after);
}

// `chat[8]` and `"031b5"`: from which character on, and what stands there.
void StateWrites::note_characters(const MemoryWrite& write, NotedWrite& noted) {
    constexpr std::string_view kEach = "[*]";
    if (!noted.path.ends_with(kEach)) {
        return;
    }
    const std::string whole = noted.path.substr(0, noted.path.size() - kEach.size());
    const std::vector<core::SelectedField>& all = fields_at(whole);
    if (all.empty() || all.front().type != "text") {
        return;
    }
    const std::uint64_t size =
        std::min<std::uint64_t>(places_[write.place].size - write.word, sizeof write.after);
    const auto text = [&](std::uint64_t word) {
        return text_of(FieldToken::text, std::as_bytes(std::span(&word, 1)).first(size));
    };
    noted.before = text(write.before);
    noted.after = text(write.after);
    if (!noted.after.empty()) {
        noted.path = fmt::format("{}[{}]", whole, write.word);
    }
}

namespace {

// The addresses of values, and how far they reach. What is at another path is another value, in
// memory that was freed meanwhile.
class Extents {
  public:
    void add(std::string_view path, const std::byte* address, std::uint64_t size) {
        std::uint64_t& known = sizes_[{address, path}];
        known = std::max(known, size);
    }

    /// 0: it is not there.
    [[nodiscard]] std::uint64_t at(std::string_view path, const std::byte* address) const {
        const auto found = sizes_.find({address, path});
        return found == sizes_.end() ? 0 : found->second;
    }

  private:
    std::map<std::pair<const std::byte*, std::string_view>, std::uint64_t> sizes_;
};

}  // namespace

// Holds what belongs to the state now against what belonged to it when the log began.
void StateWrites::compare_memory(core::Simulation& simulation, WrittenMemory& seen,
                                 WriteLog& log) const {
    StateWrites after(request_, progress_);
    Collector collector(after);
    if (!simulation.visit_memory(collector.visitor())) {
        return;
    }
    log.gone = leave_out_what_was_freed(after, seen);
    if (request_.instructions > 0 && after.places_.size() <= kMostAroundNew) {
        leave_out_copies(simulation, collector);
        after.keep_fields(simulation);
        log.made = after.new_since(*this);
    }
}

// What lies in memory that was not the state's `before`.
std::vector<NewValue> StateWrites::new_since(const StateWrites& before) {
    Extents known;
    for (const Place& place : before.places_) {
        known.add(before.paths_[place.path], place.address, place.size);
    }
    std::vector<NewValue> values;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const Place& place = places_[i];
        if (!place.is_value || place.address == nullptr) {
            continue;
        }
        const auto number = number_at(place);
        const std::uint64_t step = number ? core::number_size(*number) : sizeof(std::uint64_t);
        const std::uint64_t begin = known.at(paths_[place.path], place.address) / step * step;
        for (std::uint64_t at = begin; at < place.size; at += step) {
            if (values.size() == kMostNew) {
                return values;
            }
            MemoryWrite value{.place = i, .offset = at, .word = at};
            const std::uint64_t size = std::min(step, place.size - at);
            std::memcpy(&value.after, place.address + at, size);
            NotedWrite noted = noted_of(value, {});
            values.push_back({reinterpret_cast<std::uintptr_t>(place.address + at), size,
                              value.after, std::move(noted.path), std::move(noted.after)});
        }
    }
    return values;
}

// What manages the heap writes to memory that is no longer the state's. Returns these places.
std::vector<std::uint64_t> StateWrites::leave_out_what_was_freed(const StateWrites& after,
                                                                 WrittenMemory& seen) const {
    Extents left;
    for (const Place& place : after.places_) {
        left.add(after.paths_[place.path], place.address, place.size);
    }
    std::vector<std::uint64_t> gone;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].address != nullptr && places_[i].size > 0 &&
            left.at(paths_[places_[i].path], places_[i].address) == 0) {
            gone.push_back(i);
        }
    }
    const std::size_t without_sites = seen.writes.size() - seen.sites.size();
    WrittenMemory kept;
    kept.cut = seen.cut;
    kept.trace = std::move(seen.trace);
    for (std::size_t i = 0; i < seen.writes.size(); ++i) {
        const MemoryWrite& write = seen.writes[i];
        const Place& place = places_[write.place];
        if (left.at(paths_[place.path], place.address) <= write.offset) {
            continue;
        }
        kept.writes.push_back(write);
        if (i >= without_sites) {
            kept.sites.push_back(std::move(seen.sites[i - without_sites]));
        }
    }
    seen = std::move(kept);
    return gone;
}

// They are others in each process: that they changed is all there is to say.
void StateWrites::forget_addresses(std::vector<MemoryWrite>& writes) const {
    const std::vector<MappedRange> mapped = mapped_ranges();
    for (MemoryWrite& write : writes) {
        if (!places_[write.place].is_value &&
            (is_address(write.before, mapped) || is_address(write.after, mapped))) {
            write.before = 0;
            write.after = 0;
        }
    }
}

Result<WriteLog> StateWrites::seen_by_simulation(core::Simulation& simulation) {
    is_noting_ = false;
    ISOTICK_TRY_ASSIGN(const auto told, simulation.take_noted_writes());
    return write_log_of(told, request_.of);
}

WriteLog StateWrites::seen_by_watch(core::Simulation& simulation) {
    WriteLog log;
    log.layout = layout_;
    log.began_with = began_with_;
    log.hidden = hidden_;
    WrittenMemory seen = watch_->end();
    watch_.reset();
    compare_memory(simulation, seen, log);
    forget_addresses(seen.writes);
    log.cut = seen.cut;
    log.trace = std::move(seen.trace);
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!places_[i].is_value) {
            log.bookkeeping.push_back(i);
        }
    }
    log.writes = std::move(seen.writes);
    const std::size_t first = log.writes.size() - seen.sites.size();
    for (std::size_t i = 0; i < seen.sites.size(); ++i) {
        log.noted.push_back(noted_of(log.writes[first + i], std::move(seen.sites[i])));
    }
    return log;
}

void StateWrites::step_begins() {
    if (watch_ && request_.instructions > 0) {
        watch_->trace_begins(request_.trace_from);
    }
}

void StateWrites::step_ends() {
    if (watch_ && request_.instructions > 0) {
        watch_->trace_ends();
    }
}

Result<void> StateWrites::end(core::Simulation& simulation) {
    WriteLog log;
    log.unknown = unknown_;
    if (is_noting_) {
        auto seen = seen_by_simulation(simulation);
        log.unknown = seen ? "" : describe(seen.error());
        log = seen ? *std::move(seen) : std::move(log);
    } else if (watch_) {
        log = seen_by_watch(simulation);
    }
    const FileDescriptor file(::open(request_.path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    return file.get() >= 0 && write_all(file.get(), to_bytes(log))
               ? Result<void>()
               : system_failure("the log of writes cannot be written");
}

Result<WriteLog> read_write_log(std::span<const std::byte> file) {
    return from_bytes<WriteLog>({reinterpret_cast<const char*>(file.data()), file.size()});
}

}  // namespace isotick::harness
