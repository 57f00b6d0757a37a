#include "input_domain.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <numeric>
#include <utility>

namespace isotick::harness {

std::optional<TypedInput> typed_input(const InputWords& words, std::string_view json) {
    auto bytes = words.compose(json);
    auto text = bytes ? words.describe(*bytes) : std::nullopt;
    if (!text || (*text != json && words.compose(*text) != bytes)) {
        return std::nullopt;
    }
    return TypedInput{*std::move(text), *std::move(bytes)};
}

namespace {

using core::JsonValue;

constexpr std::size_t kMostSpots = 1024;

// Recursion ends with the depth that parse_json allows.
void add_spots(const JsonValue& value, std::string path, std::size_t members_end,
               std::vector<Spot>& spots) {
    if (spots.size() == kMostSpots) {
        return;
    }
    spots.push_back({path, &value, members_end});
    const bool is_object = value.kind == JsonValue::Kind::object;
    const std::size_t last = value.offset + value.size - 1;  // the bracket
    for (const core::JsonMember& member : value.members) {
        const std::string step = is_object ? (path.empty() ? "" : ".") + member.name : "[]";
        add_spots(member.value, path + step,
                  is_object ? last : member.value.offset + member.value.size, spots);
    }
}

}  // namespace

std::vector<Spot> spots_of(const JsonValue& document) {
    std::vector<Spot> spots;
    add_spots(document, "", document.offset + document.size, spots);
    return spots;
}

std::string_view literal_of(const JsonValue& value, std::string_view text) {
    return text.substr(value.offset, value.size);
}

std::string spliced(std::string_view text, std::size_t begin, std::size_t end,
                    std::string_view literal) {
    std::string result(text.substr(0, begin));
    result += literal;
    result += text.substr(end);
    return result;
}

namespace {

using core::JsonValue;
using Kind = JsonValue::Kind;
using Whole = std::numeric_limits<std::int64_t>;

constexpr std::size_t kMostLiterals = 64;
constexpr const char* kGreatestUnsigned = "18446744073709551615";

bool is_fraction(std::string_view number) {
    return number.find_first_of(".eE") != std::string_view::npos;
}

std::optional<std::int64_t> whole_in(std::string_view literal) {
    std::int64_t number = 0;
    const char* const end = literal.data() + literal.size();
    const auto [read, error] = std::from_chars(literal.data(), end, number);
    return error == std::errc() && read == end ? std::optional(number) : std::nullopt;
}

/// One spot, and what stands there once a literal was tried.
class Probe {
  public:
    Probe(const InputWords& words, const std::string& text, std::size_t index)
        : words_(words), text_(text), index_(index) {}

    // Empty where the literal is refused.
    [[nodiscard]] std::string after(const std::string& literal) const {
        const auto typed = with_literal(words_, text_, index_, literal);
        const auto document = typed ? core::parse_json(typed->text) : JsonValue();
        const auto spots = document ? spots_of(*document) : std::vector<Spot>();
        return typed && index_ < spots.size()
                   ? std::string(literal_of(*spots[index_].value, typed->text))
                   : "";
    }

    [[nodiscard]] bool takes(std::int64_t number) const {
        const std::string literal = std::to_string(number);
        const std::string there = after(literal);
        return there == literal || is_fraction(there);
    }

