# TORRE_INTERFACE: what torre_interface_text (torre/status.h) says.
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/torre/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
set(text)
foreach(header IN LISTS headers) # GLOB sorts them
  file(READ ${header} content)
  string(APPEND text "${content}")
endforeach()
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
string(REGEX REPLACE "[ \t\r\n]+" "" text "${text}")
string(SHA256 TORRE_INTERFACE "${text}")
string(SUBSTRING ${TORRE_INTERFACE} 0 16 TORRE_INTERFACE)
