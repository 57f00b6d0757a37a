#pragma once
// The addresses of peers, as `isotick netplay` names them: 10.77.0.1:7000,10.77.0.2:7001.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>

/// None where one of them is no IPv4 address with a port.
inline std::vector<sockaddr_in> read_addresses(std::string_view text) {
    std::vector<sockaddr_in> all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string one(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t colon = one.find(':');
        sockaddr_in address{};
        address.sin_family = AF_INET;
        if (colon == std::string::npos || colon + 1 == one.size() ||
            one.find_first_not_of("0123456789", colon + 1) != std::string::npos ||
            inet_pton(AF_INET, one.substr(0, colon).c_str(), &address.sin_addr) != 1) {
            return {};
        }
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(one.substr(colon + 1))));
        all.push_back(address);
    }
    return all;
}
