// What both pages of `tpctl view` share: unpacking, the page's head, its tabs;
// and the page of one recording.
'use strict';

const byId = id => document.getElementById(id);

/// The content of a script element: base64 of zlib's format.
function unpack(id) {
  if (!('DecompressionStream' in window))
    throw new Error('This browser is too old: it has no DecompressionStream. Chrome 80, Firefox 113 and Safari 16.4 have it.');
  const text = atob(byId('data-' + id).textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i)
    bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate')));
}

function element(tag, text, name) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name)
    made.className = name;
  return made;
}

function showFailure(error) {
  console.error(error);
  byId('failure')?.remove();
  const made = element('p', error.message, 'failure');
  made.id = 'failure';
  document.querySelector('main').prepend(made);
}

/// A number with its unit or word: "13 events".
function addNumber(value, word, bad) {
  const item = element('li', '', bad ? 'bad' : '');
  item.append(element('b', value), ' ' + word);
  byId('numbers').append(item);
}

function showHead(facts) {
  document.title = facts.program + ' · tpctl view';
  byId('program').textContent = facts.program;
  byId('where').textContent = facts.where;
  byId('where').title = facts.where;
  for (const [value, word, bad] of facts.numbers)
    addNumber(value, word, bad);
  for (const text of facts.findings.length ? facts.findings : ['nothing'])
    byId('findings').append(element('li', text));
  unpack('notices').text().then(text => byId('notices').textContent = text, showFailure);
}

/// A time as tpctl writes it.
function timeText(ns) {
  const units = ['ns', 'us', 'ms', 's'];
  let unit = 0;
  for (; unit < 3 && Math.abs(ns) >= 999.5; ++unit)
    ns /= 1000;
  const size = Math.abs(ns);
  const decimals = !unit && Number.isInteger(ns) ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return ns.toFixed(decimals) + ' ' + units[unit];
}

/// Whether a function's name has this part.
const has = (each, part) =>
    [each.name, each.whole ?? ''].some(name => name.toLowerCase().includes(part.toLowerCase()));

/// A table of functions. A click on a column's head sorts by it. Returns a
/// function that shows the functions whose name has a part. `by` is the number
/// of the column that sorts at first; `choose` gets the function of a row that
/// was clicked.
function makeTable(functions, columns, {by, choose, rowClass = () => ''}) {
  const most = 1000;
  let part = '', down = true, chosen;
  const draw = () => {
    const table = document.createElement('table');
    table.className = choose ? 'choose' : '';
    const head = table.insertRow();
    columns.forEach((column, number) => {
      const cell = element('th', column.name, number !== by ? '' : down ? 'down' : 'up');
      cell.onclick = () => {
        down = number === by ? !down : column.name !== 'function';
        by = number;
        draw();
      };
      head.append(cell);
    });
    const rows = functions.filter(each => has(each, part));
    if (by !== undefined) {
      const {value} = columns[by];
      rows.sort((a, b) => value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
      if (down)
        rows.reverse();
    }
    for (const each of rows.slice(0, most)) {
      const row = table.insertRow();
      row.className = (each === chosen ? 'chosen ' : '') + rowClass(each);
      for (const {text} of columns)
        row.insertCell().textContent = text(each);
      row.title = columns.map(({title}) => title?.(each) ?? '').join('');
      row.onclick = choose && (() => {
        table.querySelector('.chosen')?.classList.remove('chosen');
        row.classList.add('chosen');
        chosen = each;
        choose(each);
      });
    }
    byId('table').replaceChildren(table);
    if (rows.length > most)
      byId('table').append(element('p', `${most} of ${rows.length} functions are shown. A search shows others.`));
  };
  return text => {
    part = text;
    draw();
  };
}

/// Tabs are the buttons of the page's head; `show` gets the name of one.
function makeTabs(show) {
  const buttons = [...document.querySelectorAll('nav button[data-tab]')];
  const choose = name => {
    for (const button of buttons)
      button.classList.toggle('chosen', button.dataset.tab === name);
    byId('failure')?.remove();
    Promise.resolve(show(name)).catch(showFailure);
  };
  buttons.forEach((button, number) => {
    button.onclick = () => choose(button.dataset.tab);
    keys[number + 1] = () => button.click();
  });
  listenForKeys(window);
  return choose;
}

/// What each key does, in the page and before that in its frames. A key that
/// returns false is left to the frame. A text gets its own keys.
const keys = {};
function listenForKeys(page) {
  page.addEventListener('keydown', event => {
    const press = keys[(event.ctrlKey || event.metaKey ? 'Ctrl ' : '') + event.key];
    if (!press || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName) || press() === false)
      return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
}

/// The frames of speedscope: their data, and their initial settings.
const frameKinds = {
  flame: {data: 'calls', hash: 'view=left-heavy'},
  paths: {data: 'calls', hash: 'view=sandwich'},
  timeline: {data: 'timeline', hash: 'view=time-ordered'},
};

/// A frame with speedscope in it. The file is dropped onto the frame, as a user
/// would do it. `start` is the time at the left end, in nanoseconds.
/// `frame.shown` becomes what speedscope shows, which is `window.shown` in its
/// script.
async function openSpeedscope(name, title, place, start = 0) {
  const frame = document.createElement('iframe');
  frame.dataset.view = name;
  frame.dataset.hash = frameKinds[name].hash;
  frame.dataset.start = start;
  frame.title = title;
  const [page, data] = await Promise.all([unpack('speedscope').text(), unpack(frameKinds[name].data).blob()]);
  const loaded = new Promise(done => frame.onload = done);
  frame.srcdoc = page;
  place.append(frame);
  await loaded;
  listenForKeys(frame.contentWindow);
  const {shown} = frame.contentWindow;
  frame.shown = new Promise(done => shown.subscribe(() => shown.get() && done(shown)));
  const given = new DataTransfer();
  given.items.add(new File([data], name + '.speedscope.json'));
  const canvas = frame.contentDocument.querySelector('canvas');
  canvas.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: given}));
  return frame;
}

