# Says what this build leaves out: scripts/test lists it at its end, so nothing is skipped silently.

# isotick_left_out("what: why"): remembered for the file `left-out.txt` of the build folder.
function(isotick_left_out what)
  message(STATUS "Left out: ${what}")
  set_property(GLOBAL APPEND_STRING PROPERTY ISOTICK_LEFT_OUT "${what}\n")
endfunction()

# Writes the file; called once, when everything has been configured.
function(isotick_write_left_out)
  get_property(lines GLOBAL PROPERTY ISOTICK_LEFT_OUT)
  file(WRITE "${PROJECT_BINARY_DIR}/left-out.txt" "${lines}")
endfunction()
