# Writes TO: the FILES (below ROOT, by ;) as string literals, for core/cuda/fuse_texts.cpp. cmake -DROOT= -DFILES= -DTO= -P texts.cmake
set(code "")
foreach(name ${FILES})
  file(READ ${ROOT}/${name} text)
  string(APPEND code "TEXT(\"${name}\", R\"haft_text(${text})haft_text\")\n")
endforeach()
file(WRITE ${TO} "${code}")