/// The name and the place of a function.
const placeOf = each =>
    (each.whole ?? each.name) + (each.file ? `\n${each.file}${each.line ? ':' + each.line : ''}` : '');

/// A column of times, some of which may not be known.
const timeColumn = (name, text = timeText) =>
    ({name, value: each => each[name] ?? -1, text: each => each[name] === undefined ? '-' : text(each[name])});

/// The columns have the names of `tpctl report`.
function columnsOf(functions) {
  const all = functions.reduce((sum, each) => sum + (each.self ?? 0), 0) || 1;
  return [
    {name: 'calls', value: each => each.calls, text: each => each.calls.toLocaleString('en')},
    timeColumn('total'),
    timeColumn('self'),
    {...timeColumn('self', self => (100 * self / all).toFixed(1)), name: 'self %'},
    timeColumn('avg'),
    {name: 'function', value: each => each.name, text: each => each.name, title: placeOf},
  ];
}

/// The table of functions, and next to it the callers and callees of the chosen
/// one.
async function openFunctions(program) {
  const {frames} = (await unpack('calls').json()).shared;
  const functions = frames.map((frame, key) => ({...frame, key})).filter(each => each.calls);
  let opened;
  const choose = async each => {
    byId('paths').hidden = false;
    byId('chosen').textContent = placeOf(each);
    opened ??= openSpeedscope('paths', program, byId('paths'));
    const frame = await opened;
    const shown = await frame.shown;
    let found = null;
    shown.get().profiles[0].profile.forEachFrame(one => found = one.key === each.key ? one : found);
    frame.hidden = !found;
    if (!found)
      byId('chosen').textContent += '\nIts paths are too small to draw.';
    shown.setSelectedFrame(found);
  };
  const show = makeTable(functions, columnsOf(functions), {by: 2, choose: each => choose(each).catch(showFailure)});
  show('');
  byId('search').oninput = () => show(byId('search').value);
}

/// The timeline. The page chooses the thread. `told` gets its name whenever
/// another one is shown.
async function openTimeline(facts, told) {
  const frame = await openSpeedscope('timeline', facts.program, document.querySelector('main'), facts.start);
  const {threads} = facts;
  const [select, place] = byId('thread').children;
  select.append(...threads.map(([name, calls]) =>
      element('option', `${name}: ${calls.toLocaleString('en')} ${calls === 1 ? 'call' : 'calls'}`)));
  frame.shown.then(shown => {
    let before;
    const update = () => {
      const at = shown.get().indexToView;
      if (at === before)
        return;
      before = at;
      select.selectedIndex = at;
      place.textContent = `${at + 1} of ${threads.length}`;
      told(threads[at][0]);
    };
    select.onchange = () => {
      shown.setProfileIndexToView(select.selectedIndex);
      frame.contentWindow.focus();
    };
    const move = by => !byId('thread').hidden && shown.setProfileIndexToView(shown.get().indexToView + by);
    keys.n = () => move(1);
    keys.p = () => move(-1);
    shown.subscribe(update);
    update();
  });
  return frame;
}

function viewPage() {
  const facts = JSON.parse(byId('data-facts').textContent);
  const opened = {};
  let chosen, thread;
  showHead(facts);
  const title = document.title;
  const showTitle = () => document.title = chosen === 'timeline' && thread ? `${thread} · ${title}` : title;
  const setThread = name => {
    thread = name;
    showTitle();
  };
  const inFunctions = act => () => chosen === 'functions' && act();
  keys['Ctrl f'] = inFunctions(() => byId('search').focus());
  keys.Escape = inFunctions(() => byId('paths').hidden = true);
  keys.t = () => chosen === 'timeline' && byId('thread').children[0].focus();
  makeTabs(async name => {
    chosen = name;
    byId('hint').textContent = facts.hints[name] ?? '';
    const empty = name === 'about' ? '' : !facts.hasCalls ? facts.empty :
        name === 'timeline' && !facts.hasTimeline ? 'No call lies in the chosen part of the recording.' : '';
    for (const id of ['functions', 'about'])
      byId(id).hidden = name !== id || empty !== '';
    byId('search').hidden = byId('functions').hidden;
    byId('thread').hidden = name !== 'timeline' || empty !== '';
    showTitle();
    if (!empty && name === 'functions')
      await (opened.functions ??= openFunctions(facts.program));
    else if (!empty && name !== 'about')
      opened[name] ??= name === 'timeline' ? openTimeline(facts, setThread) :
          openSpeedscope(name, facts.program, document.querySelector('main'));
    for (const frame of ['flame', 'timeline'])
      if (opened[frame])
        (await opened[frame]).hidden = frame !== chosen;
    if (opened[name] && name === chosen)
      (await opened[name])?.contentWindow.focus();
    if (empty)
      throw new Error(empty);
  })('flame');
}
