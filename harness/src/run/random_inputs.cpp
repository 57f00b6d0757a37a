#include "random_inputs.hpp"

#include "input_domain.hpp"

#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace isotick::harness {

// Random inputs of a simulation that does not say what its inputs are.

/// Another input than `from`: mostly of the same length, with one byte changed; else of 0 to 16
/// bytes, drawn anew. Lengths and bytes are often edges: none, the most, a power of two, one bit.
[[nodiscard]] std::vector<std::uint8_t> changed_bytes(std::vector<std::uint8_t> from,
                                                      core::Pcg32& random);

namespace {

constexpr std::uint32_t kLongest = 16;

std::size_t draw_length(core::Pcg32& random) {
    constexpr std::array<std::uint8_t, 6> kEdges{0, 1, 2, 4, 8, kLongest};
    const bool edge = random.chance(1, 2);
    return edge ? kEdges[random.below(kEdges.size())] : random.below(kLongest + 1);
}

std::uint8_t draw_byte(core::Pcg32& random) {
    constexpr std::array<std::uint8_t, 12> kEdges{0,    0x01, 0x02, 0x04, 0x08, 0x10,
                                                  0x20, 0x40, 0x7f, 0x80, 0xfe, 0xff};
    const bool edge = random.chance(1, 2);
    return edge ? kEdges[random.below(kEdges.size())]
                : static_cast<std::uint8_t>(random.below(256));
}

}  // namespace

std::vector<std::uint8_t> changed_bytes(std::vector<std::uint8_t> from, core::Pcg32& random) {
    const bool keep_length = !from.empty() && random.chance(3, 4);
    if (keep_length) {
        std::uint8_t& byte = from[random.below(static_cast<std::uint32_t>(from.size()))];
        const std::uint8_t before = byte;
        while (byte == before) {
            byte = draw_byte(random);
        }
        return from;
    }
    from.resize(draw_length(random));
    for (std::uint8_t& byte : from) {
        byte = draw_byte(random);
    }
    return from;
}

namespace {

using core::JsonValue;
using Kind = JsonValue::Kind;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMostExamples = 256;
constexpr std::size_t kMostDomains = 256;
constexpr std::uint32_t kMostElements = 16;

Bytes random_bytes(std::size_t size, core::Pcg32& random) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random.below(random.chance(1, 2) ? 4 : 256));
    }
    return bytes;
}

}  // namespace

std::optional<TypedInputs> TypedInputs::learn(InputWords words, core::Pcg32& random) {
    TypedInputs inputs(std::move(words));
    inputs.find_examples(random);
    for (std::size_t i = 0; i < inputs.examples_.size(); ++i) {
        inputs.grow_arrays(TypedInput(inputs.examples_[i]));
    }
    std::vector<TypedInput> found = std::exchange(inputs.examples_, {});
    for (TypedInput& example : found) {
        inputs.add_example(inputs.mended(std::move(example)));
    }
    return inputs.examples_.empty() ? std::nullopt : std::optional(std::move(inputs));
}

void TypedInputs::find_examples(core::Pcg32& random) {
    constexpr std::size_t kLongest = 64;
    constexpr std::size_t kLongestRandom = 16;
    constexpr int kPerSize = 8;
    const auto try_bytes = [this](const Bytes& bytes) {
        if (const auto text = words_.describe(bytes)) {
            add_example(typed_input(words_, *text));
        }
    };
    for (std::size_t size = 0; size <= kLongest; ++size) {
        try_bytes(Bytes(size));
    }
    for (const char* json : {"{}", "[]", "0", "false", "\"\""}) {
        add_example(typed_input(words_, json));
    }
    for (std::size_t size = 1; size <= kLongestRandom; ++size) {
        try_bytes(Bytes(size, 0xff));
        for (int i = 0; i < kPerSize; ++i) {
            try_bytes(random_bytes(size, random));
        }
    }
}

void TypedInputs::add_example(std::optional<TypedInput> typed) {
    if (typed && examples_.size() < kMostExamples &&
        std::ranges::find(examples_, *typed) == examples_.end()) {
        examples_.push_back(*std::move(typed));
    }
}

// An array that was only seen empty says nothing about its elements; these may be anything.
void TypedInputs::grow_arrays(const TypedInput& example) {
    const auto document = core::parse_json(example.text);
    const auto spots = document ? spots_of(*document) : std::vector<Spot>();
    for (std::size_t i = 0; i < spots.size(); ++i) {
        if (spots[i].value->kind != Kind::array || !spots[i].value->members.empty()) {
            continue;
        }
        for (const char* array : {"[{}]", "[0]", "[false]", "[\"\"]", "[[]]"}) {
            add_example(with_literal(words_, example.text, i, array));
        }
    }
}