  private:
    const InputWords& words_;
    const std::string& text_;
    std::size_t index_;
};

// The furthest number that is taken from one that is, by way of the ends of the usual types: those
// taken are a range.
std::int64_t furthest(const Probe& probe, std::int64_t taken, bool upward) {
    constexpr std::array<std::int64_t, 7> kEnds{0x7f,       0xff,       0x7fff,      0xffff,
                                                0x7fffffff, 0xffffffff, Whole::max()};
    for (const std::int64_t up : kEnds) {
        const std::int64_t end = upward ? up : -up - 1;
        if (upward ? end <= taken : end >= taken) {
            continue;
        }
        if (probe.takes(end)) {
            taken = end;
            continue;
        }
        std::int64_t refused = end;
        for (std::int64_t middle = std::midpoint(taken, refused); middle != taken;
             middle = std::midpoint(taken, refused)) {
            (probe.takes(middle) ? taken : refused) = middle;
        }
        return taken;
    }
    return taken;
}

// Of the numbers up to `row`, a power of two, and of the powers of two behind it.
void learn_names(const Probe& probe, std::int64_t row, Domain& domain) {
    constexpr std::int64_t kLast = 512;
    for (std::int64_t number = 0; number <= kLast; number += number < row ? 1 : number) {
        if (const std::string there = probe.after(std::to_string(number)); there.starts_with('"')) {
            domain.add(there);
        }
    }
}

void learn_texts(const Probe& probe, Domain& domain) {
    for (const std::string& literal :
         {std::string("\"\""), std::string("\"a\""), '"' + std::string(64, 'x') + '"'}) {
        if (probe.after(literal) == literal) {
            domain.add(literal);
        }
    }
}

template <class T, std::size_t kCount>
const T& one_of(const std::array<T, kCount>& all, core::Pcg32& random) {
    return all[random.below(kCount)];
}

std::string thousandths(std::int64_t number) {
    const std::int64_t size = number < 0 ? -number : number;
    const std::string digits = std::to_string(1000 + size % 1000);
    return (number < 0 ? "-" : "") + std::to_string(size / 1000) + "." + digits.substr(1);
}

// The part of a range that real numbers are drawn of: the ends of their types make infinities of
// a state.
std::pair<std::int64_t, std::int64_t> moderate(const NumberRange& range) {
    constexpr std::int64_t kFurthest = 1000;
    return {std::clamp(-kFurthest, range.least, range.most),
            std::clamp(kFurthest, range.least, range.most)};
}

bool is_moderate(const NumberRange& range, std::string_view real) {
    const auto [least, most] = moderate(range);
    const auto whole = whole_in(real.substr(0, real.find('.')));
    return whole && *whole >= least && *whole <= most &&
           real.find_first_of("eE") == std::string_view::npos;
}

void learn_numbers(const Probe& probe, const JsonValue& now, Domain& domain) {
    std::vector<std::int64_t> starts{0, 1, -1};
    if (const auto number = now.as_signed()) {
        starts.insert(starts.begin(), *number);
    }
    const auto start =
        std::ranges::find_if(starts, [&](std::int64_t number) { return probe.takes(number); });
    if (start == starts.end()) {
        return;
    }
    NumberRange range{furthest(probe, *start, false), furthest(probe, *start, true),
                      is_fraction(now.text)};
    range.real = range.real || is_fraction(probe.after(std::to_string(*start) + ".5"));
    domain.numbers = range;
    if (range.real && !is_moderate(range, now.text)) {
        domain.add(now.text);  // the input's own default
    }
    if (!range.real && range.most == Whole::max() &&
        probe.after(kGreatestUnsigned) == kGreatestUnsigned) {
        domain.add(kGreatestUnsigned);
    }
}

std::string draw_real(const NumberRange& range, core::Pcg32& random) {
    const auto [first, last] = moderate(range);
    const std::int64_t least = first * 1000;
    const std::int64_t most = last * 1000;
    switch (random.below(4)) {
        case 0:
            return thousandths(one_of(
                std::array<std::int64_t, 8>{0, 1000, -1000, 1, -1, 500, least, most}, random));
        case 1:
            return thousandths(random.between(least, most));
        default:
            return thousandths(random.between(-1000, 1000));
    }
}

// How many bits the range's greatest number has.
std::uint32_t bits_of(const NumberRange& range) {
    return range.most > 0
               ? static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(range.most)))
               : 1;
}

// A single bit, or a number at an end of the range or of what numbers are.
std::int64_t draw_edge(const NumberRange& range, core::Pcg32& random) {
    const std::int64_t inward = range.least < range.most ? 1 : 0;
    return random.chance(1, 2)
               ? std::int64_t{1} << random.below(bits_of(range))
               : one_of(std::array<std::int64_t, 7>{0, 1, -1, range.least, range.least + inward,
                                                    range.most - inward, range.most},
                        random);
}

