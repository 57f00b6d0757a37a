#include "field_digest_file.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// A state is: its ticks done, how many kinds are new, each a length and its text, how many digests
// changed, each a kind's number and the digest. All numbers have 64 bits: no other machine reads
// it.
void put(std::string& record, std::uint64_t number) {
    record.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Reads a file state by state.
class Digests {
  public:
    explicit Digests(std::span<const std::byte> bytes) : bytes_(bytes) {}

    struct State {
        std::uint64_t ticks_done = 0;
        std::vector<std::uint64_t> changed;  // kinds
    };

    /// None at the end.
    std::optional<State> next() {
        State state{number(), {}};
        const std::uint64_t added = number();
        for (std::uint64_t i = 0; i < added && !cut_; ++i) {
            kinds_.push_back(text());
            digests_.push_back(0);
        }
        const std::uint64_t changes = number();
        for (std::uint64_t i = 0; i < changes && !cut_; ++i) {
            const std::uint64_t kind = number();
            const std::uint64_t digest = number();
            cut_ = cut_ || kind >= digests_.size();
            if (!cut_) {
                digests_[kind] = digest;
                state.changed.push_back(kind);
            }
        }
        return cut_ ? std::nullopt : std::optional(std::move(state));
    }

    [[nodiscard]] const std::vector<std::string>& kinds() const { return kinds_; }
    [[nodiscard]] std::uint64_t digest(std::uint64_t kind) const {
        return kind < digests_.size() ? digests_[kind] : 0;
    }

  private:
    std::uint64_t number() {
        std::uint64_t value = 0;
        if (cut_ || bytes_.size() - at_ < sizeof value) {
            cut_ = true;
            return 0;
        }
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }

    std::string text() {
        const std::uint64_t size = number();
        if (cut_ || bytes_.size() - at_ < size) {
            cut_ = true;
            return "";
        }
        const char* begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
        at_ += size;
        return {begin, begin + size};
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    bool cut_ = false;
    std::vector<std::string> kinds_;
    std::vector<std::uint64_t> digests_;
};

std::vector<std::string> all_kinds(std::span<const std::byte> bytes) {
    Digests digests(bytes);
    while (digests.next()) {
    }
    return digests.kinds();
}

// The kinds that both have: their numbers in a and in b.
std::vector<std::pair<std::uint64_t, std::uint64_t>> shared_kinds(
    const std::vector<std::string>& a, const std::vector<std::string>& b,
    const std::function<bool(const std::string&)>& counts) {
    std::map<std::string, std::uint64_t> places;
    for (std::uint64_t i = 0; i < b.size(); ++i) {
        places.emplace(b[i], i);
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> shared;
    for (std::uint64_t i = 0; i < a.size(); ++i) {
        const auto place = places.find(a[i]);
        if (place != places.end() && counts(a[i])) {
            shared.emplace_back(i, place->second);
        }
    }
    return shared;
}

}  // namespace

Result<FieldDigestFile> FieldDigestFile::open(const FieldDigestRequest& request,
                                              const core::Simulation& simulation) {
    if (!simulation.has_fields()) {
        return core::fail(core::ErrorCode::usage,
                          std::string(simulation.info().name) + " does not show its fields");
    }
    FileDescriptor file(::open(request.path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    return file.get() < 0 ? Result<FieldDigestFile>(
                                system_failure("the file for digests of fields cannot be opened"))
                          : FieldDigestFile(std::move(file));
}

Result<void> FieldDigestFile::look(core::Simulation& simulation, std::uint64_t ticks_done) {
    ISOTICK_TRY_ASSIGN(const auto fields, simulation.fields());
    if (auto taken = digests_.take(fields); !taken) {
        return core::fail(
            core::ErrorCode::simulation,
            "what visit_fields wrote is not a field stream: " + describe(taken.error()));
    }
    std::string record;
    put(record, ticks_done);
    put(record, digests_.kinds() - before_.size());
    for (std::size_t kind = before_.size(); kind < digests_.kinds(); ++kind) {
        put(record, digests_.kind(kind).size());
        record += digests_.kind(kind);
    }
    before_.resize(digests_.kinds(), 0);
    std::uint64_t changed = 0;
    std::string changes;
    for (std::size_t kind = 0; kind < before_.size(); ++kind) {
        if (std::exchange(before_[kind], digests_.digest(kind)) != digests_.digest(kind)) {
            put(changes, kind);
            put(changes, digests_.digest(kind));
            ++changed;
        }
    }
    put(record, changed);
    return write_all(file_.get(), record + changes)
               ? Result<void>()
               : system_failure("digests of fields cannot be written");
}

ComparedFields compare_digests(std::span<const std::byte> a, std::span<const std::byte> b,
                               const std::function<bool(const std::string& kind)>& counts) {
    const auto shared = shared_kinds(all_kinds(a), all_kinds(b), counts);
    ComparedFields compared{{}, shared.size(), 0};
    Digests one(a);
    Digests other(b);
    while (true) {
        const auto first = one.next();
        const auto second = other.next();
        if (!first || !second || first->ticks_done != second->ticks_done) {
            return compared;
        }
        ++compared.states;
        DifferingFields diverged{first->ticks_done, {}};
        for (const auto& [in_a, in_b] : shared) {
            if (one.digest(in_a) != other.digest(in_b)) {
                diverged.kinds.push_back(one.kinds()[in_a]);
            }
        }
        if (!diverged.kinds.empty()) {
            compared.diverged = std::move(diverged);
            return compared;
        }
    }
}

}  // namespace isotick::harness
