#include <isotick/core/detail/fields/shape_writer.hpp>

#include <algorithm>
#include <stdexcept>

namespace isotick::core {

void ShapeWriter::end_object() {
    if (frames_.back().done == 0) {
        text_ += path_ + " nothing\n";
    }
    close();
}

void ShapeWriter::leaf(std::string_view type) {
    const std::size_t size = path_.size();
    step();
    text_.append(path_).append(" ").append(type).append("\n");
    path_.resize(size);
    if (text_.size() > kLongest) {
        throw std::length_error("the state has too many different values to describe");
    }
}

bool ShapeWriter::begin_example(const void* tag) {
    if (std::find(examples_.begin(), examples_.end(), tag) != examples_.end()) {
        return false;
    }
    examples_.push_back(tag);
    return true;
}

void ShapeWriter::open(std::string_view suffix, bool object) {
    const std::size_t size = path_.size();
    step();
    path_ += suffix;
    frames_.push_back({size, object, 0});
}

void ShapeWriter::close() {
    path_.resize(frames_.back().path_size);
    frames_.pop_back();
}

// Goes on to the next value: path_ becomes its path.
void ShapeWriter::step() {
    if (!frames_.empty() && frames_.back().object) {
        Frame& frame = frames_.back();
        path_ += path_.empty() ? "" : ".";
        path_ += name_.empty() ? std::to_string(frame.done) : name_;
        ++frame.done;
    }
    name_.clear();
}

}  // namespace isotick::core
