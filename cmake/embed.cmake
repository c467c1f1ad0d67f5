# Files that are part of a program: cmake -DNAME=... -DFILE=... -DOUT=... -P embed.cmake writes C source that defines
# NAME, the bytes of FILE and a zero after them, and NAME_size, their number.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${FILE} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(WRITE ${OUT} "#include <stddef.h>\n\nextern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_size;\n"
       "const unsigned char ${NAME}[] = {\n${bytes}0};\nconst size_t ${NAME}_size = ${size};\n")
  return()
endif()

set(torre_embed_script ${CMAKE_CURRENT_LIST_FILE})
function(torre_embed target name file) # a file of the present folder
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  add_custom_command(OUTPUT ${out} DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${torre_embed_script} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFILE=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUT=${out}
            -P ${torre_embed_script})
  add_library(${name} OBJECT ${out}) # in this folder, whose commands a target of another cannot see
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}>)
endfunction()
