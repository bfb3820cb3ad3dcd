// The entry of libFuzzer; PDEGCN_FUZZ_ENTRY names one of the functions of targets.h.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    pdegcn::tests::PDEGCN_FUZZ_ENTRY(
        pdegcn::data::File("input", std::string(reinterpret_cast<const char*>(data), size)));
  } catch (const pdegcn::Error&) {  // the file is refused, which is what should happen
  }
  return 0;
}
