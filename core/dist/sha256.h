// SHA-256 and its HMAC: by which the processes of a job know each other.
#pragma once
#include <string>
#include <string_view>

namespace haft::dist {

std::string sha256(std::string_view bytes);                             // 32 bytes
std::string hmac_sha256(std::string_view key, std::string_view bytes);  // 32 bytes
bool equal_secretly(std::string_view a, std::string_view b);            // in a time that tells nothing
std::string to_hex(std::string_view bytes);
std::string random_bytes(size_t count);  // of the system, for secrets

}  // namespace haft::dist
