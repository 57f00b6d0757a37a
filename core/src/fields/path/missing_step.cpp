#include "missing_step.hpp"

#include "pattern_steps.hpp"

#include <utility>

namespace isotick::core {
namespace {

constexpr std::size_t kMostListed = 8;

}  // namespace

void MissingStep::arrive(std::size_t matched, const FieldPath& path) {
    const bool has_contents = steps_total_ != 0 || elements_.value_or(0) != 0;
    open_ = matched > matched_ || (matched == matched_ && !has_contents);
    if (open_) {
        *this = {};
        matched_ = matched;
        open_ = true;
        place_ = path.text();
    }
}

void MissingStep::elements(std::size_t matched, std::uint64_t count) {
    if (is_here(matched)) {
        elements_ = count;
    }
}

void MissingStep::other_step(std::size_t matched, const std::string& step) {
    if (is_here(matched)) {
        ++steps_total_;
        if (steps_.size() < kMostListed) {
            steps_.push_back(step);
        }
    }
}

void MissingStep::value(std::size_t matched, std::string text) {
    if (is_here(matched)) {
        value_ = std::move(text);
    }
}

std::string MissingStep::contents() const {
    if (!value_.empty()) {
        return "is " + value_;
    }
    if (steps_total_ == 0) {
        const std::uint64_t count = elements_.value_or(0);
        return count == 0
                   ? std::string("has nothing in it")
                   : "has " + std::to_string(count) + (count == 1 ? " element" : " elements") +
                         ", from [0] to [" + std::to_string(count - 1) + "]";
    }
    std::string text = "has ";
    for (const std::string& step : steps_) {
        text += (&step == &steps_.front() ? "" : ", ") + step;
    }
    const std::uint64_t rest = steps_total_ - steps_.size();
    return text + (rest == 0 ? "" : " and " + std::to_string(rest) + " more");
}

std::string MissingStep::text(std::string_view pattern) const {
    const std::size_t end = std::min(step_end(pattern, matched_), pattern.size());
    const std::size_t begin = matched_ + (pattern[matched_] == '.' ? 1 : 0);
    std::string step(pattern.substr(begin, end - begin));
    if (!step.starts_with('[')) {
        step.insert(0, 1, '\'').push_back('\'');
    }
    return "there is no " + step + " in " + (place_.empty() ? "the state" : place_) + ", which " +
           contents();
}

}  // namespace isotick::core
