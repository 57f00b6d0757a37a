#pragma once
// Which types can be loaded by copying bytes without looking at them.

#include <isotick/core/detail/archives/load_archive.hpp>

#include <type_traits>

#include <cereal/cereal.hpp>

namespace isotick::core::detail {

// Looks for bools among the values that serialize visits.
class BoolFinder : public cereal::OutputArchive<BoolFinder, cereal::AllowEmptyClassElision> {
  public:
    BoolFinder() : OutputArchive(this) {}
    void found() { has_bool_ = true; }
    [[nodiscard]] bool has_bool() const { return has_bool_; }

  private:
    bool has_bool_ = false;
};

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_SAVE_FUNCTION_NAME(BoolFinder& finder, const T&) {
    if constexpr (std::is_same_v<T, bool>) {
        finder.found();
    }
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(BoolFinder& finder, cereal::NameValuePair<T>& pair) {
    finder(pair.value);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(BoolFinder& finder, const cereal::BinaryData<T>&) {
    using Value = std::remove_all_extents_t<std::remove_pointer_t<std::decay_t<T>>>;
    if constexpr (std::is_same_v<std::remove_cv_t<Value>, bool>) {
        finder.found();
    }
}

template <class T>
bool takes_any_bits() {
    static const bool any = [] {
        BoolFinder finder;
        const T example{};
        finder(example);
        return !finder.has_bool();
    }();
    return any;
}

}  // namespace isotick::core::detail
