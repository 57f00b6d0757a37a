# Writes the report page's files into a C++ source, byte by byte:
#   cmake -DFOLDER=<with report.html, report.css, report.js> -DOUTPUT=<source> -P embed.cmake
# The same files give the same source, on every machine.
cmake_minimum_required(VERSION 3.20)

function(embed name file)
  file(READ "${FOLDER}/${file}" text)
  string(TOLOWER "${text}" lower)
  foreach(end "</script" "</style")
    string(FIND "${lower}" "${end}" found)
    if(NOT found EQUAL -1 AND NOT file STREQUAL "report.html")
      message(FATAL_ERROR "${file}: \"${end}\" would end the element that holds this file.")
    endif()
  endforeach()
  foreach(place "<!--STYLE-->" "<!--SCRIPTS-->")
    string(FIND "${text}" "${place}" found)
    if(found EQUAL -1 AND file STREQUAL "report.html")
      message(FATAL_ERROR "${file}: \"${place}\" is missing.")
    endif()
  endforeach()

  file(READ "${FOLDER}/${file}" bytes HEX)
  string(REPEAT "[0-9a-f]" 32 sixteen)
  string(REGEX REPLACE "(${sixteen})" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  set(source "${source}constexpr char k${name}Bytes[] = {\n${bytes}0};\n\n" PARENT_SCOPE)
endfunction()

set(source "// Made by embed.cmake; edit report.html, report.css, report.js.\n")
string(APPEND source "#include <string_view>\n\n")
string(APPEND source "namespace isotick::program {\nnamespace {\n\n")
embed(ReportHtml report.html)
embed(ReportCss report.css)
embed(ReportJs report.js)
string(APPEND source "}  // namespace\n\n")
foreach(name ReportHtml ReportCss ReportJs)
  # Less the 0 that each ends with, so that none is empty.
  string(APPEND source "extern const std::string_view k${name};\n")
  string(APPEND source
    "constexpr std::string_view k${name}{k${name}Bytes, sizeof k${name}Bytes - 1};\n")
endforeach()
string(APPEND source "\n}  // namespace isotick::program\n")
file(WRITE "${OUTPUT}" "${source}")
