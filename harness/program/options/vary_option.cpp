#include "vary_option.hpp"

#include "../../src/axes/axes.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>

#include <algorithm>
#include <string_view>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::AxisValue;

// One `--vary`.
struct VariedKey {
    std::string name;  // as it is written
    std::vector<std::string> values;
};

constexpr std::size_t kMostValues = 64;

tl::unexpected<core::Error> refused(const std::string& text, const std::string& why) {
    return core::fail(ErrorCode::usage, "--vary " + text + ": " + why);
}

std::vector<std::string> split(std::string_view values) {
    std::vector<std::string> parts;
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
        comma = values.find(',');
        parts.emplace_back(values.substr(0, comma));
        values.remove_prefix(comma == std::string_view::npos ? values.size() : comma + 1);
    }
    return parts;
}

Result<VariedKey> parse(const std::string& text) {
    const std::size_t equals = text.find('=');
    VariedKey parsed{text.substr(0, equals), {}};
    if (equals == std::string::npos || parsed.name.empty() || parsed.name.ends_with('.')) {
        return refused(text, "is not of the form key=value,value,…");
    }
    parsed.values = split(std::string_view(text).substr(equals + 1));
    for (auto value = parsed.values.begin(); value != parsed.values.end(); ++value) {
        if (value->empty()) {
            return refused(text, "a value is empty");
        }
        if (std::find(parsed.values.begin(), value, *value) != value) {
            return refused(text, "the value " + *value + " appears twice");
        }
    }
    return parsed;
}

// Whether a simulation's help says `key=…`.
bool is_named(const std::string& key, const std::string& help) {
    const std::string wanted = key + "=";
    for (std::size_t at = help.find(wanted); at != std::string::npos;
         at = help.find(wanted, at + 1)) {
        const bool begins =
            at == 0 || std::string_view(" ,;([\n").find(help[at - 1]) != std::string_view::npos;
        if (begins) {
            return true;
        }
    }
    return false;
}

// The axis that a key means: its own name, or a setting's without `config.` or `environment.`.
std::string axis_of(const std::string& name, const replay::RecordingHead& head,
                    const std::string& config_help) {
    if (harness::find_axis(name) != nullptr) {
        return name;
    }
    const bool config = head.session.config.find(name) || is_named(name, config_help);
    return (config ? "config." : "environment.") + name;
}

Result<std::vector<VariedKey>> parse_all(const std::vector<std::string>& texts) {
    std::vector<VariedKey> keys;
    std::size_t values = 0;
    for (const std::string& text : texts) {
        ISOTICK_TRY_ASSIGN(auto key, parse(text));
        values += key.values.size();
        if (values > kMostValues) {
            return refused(text, "more than " + std::to_string(kMostValues) + " values in all");
        }
        keys.push_back(std::move(key));
    }
    return keys;
}

// The values of one key, without those that are usual.
Result<void> add_values_of(const VariedKey& key, const std::string& axis,
                           const core::SimulationSetup& usual, std::vector<AxisValue>& values) {
    if (std::ranges::find(values, axis, &AxisValue::axis) != values.end()) {
        return refused(key.name + "=…", "the key appears twice; list all its values in one --vary");
    }
    const std::size_t before = values.size();
    for (const std::string& text : key.values) {
        AxisValue value{axis, text};
        if (auto checked = harness::check_value(value); !checked) {
            return refused(key.name + "=" + text, checked.error().message);
        }
        if (usual_value(value, usual) != text) {
            values.push_back(std::move(value));
        }
    }
    return values.size() > before ? Result<void>()
                                  : refused(key.name + "=" + key.values.front(),
                                            "that is already its value; name another one");
}

}  // namespace

Result<std::vector<AxisValue>> varied_axes(
    const std::vector<std::string>& texts, const replay::RecordingHead& head,
    const core::Settings& environment,
    const std::function<Result<harness::SimulationFacts>()>& facts) {
    std::vector<AxisValue> settings;
    if (texts.empty()) {
        return settings;
    }
    ISOTICK_TRY_ASSIGN(const auto keys, parse_all(texts));
    ISOTICK_TRY_ASSIGN(const auto known, facts());
    const core::SimulationSetup usual = harness::setup_of(head, environment);
    for (const VariedKey& key : keys) {
        const std::string axis = axis_of(key.name, head, known.config_help);
        ISOTICK_TRY(add_values_of(key, axis, usual, settings));
    }
    return settings;
}

std::vector<std::string> with_rollback(std::vector<std::string> vary, const std::string& rollback) {
    if (!rollback.empty()) {
        const std::size_t comma = rollback.find(',');
        vary.push_back("rollback=" + rollback.substr(0, comma) +
                       (comma == std::string::npos ? "" : " every " + rollback.substr(comma + 1)));
    }
    return vary;
}

Result<void> one_value_each(const std::vector<AxisValue>& values) {
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (values[i].axis == values[i - 1].axis) {
            return refused(values[i].axis + "=…", "a replay takes one value; verify takes several");
        }
    }
    return {};
}

Result<std::vector<std::string>> perturb_option(const std::string& text) {
    if (text == "none") {
        return std::vector<std::string>();
    }
    const std::vector<std::string> names = harness::drawn_axes(harness::DrawnAxes::by_name);
    const auto refused_list = [&](const std::string& why) {
        return core::fail(ErrorCode::usage, "--perturb " + text + ": " + why);
    };
    std::vector<std::string> chosen;
    for (const std::string& item : split(text)) {
        if (item == kDefaultAxes || item == "all") {
            if (!chosen.empty()) {
                return refused_list(item + " must come first");
            }
            chosen = harness::drawn_axes(item == "all" ? harness::DrawnAxes::all
                                                       : harness::DrawnAxes::by_default);
            continue;
        }
        const bool leave_out = item.starts_with('-');
        const std::string name = item.substr(leave_out ? 1 : 0);
        if (std::ranges::find(names, name) == names.end()) {
            return refused_list("expected none, or a list of default, all and, once each, " +
                                core::joined(names) + "; -NAME leaves one out");
        }
        const auto found = std::ranges::find(chosen, name);
        if (leave_out != (found != chosen.end())) {
            return refused_list(leave_out ? "it does not draw " + name + " anyway"
                                          : "it names " + name + " twice; once each");
        }
        if (leave_out) {
            chosen.erase(found);
        } else {
            chosen.push_back(name);
        }
    }
    return chosen;
}

}  // namespace isotick::program
