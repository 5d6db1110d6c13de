# The table of statements, which ends docs/problems.md (PAGE), as PROGRAM (rung) prints it.
execute_process(COMMAND ${PROGRAM} help -page OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
file(READ ${PAGE} text)
string(FIND "${text}" "<!-- Made from" start)
if(start LESS 0)
  message(FATAL_ERROR "${PAGE} has no line that begins with <!-- Made from")
endif()
string(SUBSTRING "${text}" 0 ${start} text)
file(WRITE ${PAGE} "${text}${table}")
