// Field paths as users write them, on states with everything in them.

#include "../support/fuzz_target.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/fields.hpp>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

namespace isotick::fuzz {
namespace {

struct Unit {
    std::uint32_t id = 7;
    float x = 0.1F;
    std::vector<std::uint16_t> path{1, 2, 3};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(id), CEREAL_NVP(x), CEREAL_NVP(path));
    }
};

struct Everything {
    std::vector<Unit> units = std::vector<Unit>(3);
    std::map<std::string, int> scores{{"ann", 3}, {"b\"\\]", -1}, {"", 0}};
    std::map<int, Unit> squads{{-5, {}}, {12, {}}};
    std::vector<double> numbers{0.5, -0.0};
    std::optional<int> nothing{};
    std::variant<int, std::string> mode = "wait";
    std::string text = "a\nb";
    std::array<std::array<int, 2>, 2> grid{};
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(units), CEREAL_NVP(scores), CEREAL_NVP(squads), CEREAL_NVP(numbers),
                CEREAL_NVP(nothing), CEREAL_NVP(mode), CEREAL_NVP(text), CEREAL_NVP(grid));
        archive(text, numbers);  // without names
    }
};

std::vector<std::byte> fields_of_everything() {
    std::vector<std::byte> bytes;
    const isotick_sink sink{&bytes, [](void* context, const void* data, std::uint64_t size) {
                                auto& to = *static_cast<std::vector<std::byte>*>(context);
                                const auto* first = static_cast<const std::byte*>(data);
                                to.insert(to.end(), first, first + size);
                                return std::int32_t{ISOTICK_OK};
                            }};
    core::write_fields(Everything(), sink);
    return bytes;
}

}  // namespace

void run(Input input) {
    static const std::vector<std::byte> fields = fields_of_everything();
    const auto pattern = core::FieldPattern::parse(text_of(input));
    if (!pattern) {
        require(pattern.error().code == core::ErrorCode::usage, "a bad path is bad usage");
        return;
    }
    std::vector<core::SelectedField> found;
    const auto selected =
        core::select_fields(fields, *pattern, [&](const auto& field) { found.push_back(field); });
    require(selected && selected->total == found.size(), "an intact stream has its fields");
    require(found.empty() != selected->missing.empty(), "what is not found is said to be missing");
    for (const core::SelectedField& field : found) {
        const auto exact = core::FieldPattern::parse(field.path);
        std::size_t again = 0;
        const auto same = [&](const auto& other) { again += other.path == field.path ? 1U : 0U; };
        require(exact && core::select_fields(fields, *exact, same) && again == 1,
                "a path that was printed leads to its field");
    }
}

}  // namespace isotick::fuzz
