// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// node bundle.mjs SOURCE MODULES OUT makes the two pages of `tpctl view` from
// the files in SOURCE and the npm packages in MODULES. A page contains
// everything that it needs, so it works without a network. tpctl replaces the
// line @DATA@ by a recording's data.

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

import {adapt} from './speedscope.mjs';

const [source, modules, out] = process.argv.slice(2);
const read = file => fs.readFileSync(file, 'utf8');
const inPackage = (...parts) => path.join(modules, ...parts);

/// Dollar signs in a replacement have no special meaning.
function fill(text, values) {
  for (const [name, value] of Object.entries(values)) {
    if (!text.includes(name))
      throw new Error(`no ${name} to replace`);
    text = text.replaceAll(name, () => value);
  }
  return text;
}

/// Text in a script element must not end the element.
const inScript = text => text.replaceAll('</script', '<\\/script');
const packed = text => zlib.deflateSync(text, {level: 9}).toString('base64');

/// The only file of a folder with this prefix and suffix; the names contain
/// hashes.
function only(folder, begin, end) {
  const names = fs.readdirSync(folder)
                    .filter(n => n.startsWith(begin) && n.endsWith(end));
  if (names.length !== 1)
    throw new Error(`${folder}: not one ${begin}*${end}: ${names}`);
  return path.join(folder, names[0]);
}

/// speedscope in one file.
function speedscope() {
  const folder = inPackage('speedscope', 'dist', 'release');
  const font = only(folder, 'SourceCodePro', '.woff2');
  const style = read(only(folder, 'speedscope-', '.css'))
                    .replace(/\/\*# sourceMappingURL=.*?\*\//, '');
  const script = read(only(folder, 'speedscope-', '.js'))
                     .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '');
  return fill(read(path.join(source, 'speedscope.html')), {
    '@STYLE@': fill(style, {
      ['./' + path.basename(font)]: 'data:font/woff2;base64,' +
          fs.readFileSync(font, 'base64'),
    }),
    '@SCRIPT@': inScript(adapt(script)),
  });
}

/// d3-flame-graph and its dependencies, each after its own dependencies.
const d3Packages = [
  'd3-array', 'd3-color', 'd3-dispatch', 'd3-ease', 'd3-format', 'd3-hierarchy',
  'd3-interpolate', 'd3-selection', 'd3-time', 'd3-time-format', 'd3-timer',
  'd3-scale', 'd3-transition'
];

function d3() {
  const files = d3Packages.map(
      name => inPackage(name, 'dist', `${name}.min.js`));
  files.push(inPackage('d3-flame-graph', 'dist', 'd3-flamegraph.umd.min.js'));
  return inScript(files.map(read).join('\n'));
}

/// Licences of packages; several packages may have the same one.
function notices(names, more = []) {
  const known = new Map();
  for (const name of names) {
    const {version} = JSON.parse(read(inPackage(name, 'package.json')));
    const text = read(inPackage(name, 'LICENSE')).trim();
    known.set(text, [...(known.get(text) ?? []), `${name} ${version}`]);
  }
  for (const [title, file] of more)
    known.set(read(file).trim(), [title]);
  return [...known].map(([text, of]) => `${of.join(', ')}\n\n${text}`)
      .join('\n\n----\n\n');
}

const shared = {
  '@PAGE_STYLE@': read(path.join(source, 'page.css')),
  '@PAGE_SCRIPT@': inScript(read(path.join(source, 'page.js'))),
};
const font = only(inPackage('speedscope', 'dist', 'release'),
                  'source-code-pro', '.md');
const pages = {
  'view.html': {
    '@SPEEDSCOPE@': packed(speedscope()),
    '@NOTICES@': packed(notices(
        ['speedscope'], [['Source Code Pro, the font of speedscope', font]])),
  },
  'diff.html': {
    '@STYLE@':
        read(inPackage('d3-flame-graph', 'dist', 'd3-flamegraph.css')),
    '@DIFF_SCRIPT@': inScript(read(path.join(source, 'diff.js'))),
    '@D3@': packed(d3()),
    '@NOTICES@': packed(
        notices(['d3-flame-graph', ...d3Packages, 'internmap'])),
  },
};
for (const [name, values] of Object.entries(pages))
  fs.writeFileSync(path.join(out, name),
                   fill(read(path.join(source, name)), {...shared, ...values}));
