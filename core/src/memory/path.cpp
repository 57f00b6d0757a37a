#include <isotick/core/detail/memory/path.hpp>

namespace isotick::core {

MemoryPath& MemoryPath::next(std::string_view step, bool member) {
    if (cut_) {
        return *this;
    }
    if (likely_ < in_order_.size() && in_order_[likely_]->first == step) {
        MemoryPath& found = in_order_[likely_]->second;
        likely_ = likely_ + 1 < in_order_.size() ? likely_ + 1 : 0;
        return found;
    }
    const auto place = steps_.find(step);
    if (place == steps_.end()) {
        return add(step, member);
    }
    likely_ = place->second.place_ + 1;
    return place->second;
}

MemoryPath& MemoryPath::add(std::string_view step, bool member) {
    const auto added = steps_.try_emplace(std::string(step)).first;
    MemoryPath& path = added->second;
    path.place_ = in_order_.size();
    path.text_.append(text_).append(member && !text_.empty() ? "." : "").append(step);
    if (path.text_.size() > kLongest) {
        path.text_.resize(kLongest);
        path.text_ += "…";
        path.cut_ = true;
    }
    in_order_.push_back(added);
    likely_ = in_order_.size();
    return path;
}

}  // namespace isotick::core
