# The rows of the table of stencils: the orders that kernels are made for, torre_orders. Included by
# CMakeLists.txt. (The lines of the file as a list would be wrong: a backslash at the end of one hides the
# semicolon to the next.)
set(torre_stencil_table ${CMAKE_CURRENT_LIST_DIR}/../src/wave/stencil.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${torre_stencil_table})
file(READ ${torre_stencil_table} torre_stencil_text)
string(REGEX MATCHALL "ORDER\\([0-9]+," torre_orders "${torre_stencil_text}")
list(TRANSFORM torre_orders REPLACE "[^0-9]+" "")
if(NOT torre_orders)
  message(FATAL_ERROR "torre: no row ORDER(n, ...) in ${torre_stencil_table}")
endif()
message(STATUS "torre: GPU kernels of orders ${torre_orders} unless TORRE_ORDERS says others")
