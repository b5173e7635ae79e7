# ki_embed(TARGET SYMBOL FILE...) compiles files into TARGET as `ki::embedded::SYMBOL`, a table of
# {name, bytes}. Names are the paths below the source folder that follow its last common folder.
# The bytes go in with the assembler's .incbin, so no generator program is needed.
function(ki_embed target symbol)
  set(asm "${CMAKE_CURRENT_BINARY_DIR}/${target}_${symbol}.S")
  set(cc "${CMAKE_CURRENT_BINARY_DIR}/${target}_${symbol}.cc")
  set(asm_text ".section .rodata\n")
  set(externs "")
  set(rows "")
  set(i 0)
  foreach(file IN LISTS ARGN)
    get_filename_component(name "${file}" NAME)
    string(APPEND asm_text
      ".balign 16\n.global ki_${symbol}_${i}\nki_${symbol}_${i}:\n.incbin \"${file}\"\n"
      ".global ki_${symbol}_${i}_end\nki_${symbol}_${i}_end:\n.byte 0\n")
    string(APPEND externs "extern const char ki_${symbol}_${i}[];\nextern const char ki_${symbol}_${i}_end[];\n")
    string(APPEND rows "    {\"${name}\", {ki_${symbol}_${i}, static_cast<std::size_t>(ki_${symbol}_${i}_end - ki_${symbol}_${i})}},\n")
    math(EXPR i "${i}+1")
  endforeach()
  string(APPEND asm_text ".section .note.GNU-stack,\"\",%progbits\n")
  file(CONFIGURE OUTPUT "${asm}" CONTENT "${asm_text}" @ONLY)
  file(CONFIGURE OUTPUT "${cc}" CONTENT
"#include \"base/embedded.h\"
extern \"C\" {
${externs}}
namespace ki::embedded {
std::span<const File> ${symbol}() {
  static const File files[] = {
${rows}  };
  return files;
}
}  // namespace ki::embedded
" @ONLY)
  set_source_files_properties("${asm}" PROPERTIES OBJECT_DEPENDS "${ARGN}")
  target_sources(${target} PRIVATE "${asm}" "${cc}")
endfunction()
