# Builds what must not build, and looks for every message that it must end in.
#   cmake -DBUILD=… -P check.cmake
execute_process(
  COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target core_refused
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(result EQUAL 0)
  message(FATAL_ERROR "it compiles")
endif()
foreach(expected IN ITEMS
    "a raw pointer is an address, not state"
    "long double has no portable bits"
    "wchar_t differs in size between platforms"
    "a string_view does not own its text"
    "a function has no bits to hash"
    "a pointer to an array does not know its length"
    "ordered by the addresses of its keys"
    "this type has no serialize function"
    "a state with this type cannot be saved: include cereal's header for it"
    "cereal::defer is not supported"
    "binary_data must be of numbers or of ISOTICK_CONTIGUOUS"
    "begin_frame would never be called; it must be public"
    "render would never be called; it must be public"
    "propose_input would never be called; it must be public"
    "describe_input and compose_input would never be called")
  if(NOT output MATCHES "isotick: [^\n]*${expected}")
    message(SEND_ERROR "no message says: ${expected}\n${output}")
  endif()
endforeach()
