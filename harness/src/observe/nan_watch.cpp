#include "nan_watch.hpp"

#include <isotick/core/detail/fields/fields.hpp>

namespace isotick::harness {

core::Result<NanWatch> NanWatch::make() {
    return SharedFile::make().map([](SharedFile&& file) { return NanWatch(std::move(file)); });
}

std::string NanWatch::find(const TrialResult& result) const {
    const auto file = file_.read();
    if (!result.dumped || !file) {
        return "";
    }
    const auto dump = core::read_state_dump(file->bytes());
    const auto found = dump ? core::find_nan_field(dump->fields) : tl::unexpected(dump.error());
    return found ? found->value_or("") : "";
}

}  // namespace isotick::harness
