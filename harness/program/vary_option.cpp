#include "vary_option.hpp"

#include "text.hpp"

#include <isotick/harness/detail/match.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::VariedSetting;
using Where = VariedSetting::Where;

// One `--vary`.
struct VariedKey {
    std::optional<Where> where;  // none: no prefix says it
    std::string key;
    std::vector<std::string> values;
};

constexpr std::size_t kMostValues = 64;

tl::unexpected<core::Error> refused(const std::string& text, const std::string& why) {
    return core::fail(ErrorCode::usage, "--vary " + text + ": " + why);
}

std::optional<Where> take_prefix(std::string_view& key) {
    for (const auto& [prefix, where] :
         {std::pair("config.", Where::config), std::pair("environment.", Where::environment)}) {
        if (key.starts_with(prefix)) {
            key.remove_prefix(std::string_view(prefix).size());
            return where;
        }
    }
    return std::nullopt;
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
    std::string_view key = std::string_view(text).substr(0, equals);
    VariedKey parsed{take_prefix(key), std::string(key), {}};
    if (equals == std::string::npos || parsed.key.empty()) {
        return refused(text, "is not of the form key=value,value,…");
    }
    parsed.values = split(std::string_view(text).substr(equals + 1));
    for (auto value = parsed.values.begin(); value != parsed.values.end(); ++value) {
        if (value->empty()) {
            return refused(text, "a value is empty");
        }
        if (std::find(parsed.values.begin(), value, *value) != value) {
            return refused(text, "the value " + *value + " is there twice");
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

Where place_of(const VariedKey& key, const replay::RecordingHead& head,
               const std::string& config_help) {
    if (key.where) {
        return *key.where;
    }
    return head.session.config.find(key.key) || is_named(key.key, config_help) ? Where::config
                                                                               : Where::environment;
}

Result<std::vector<VariedKey>> parse_all(const std::vector<std::string>& texts) {
    std::vector<VariedKey> keys;
    std::size_t values = 0;
    for (const std::string& text : texts) {
        auto key = parse(text);
        if (!key) {
            return tl::unexpected(key.error());
        }
        values += key->values.size();
        if (values > kMostValues) {
            return refused(text, "more than " + std::to_string(kMostValues) + " values in all");
        }
        keys.push_back(*std::move(key));
    }
    return keys;
}

// The settings of one key, but for what is usual.
Result<void> add_settings_of(const VariedKey& key, Where where, const core::SimulationSetup& usual,
                             std::vector<VariedSetting>& settings) {
    const auto same_key = [&](const VariedSetting& other) {
        return other.where == where && other.key == key.key;
    };
    if (std::any_of(settings.begin(), settings.end(), same_key)) {
        return refused(key.key + "=…", "the key is there twice; write all its values in one");
    }
    const std::size_t before = settings.size();
    for (const std::string& value : key.values) {
        VariedSetting setting{where, key.key, value};
        if (usual_value(setting, usual) != value) {
            settings.push_back(std::move(setting));
        }
    }
    return settings.size() > before ? Result<void>()
                                    : refused(key.key + "=" + key.values.front(),
                                              "it is that anyway; name another value to try");
}

}  // namespace

Result<std::vector<VariedSetting>> varied_settings(
    const std::vector<std::string>& texts, const replay::RecordingHead& head,
    const core::Settings& environment,
    const std::function<Result<harness::SimulationFacts>()>& facts) {
    std::vector<VariedSetting> settings;
    if (texts.empty()) {
        return settings;
    }
    const auto keys = parse_all(texts);
    if (!keys) {
        return tl::unexpected(keys.error());
    }
    const auto known = facts();
    if (!known) {
        return tl::unexpected(known.error());
    }
    const core::SimulationSetup usual = harness::setup_of(head, environment);
    for (const VariedKey& key : *keys) {
        const Where where = place_of(key, head, known->config_help);
        if (auto added = add_settings_of(key, where, usual, settings); !added) {
            return tl::unexpected(added.error());
        }
    }
    return settings;
}

Result<void> one_value_each(const std::vector<VariedSetting>& settings) {
    for (std::size_t i = 1; i < settings.size(); ++i) {
        if (name_of(settings[i]) == name_of(settings[i - 1])) {
            return refused(settings[i].key + "=…",
                           "one replay has one value; verify takes several");
        }
    }
    return {};
}

std::string vary_argument(const VariedSetting& setting) {
    return "--vary " + shell_word(name_of(setting) + "=" + setting.value);
}

}  // namespace isotick::program
