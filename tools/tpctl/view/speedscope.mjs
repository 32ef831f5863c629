// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the page changes in speedscope's script. speedscope has no settings for
// this. The lock file fixes the script, so a pattern that no longer fits fails
// the build. `$&` and `$1` are parts of the match.

/// Each change: its pattern, the replacement, and how often the pattern occurs.
const changes = [
  // The page has its own bar, which says what each view is.
  [/[\w$]+\([\w$]+,\{saveFile:this\.saveFile,browseForFile:this\.browseForFile,\.\.\.this\.props\}\),/g, '', 1],
  // The page has the table of functions, with calls, and speedscope draws the
  // callers and callees of the chosen one.
  [/this\.setProfileGroup=/g, 'window.shown=this,$&', 1],
  [/[\w$]+\("div",\{className:[\w$]+\([\w$]+\.tableView\)\},[\w$]+\([\w$]+,\{activeProfileState:this\.props\.activeProfileState\}\),[\w$]+\([\w$]+,null\)\),(?=[\w$]+\))/g,
    '', 1],
  // Times count from the beginning of the recording, not of what is drawn.
  [/for\(let ([\w$]+)=Math\.ceil\(([\w$]+)\/([\w$]+)\)\*\3;(.{0,120}?)=this\.props\.flamechart\.formatValue\(\1\)/g,
    'for(let $1=firstMark($2,$3);$4=markText($1,$3)', 2],
  // Many machines have no font with emoji.
  [/"\\u\{1F50D\}"/g, '"search"', 1],
  [/"\\u2B05\\uFE0F"\)(?=,[\w$]+\("button")/g, '"previous")', 1],
  [/"\\u27A1\\uFE0F"\)/g, '"next")', 1],
  [/(?:\\u\{1F[0-9A-F]{3}\}|\\u2[0-9A-F]{3}\\uFE0F|\\u2753) ?/g, '', 11],
  [/(searchView:\{[^}]*width:)208/g, '$1320', 1],
  // Frames have short names; `whole` is the name before it was shortened.
  [/(this\.col=([\w$]+)\.col)\}/g, '$1,this.whole=$2.whole}', 1],
  // The whole name is in the text at the mouse, ...
  [/," ",([\w$]+)\.name,\1\.file\?/g, '," ",$1.whole??$1.name,$1.file?', 2],
  // ... and a line of the details shows it if the mouse is on the line.
  [/(,\{frame:([\w$]+)\}=[\w$]+;if\(.{0,300}?\([\w$]+\.stackLine\))\}/g, '$1,title:$2.whole}', 1],
];

export function adapt(script) {
  for (const [pattern, replacement, times] of changes) {
    const found = script.match(pattern)?.length ?? 0;
    if (found !== times)
      throw new Error(`speedscope has ${found} of ${pattern}, not ${times}`);
    script = script.replace(pattern, replacement);
  }
  return script;
}
