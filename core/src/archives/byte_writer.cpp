#include <isotick/core/detail/archives/byte_writer.hpp>

#include <stdexcept>

namespace isotick::core {

void ByteWriter::flush() {
    if (used_ != 0) {
        const std::size_t size = used_;
        used_ = 0;
        pass_on(staging_.data(), size);
    }
}

void ByteWriter::put_slowly(const void* data, std::size_t size) {
    flush();
    if (size <= staging_.size()) {
        std::memcpy(staging_.data(), data, size);
        used_ = size;
        return;
    }
    pass_on(data, size);
}

void ByteWriter::pass_on(const void* data, std::size_t size) {
    if (sink_.write(sink_.context, data, size) != ISOTICK_OK) {
        throw std::runtime_error("the reader accepts no more");
    }
    passed_on_ += size;
}

}  // namespace isotick::core
