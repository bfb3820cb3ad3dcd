#pragma once

#include <string>

namespace pdegcn::report {

// A time for people: "14 ms", "0.42 s", "4.2 s", "42 s", "2 min 05 s", "1 h 05 min", "3 d 04 h".
std::string format_duration(double seconds);

}  // namespace pdegcn::report
