# Writes HEADER with RUNG_EMITTER, a hash of FILES: kernels in a cache that another emitter wrote are not taken for ours.
set(hashes "")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 32 hash)
file(WRITE ${HEADER} "/* Made by cmake/emitter.cmake. */\n#define RUNG_EMITTER \"${hash}\"\n")
