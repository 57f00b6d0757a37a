#include "told_writes.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

using core::ByteReader;
using core::Result;

constexpr std::uint32_t kMostCalls = 1000;
constexpr std::array kChanging{Verb::begin_frame, Verb::step, Verb::render, Verb::load};

CallSite call_in(ByteReader& reader) {
    CallSite call;
    call.function = core::printable(reader.string());
    call.file = core::printable(reader.string());
    call.offset = reader.get<std::uint32_t>();
    return call;
}

}  // namespace

Result<ToldWrites> read_told_writes(std::span<const std::byte> told) {
    const auto malformed = [&told](const ByteReader& reader, const char* what) {
        return core::fail(core::ErrorCode::damaged,
                          fmt::format("its log of writes has {} at byte {}", what,
                                      told.size() - reader.remaining()));
    };
    ByteReader reader(told);
    ToldWrites all;
    all.cut = reader.get<std::uint8_t>() != 0;
    all.first = reader.take(reader.get<std::uint32_t>());
    while (reader.ok() && !reader.at_end()) {
        ToldWrite& write = all.writes.emplace_back();
        write.during = static_cast<Verb>(reader.get<std::uint8_t>());
        if (std::ranges::find(kChanging, write.during) == kChanging.end()) {
            return malformed(reader, "a verb that changes no state");
        }
        const auto calls = reader.get<std::uint32_t>();
        if (calls > kMostCalls) {
            return malformed(reader, "more than 1,000 calls in one stack");
        }
        for (std::uint32_t i = 0; i < calls && reader.ok(); ++i) {
            write.calls.push_back(call_in(reader));
        }
        write.after = reader.take(reader.get<std::uint32_t>());
    }
    return reader.ok() ? Result<ToldWrites>(std::move(all)) : malformed(reader, "too few bytes");
}

}  // namespace isotick::harness
