# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# complete.py TPCTL SCRIPT FOLDER LINE...: types each line and a tab into an interactive
# shell that has read SCRIPT, and prints the completed line. The shell is zsh if the script's name
# begins with an underscore, as zsh's functions do. Otherwise the shell is bash.
import os
import pty
import re
import select
import sys

tpctl, script, folder, lines = *sys.argv[1:4], sys.argv[4:]
is_zsh = os.path.basename(script).startswith("_")
if is_zsh:
    command = ["zsh", "-f", "-i"]
    begin = (f"PS1=; PROMPT_EOL_MARK=; stty -echo; unset zle_bracketed_paste; bindkey -e; fpath=({os.path.dirname(script)} $fpath); "
             "autoload -Uz compinit; compinit -u -D")
else:
    command = ["bash", "--norc", "--noprofile", "-i"]
    begin = f"PS1=; stty -echo; bind 'set enable-bracketed-paste off'; source {script}"
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(folder)
    os.environ.update(PATH=os.path.dirname(tpctl) + ":" + os.environ["PATH"], TERM="dumb", PS1="", INPUTRC="/dev/null")
    os.execvp(command[0], command)


def until(text):
    """Reads until the given text has arrived."""
    seen = ""
    while text not in seen:
        if not select.select([terminal], [], [], 60)[0]:
            sys.exit(f"{command[0]} says only {seen!r}")
        seen += os.read(terminal, 4096).decode(errors="replace")
    return seen


def type_in(text):
    os.write(terminal, text.encode())


type_in(f"{begin}; echo rea''dy\n")
until("ready\r\n")
for line in lines:
    # The line becomes an argument of echo, so the line's text is printed in brackets.
    type_in(line + "\t" + "\x01echo '[' \x05 ']'\n")
    found = re.search(r"\[ (tpctl[^\r\n]*?) *\]\r\n", until("]\r\n"))
    print(found.group(1) if found else "?")
type_in("exit\n")
