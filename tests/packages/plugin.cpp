// Somebody's C++ library: streams and exceptions of the system's libstdc++.
#include <iostream>
#include <sstream>
#include <stdexcept>

extern "C" int run() {
  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception& e) {
    std::ostringstream text;
    text << e.what() << ' ' << 1.5;
    std::cout << text.str() << std::endl;
    return text.str() == "thrown 1.5" ? 0 : 1;
  }
}
