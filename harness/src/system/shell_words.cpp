#include "shell_words.hpp"

#include <cstddef>
#include <utility>

namespace isotick::harness {
namespace {

constexpr std::string_view kShellBlanks = " \t\n";
constexpr std::string_view kEscapedInQuotes = "\\\"$`\n";

class Splitter {
  public:
    explicit Splitter(std::string_view text) : text_(text) {}

    std::optional<std::vector<std::string>> split() {
        while (at_ < text_.size()) {
            const char letter = text_[at_++];
            if (kShellBlanks.find(letter) != std::string_view::npos) {
                end_word();
            } else if (letter == '\'' || letter == '"') {
                in_word_ = true;
                if (!take_quoted(letter)) {
                    return std::nullopt;
                }
            } else {
                in_word_ = true;
                word_ += letter == '\\' && at_ < text_.size() ? text_[at_++] : letter;
            }
        }
        end_word();
        return std::move(words_);
    }

  private:
    bool take_quoted(char quote) {
        while (at_ < text_.size()) {
            const char letter = text_[at_++];
            if (letter == quote) {
                return true;
            }
            const bool escapes = quote == '"' && letter == '\\' && at_ < text_.size() &&
                                 kEscapedInQuotes.find(text_[at_]) != std::string_view::npos;
            word_ += escapes ? text_[at_++] : letter;
        }
        return false;
    }

    void end_word() {
        if (std::exchange(in_word_, false)) {
            words_.push_back(std::exchange(word_, {}));
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool in_word_ = false;
    std::string word_;
    std::vector<std::string> words_;
};

}  // namespace

std::optional<std::vector<std::string>> shell_words(std::string_view text) {
    return Splitter(text).split();
}

}  // namespace isotick::harness
