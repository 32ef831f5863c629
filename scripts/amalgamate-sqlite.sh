#!/bin/bash
# Makes SQLite's one-file form, sqlite3.c and sqlite3.h, and its shell's source,
# shell.c, from SQLite's source tree by its makefile. Needs tclsh (package tcl).
#
# usage: amalgamate-sqlite.sh SOURCE FOLDER     does nothing if FOLDER has it
set -euo pipefail

usage="usage: amalgamate-sqlite.sh SOURCE FOLDER"
source=$(cd "${1:?$usage}" && pwd)
folder=${2:?$usage}
if [[ -f $folder/sqlite3.c && -f $folder/shell.c ]]; then
  exit 0
fi
mkdir -p "$folder"
cd "$folder"
echo "amalgamate-sqlite: making $folder/sqlite3.c"
if ! { "$source/configure" --disable-tcl --disable-shared && make sqlite3.c shell.c; } >log 2>&1; then
  rm -f sqlite3.c shell.c
  echo "amalgamate-sqlite: failed; see $folder/log" >&2
  exit 1
fi