// One more, one less, or with another bit.
std::int64_t draw_neighbor(std::int64_t held, const NumberRange& range, core::Pcg32& random) {
    const auto number = static_cast<std::uint64_t>(held);
    const std::uint64_t bit = std::uint64_t{1} << random.below(bits_of(range));
    return static_cast<std::int64_t>(one_of(
        std::array<std::uint64_t, 4>{number + 1, number - 1, number ^ bit, number ^ bit}, random));
}

std::string draw_whole(const NumberRange& range, std::optional<std::int64_t> held,
                       core::Pcg32& random) {
    constexpr int kMostAttempts = 64;
    const std::uint32_t kind = random.below(4);
    for (int attempt = 0; kind > 0 && attempt < kMostAttempts; ++attempt) {
        const std::int64_t drawn =
            kind == 1 && held ? draw_neighbor(*held, range, random) : draw_edge(range, random);
        if (drawn >= range.least && drawn <= range.most) {
            return std::to_string(drawn);
        }
    }
    return std::to_string(random.between(range.least, range.most));
}

}  // namespace

void Domain::add(std::string_view literal) {
    if (literals.size() < kMostLiterals && std::ranges::find(literals, literal) == literals.end()) {
        literals.emplace_back(literal);
    }
}

bool Domain::takes(const JsonValue& value, std::string_view literal) const {
    if (value.kind != Kind::number || std::ranges::find(literals, literal) != literals.end()) {
        return true;
    }
    return numbers && (!numbers->real || is_moderate(*numbers, literal));
}

std::optional<TypedInput> with_literal(const InputWords& words, const std::string& text,
                                       std::size_t index, std::string_view literal) {
    const auto document = core::parse_json(text);
    const auto spots = document ? spots_of(*document) : std::vector<Spot>();
    if (index >= spots.size()) {
        return std::nullopt;
    }
    const Spot& spot = spots[index];
    const std::size_t begin = spot.value->offset;
    const std::size_t end = begin + spot.value->size;
    auto typed = typed_input(words, spliced(text, begin, end, literal));
    return typed || spot.members_end == end
               ? typed
               : typed_input(words, spliced(text, begin, spot.members_end, literal));
}

Domain learn_domain(const InputWords& words, const std::string& text, std::size_t index) {
    Domain domain;
    const auto document = core::parse_json(text);
    const auto spots = document ? spots_of(*document) : std::vector<Spot>();
    if (index >= spots.size()) {
        return domain;
    }
    constexpr std::int64_t kFewNames = 4;
    constexpr std::int64_t kManyNames = 64;
    const JsonValue& value = *spots[index].value;
    const Probe probe(words, text, index);
    if (value.kind == Kind::boolean) {
        domain.literals = {"false", "true"};
        return domain;
    }
    if (value.kind == Kind::string) {
        learn_names(probe, kManyNames, domain);
        learn_texts(probe, domain);
    } else if (value.kind == Kind::number) {
        learn_names(probe, kFewNames, domain);
        if (!domain.literals.empty()) {
            learn_names(probe, kManyNames, domain);
        } else {
            learn_numbers(probe, value, domain);
        }
    }
    if (value.kind != Kind::number || (!domain.numbers && domain.literals.empty())) {
        domain.add(literal_of(value, text));
    }
    return domain;
}

std::string draw_literal(const Domain& domain, std::string_view held, core::Pcg32& random) {
    const auto literals = static_cast<std::uint32_t>(domain.literals.size());
    if (domain.numbers && (literals == 0 || !random.chance(1, 8))) {
        return domain.numbers->real ? draw_real(*domain.numbers, random)
                                    : draw_whole(*domain.numbers, whole_in(held), random);
    }
    return literals == 0 ? "" : domain.literals[random.below(literals)];
}

}  // namespace isotick::harness
