#include "watch_csv.hpp"

#include <string_view>

namespace isotick::program {
namespace {

using core::Result;

std::string cell(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char letter : text) {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + "\"";
}

std::string line(std::string first, const std::vector<std::string>& others) {
    for (const std::string& other : others) {
        first += "," + cell(other);
    }
    return first + "\n";
}

}  // namespace

Result<void> print_csv(const harness::WatchFile& watched, const std::vector<std::string>& fields,
                       Console& console) {
    constexpr std::size_t kPiece = 65536;
    std::string text = line("tick", fields);
    const auto take = [&](const harness::WatchedTick& tick) -> Result<void> {
        std::vector<std::string> values;
        for (const auto& value : tick.values) {
            values.push_back(value.value_or(""));
        }
        text += line(std::to_string(tick.tick), values);
        if (text.size() < kPiece) {
            return {};
        }
        console.print(text);
        text.clear();
        return console.flush();
    };
    const auto unseen = watched.read(take);
    console.print(text);
    if (!unseen) {
        return tl::unexpected(unseen.error());
    }
    if (auto flushed = console.flush(); !flushed) {  // before what goes to stderr
        return flushed;
    }
    for (const harness::UnseenField& field : *unseen) {
        console.remark("--watch " + fields[field.field] +
                       " has no value at any tick: " + field.missing);
    }
    return {};
}

}  // namespace isotick::program
