// save and load.

#include "client.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>

namespace isotick::harness::check {
namespace {

using core::Bytes;
using core::Result;

constexpr std::uint64_t kSavedAfter = 32;  // ticks
constexpr std::uint64_t kFuture = 16;

// A client that has played the first ticks of the script.
Result<Client> played(Stage& stage, std::uint64_t ticks) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        ISOTICK_TRY(client.step(tick, stage.script[tick]));
    }
    return client;
}

Result<void> save_behind(Client& client, const Stage& stage, std::uint64_t tick) {
    ISOTICK_TRY(client.step(tick, stage.script[tick]));
    ISOTICK_TRY_ASSIGN(const auto before, client.hash());
    ISOTICK_TRY(client.ask(Verb::save));
    ISOTICK_TRY_ASSIGN(const auto after, client.hash());
    return expect_same(stage, before, after, "after save");
}

Result<void> save(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    for (std::uint64_t tick = 0; tick < stage.script.size(); ++tick) {
        if (const auto done = save_behind(client, stage, tick); !done) {
            return came("at tick " + std::to_string(tick) + ", " + done.error().message);
        }
    }
    return {};
}

// After the snapshot was loaded, everything is as it was when it was saved, and then.
Result<void> goes_on_as_saved(Client& client, const Stage& stage, const Bytes& snapshot,
                              const std::string& where) {
    const auto loaded = client.ask(Verb::load, snapshot);
    if (!loaded) {
        return came(where + ", " + loaded.error().message);
    }
    for (std::uint64_t tick = kSavedAfter; tick <= kSavedAfter + kFuture; ++tick) {
        const auto hashes = client.hash();
        if (!hashes) {
            return came(where + ", " + hashes.error().message);
        }
        const std::string when =
            tick == kSavedAfter ? " right after load"
                                : ", " + std::to_string(tick - kSavedAfter) + " ticks after load";
        ISOTICK_TRY(expect_same(stage, stage.hashes[tick], *hashes, where + when));
        ISOTICK_TRY(client.step(tick, stage.script[tick]));
    }
    return {};
}

Result<void> load(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, played(stage, kSavedAfter));
    ISOTICK_TRY_ASSIGN(const auto snapshot, client.ask(Verb::save));
    ISOTICK_TRY_ASSIGN(auto other, Client::created(stage));
    ISOTICK_TRY(goes_on_as_saved(other, stage, snapshot, "in another process"));
    for (std::uint64_t tick = kSavedAfter; tick < kSavedAfter + kFuture; ++tick) {
        ISOTICK_TRY(client.step(tick, stage.script[tick]));
    }
    return goes_on_as_saved(client, stage, snapshot, "where it was saved");
}

struct Spoiled {
    std::string words;
    Bytes snapshot;
};

std::vector<Spoiled> spoiled(const Bytes& whole) {
    const std::size_t size = whole.size();
    std::vector<Spoiled> all{{"nothing", {}}};
    for (const std::size_t kept : {size / 2, size - std::min<std::size_t>(size, 1)}) {
        all.push_back({"the first " + std::to_string(kept) + " of " + std::to_string(size) +
                           " bytes of a snapshot",
                       {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept)}});
    }
    for (const std::size_t at : {std::size_t{0}, size / 3, size / 2, size - 1}) {
        if (at < size) {
            all.push_back({"a snapshot with byte " + std::to_string(at) + " inverted", whole});
            all.back().snapshot[at] ^= std::byte{0xff};
        }
    }
    all.push_back({"4,096 bytes of 0xff", Bytes(4096, std::byte{0xff})});
    return all;
}

Result<void> bad_snapshot(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, played(stage, kSavedAfter));
    ISOTICK_TRY_ASSIGN(const auto snapshot, client.ask(Verb::save));
    for (const Spoiled& each : spoiled(snapshot)) {
        ISOTICK_TRY_ASSIGN(auto other, Client::created(stage));
        const auto reply = other.ask_for(Verb::load, each.snapshot, {Status::ok, Status::failed});
        if (!reply) {
            return came("from " + each.words + ", " + reply.error().message);
        }
    }
    return {};
}

}  // namespace

std::vector<Check> snapshot_checks() {
    constexpr std::uint64_t kBoth = bit_of(Verb::save) | bit_of(Verb::load);
    return {
        {.name = "save",
         .expected = "keeps its hashes when it is saved",
         .advice = "save must not change anything",
         .play = save,
         .needs = kBoth},
        {.name = "load",
         .expected = "continues from a snapshot as the original did, in any process",
         .advice = "look for state that the snapshot omits or load does not restore",
         .play = load,
         .needs = kBoth,
         .repeatable = true},
        {.name = "bad-snapshot",
         .expected = "answers snapshots that are cut off, changed or empty",
         .advice = "check sizes and values while loading; status 1 refuses the snapshot",
         .play = bad_snapshot,
         .needs = kBoth},
    };
}

}  // namespace isotick::harness::check