std::optional<std::size_t> TypedInputs::misfit(const std::string& text) {
    const auto document = core::parse_json(text);
    const auto spots = document ? spots_of(*document) : std::vector<Spot>();
    for (std::size_t i = 0; i < spots.size(); ++i) {
        auto known = domains_.find(spots[i].path);
        if (known == domains_.end() && domains_.size() < kMostDomains) {
            known = domains_.emplace(spots[i].path, learn_domain(words_, text, i)).first;
        }
        const JsonValue& value = *spots[i].value;
        if (known != domains_.end() && !known->second.takes(value, literal_of(value, text))) {
            return i;
        }
    }
    for (const Spot& spot : spots) {
        const auto known = domains_.find(spot.path);
        if (known != domains_.end() && spot.value->kind != Kind::number) {
            known->second.add(literal_of(*spot.value, text));
        }
    }
    return std::nullopt;
}

std::optional<TypedInput> TypedInputs::mended(std::optional<TypedInput> input) {
    constexpr int kMostMisfits = 16;
    for (int left = kMostMisfits; input && left > 0; --left) {
        const auto index = misfit(input->text);
        if (!index) {
            return input;
        }
        const auto document = core::parse_json(input->text);
        const auto& literals = domains_[spots_of(*document)[*index].path].literals;
        input = literals.empty() ? std::nullopt
                                 : with_literal(words_, input->text, *index, literals.front());
    }
    return std::nullopt;
}

TypedInput TypedInputs::any(core::Pcg32& random) {
    constexpr std::uint32_t kMostChanges = 8;
    TypedInput input = examples_[random.below(static_cast<std::uint32_t>(examples_.size()))];
    for (std::uint32_t left = 1 + random.below(kMostChanges); left > 0; --left) {
        input = changed(input, random);
    }
    return input;
}

TypedInput TypedInputs::changed(const TypedInput& from, core::Pcg32& random) {
    constexpr int kMostAttempts = 32;
    const auto document = core::parse_json(from.text);
    const auto spots = document ? spots_of(*document) : std::vector<Spot>();
    for (int attempt = 0; attempt < kMostAttempts && !spots.empty(); ++attempt) {
        const std::uint32_t index = random.below(static_cast<std::uint32_t>(spots.size()));
        const Spot& spot = spots[index];
        const auto domain = domains_.find(spot.path);
        if (domain == domains_.end() || (spot.path.empty() && spot.value->kind == Kind::object)) {
            continue;
        }
        const std::string_view held = literal_of(*spot.value, from.text);
        const std::string literal = spot.value->kind == Kind::array && random.chance(3, 4)
                                        ? other_elements(*spot.value, spot.path, from.text, random)
                                        : draw_literal(domain->second, held, random);
        if (literal.empty() || literal == held) {
            continue;
        }
        auto typed = with_literal(words_, from.text, index, literal);
        if (typed && *typed != from && !misfit(typed->text)) {
            return *std::move(typed);
        }
    }
    return from;
}

// The array with an element more or less; empty where that is impossible.
std::string TypedInputs::other_elements(const JsonValue& array, const std::string& path,
                                        const std::string& text, core::Pcg32& random) const {
    std::vector<std::string> elements;
    for (const core::JsonMember& member : array.members) {
        elements.emplace_back(literal_of(member.value, text));
    }
    const auto count = static_cast<std::uint32_t>(elements.size());
    const auto domain = domains_.find(path + "[]");
    if (count > 0 && random.chance(1, 2)) {
        elements.erase(elements.begin() + random.below(count));
    } else if (domain != domains_.end() && count < kMostElements) {
        const std::uint32_t place = random.below(count + 1);
        elements.insert(elements.begin() + place, draw_literal(domain->second, "", random));
    } else {
        return "";
    }
    std::string result = "[";
    for (const std::string& element : elements) {
        result += (result.size() > 1 ? "," : "") + element;
    }
    return result + "]";
}

namespace {

// Keeps these random numbers apart from those that a simulation draws from the same seed.
constexpr std::uint64_t kStream = 0x72616e646f6d;

}  // namespace

RandomInput::RandomInput(std::uint64_t seed, std::uint32_t player, std::optional<InputWords> words)
    : random_(core::derive_seed(seed, {player}), kStream),
      player_(player),
      described_(words.has_value()) {
    if (words) {
        typed_ = TypedInputs::learn(*std::move(words), random_);
    }
    if (typed_) {
        now_ = typed_->plain();
    }
}

isotick_input RandomInput::sample() {
    const bool held = random_.chance(3, 4) && begun_;
    if (has_examples() && !held) {
        begun_ = true;
        present_ = !random_.chance(1, 4);
        if (present_) {
            change();
        }
    }
    return {player_, present_ ? 1U : 0U, present_ ? now_.bytes.size() : 0,
            present_ ? now_.bytes.data() : nullptr};
}

void RandomInput::change() {
    if (!typed_) {
        now_.bytes = changed_bytes(std::move(now_.bytes), random_);
        return;
    }
    const std::uint32_t kind = random_.below(8);
    if (kind == 0) {
        now_ = typed_->plain();
    } else if (kind == 1) {
        now_ = typed_->any(random_);
    } else {
        now_ = typed_->changed(now_, random_);
    }
}

}  // namespace isotick::harness
