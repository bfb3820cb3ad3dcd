# libtorch as an ordinary target, and one precompiled header for all that see it. Where it lies is a matter
# of this build alone: an installed pdegcn finds its own (cmake/pdegcnConfig.cmake.in).
add_library(pdegcn_torch INTERFACE)
target_link_libraries(pdegcn_torch INTERFACE "$<BUILD_INTERFACE:${TORCH_LIBRARIES}>")
separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
target_compile_options(pdegcn_torch INTERFACE "$<BUILD_INTERFACE:${torch_flags}>")
set_target_properties(pdegcn_torch PROPERTIES EXPORT_NAME torch)

# pdegcn_precompiled(TARGET)
#
# Gives a target torch/torch.h precompiled: 20 s saved per source file.
function(pdegcn_precompiled target)
  # A precompiled header fits only code of the same kind: programs too are compiled with -fPIC.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  if(TARGET pdegcn_pde AND NOT ${target} STREQUAL pdegcn_pde)
    target_precompile_headers(${target} REUSE_FROM pdegcn_pde)
  else()
    target_precompile_headers(${target} PRIVATE <torch/torch.h>)
  endif()
endfunction()
