#include "needed_files.hpp"

#include "../../platform/processes/process.hpp"
#include "../tools/tool.hpp"
#include "compile_commands.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace isotick::harness::bisect {

using core::Result;

std::vector<std::string> files_of_rule(const std::string& rule, const std::string& folder) {
    std::vector<std::string> files;
    std::string file;
    const auto end_file = [&] {
        if (!file.empty()) {
            files.push_back(full_path(folder, std::exchange(file, {})));
        }
    };
    for (std::size_t i = std::min(rule.find(": "), rule.size()) + 1; i < rule.size(); ++i) {
        const bool has_next = i + 1 < rule.size();
        if (rule[i] == '\\' && has_next && (rule[i + 1] == ' ' || rule[i + 1] == '#')) {
            file += rule[++i];
        } else if (rule[i] == '\\' && has_next && rule[i + 1] == '\n') {
            ++i;
            end_file();
        } else if (rule[i] == '$' && has_next && rule[i + 1] == '$') {
            file += rule[++i];
        } else if (rule[i] == ' ' || rule[i] == '\n') {
            end_file();
        } else {
            file += rule[i];
        }
    }
    end_file();
    return files;
}

std::string program_path(const std::string& word, const std::string& folder) {
    if (word.find('/') != std::string::npos) {
        return full_path(folder, word);
    }
    constexpr std::string_view kName = "PATH=";
    for (const std::string& variable : own_environment()) {
        if (!variable.starts_with(kName)) {
            continue;
        }
        std::istringstream folders(variable.substr(kName.size()));
        for (std::string each; std::getline(folders, each, ':');) {
            const std::string path = full_path(folder, each + "/" + word);
            if (access(path.c_str(), X_OK) == 0) {
                return path;
            }
        }
    }
    return "";
}

Result<void> keep_needed_files(const std::string& list, const std::vector<std::string>& files) {
    std::string text;
    for (const std::string& file : files) {
        ISOTICK_TRY_ASSIGN(const auto content, content_of_file(file));
        text += digest_of({content}) + " " + file + "\n";
    }
    return write_file(list, text);
}

bool are_as_kept(const std::string& list) {
    std::ifstream kept(list, std::ios::binary);
    std::string digest;
    std::string file;
    std::size_t files = 0;
    while (std::getline(kept, digest, ' ') && std::getline(kept, file)) {
        const auto content = content_of_file(file);
        if (!content || digest_of({*content}) != digest) {
            return false;
        }
        ++files;
    }
    return files > 0;
}

}  // namespace isotick::harness::bisect
