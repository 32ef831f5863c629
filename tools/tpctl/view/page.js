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

/// What each key does, in the page and before that in its frames. A text gets
/// its own keys.
const keys = {};
function listenForKeys(page) {
  page.addEventListener('keydown', event => {
    const press = keys[event.key];
    if (!press || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName))
      return;
    event.preventDefault();
    event.stopImmediatePropagation();
    press();
  }, true);
}

/// Each view of speedscope: the data that it shows, and its initial settings.
const views = {
  flame: {data: 'calls', hash: 'view=left-heavy'},
  functions: {data: 'calls', hash: 'view=sandwich'},
  timeline: {data: 'timeline', hash: 'view=time-ordered'},
};

/// A frame with speedscope in it. The file is dropped onto the page, as a user
/// would do it.
async function openSpeedscope(name, title) {
  const frame = document.createElement('iframe');
  frame.dataset.view = name;
  frame.dataset.hash = views[name].hash;
  frame.title = title;
  const [page, data] = await Promise.all([unpack('speedscope').text(), unpack(views[name].data).blob()]);
  const loaded = new Promise(done => frame.onload = done);
  frame.srcdoc = page;
  document.querySelector('main').append(frame);
  await loaded;
  listenForKeys(frame.contentWindow);
  const given = new DataTransfer();
  given.items.add(new File([data], name + '.speedscope.json'));
  const canvas = frame.contentDocument.querySelector('canvas');
  canvas.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: given}));
  return frame;
}

function viewPage() {
  const facts = JSON.parse(byId('data-facts').textContent);
  const frames = {};
  let chosen;
  showHead(facts);
  makeTabs(async name => {
    chosen = name;
    byId('hint').textContent = facts.hints[name] ?? '';
    byId('about').hidden = name !== 'about';
    const empty = !facts.hasCalls ? facts.empty : name === 'timeline' && !facts.hasTimeline ?
        'No call lies in the chosen part of the recording.' : '';
    if (views[name] && !empty)
      frames[name] ??= openSpeedscope(name, facts.program);
    for (const [other, frame] of Object.entries(frames))
      (await frame).hidden = other !== chosen;
    if (frames[name] && name === chosen)
      (await frames[name]).contentWindow.focus();
    if (views[name] && empty)
      throw new Error(empty);
  })('flame');
}
