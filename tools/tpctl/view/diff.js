// The page of `tpctl view --diff`: d3-flame-graph draws two recordings in one
// graph.

function changeText(before, now) {
  if (before === now)
    return '0%';
  if (!before || !now)
    return before ? 'gone' : 'new';
  const percent = (now - before) / before * 100;
  return (percent > 0 ? '+' : '') + percent.toFixed(1) + '%';
}

const fromTo = (before, now) => `${timeText(before)} \u2192 ${timeText(now)} (${changeText(before, now)})`;

/// The nested arrays of FlameTree::writeNested as objects.
function readNode([label, selfOld, totalOld, callsOld, selfNew, totalNew, callsNew, children], labels) {
  const [name, module, whole = name] = labels[label] ?? ['all threads', ''];
  return {
    name, module, whole,
    self: {old: selfOld, new: selfNew},
    total: {old: totalOld, new: totalNew},
    calls: {old: callsOld, new: callsNew},
    children: children.map(child => readNode(child, labels)),
  };
}

/// The nodes that have time in one of the recordings, in d3-flame-graph's form.
function nodesFor(side, node) {
  return {
    ...node,
    value: node.total[side],
    children: node.children.filter(child => child.total[side] > 0).map(child => nodesFor(side, child)),
  };
}

/// Own times and calls of each function, over all of its paths.
function functionsOf(root) {
  const found = new Map();
  const add = node => {
    const key = node.module + '\n' + node.whole;
    let sum = found.get(key);
    if (!sum)
      found.set(key, sum = {name: node.name, whole: node.whole, module: node.module, self: {old: 0, new: 0}, calls: {old: 0, new: 0}});
    for (const side of ['old', 'new']) {
      sum.self[side] += node.self[side];
      sum.calls[side] += node.calls[side];
    }
    node.children.forEach(add);
  };
  root.children.forEach(add);
  const change = each => Math.abs(each.self.new - each.self.old);
  return [...found.values()].sort((a, b) => change(b) - change(a) || b.self.new - a.self.new);
}

/// From blue over grey to red. The square root makes even small changes
/// visible.
function colourOf(change, most) {
  const part = most ? Math.sign(change) * Math.sqrt(Math.abs(change) / most) : 0;
  const mix = (to, from) => Math.round(from + (to - from) * Math.abs(part));
  const to = part < 0 ? [74, 134, 232] : [232, 74, 66];
  return `rgb(${mix(to[0], 224)},${mix(to[1], 222)},${mix(to[2], 217)})`;
}

function describe(node) {
  if (node.calls.old + node.calls.new === 0)
    return `${node.whole}: total ${fromTo(node.total.old, node.total.new)}`;
  return `${node.whole}${node.module ? ' in ' + node.module : ''}: own time ${fromTo(node.self.old, node.self.new)}, ` +
      `total ${fromTo(node.total.old, node.total.new)}, calls ${node.calls.old} \u2192 ${node.calls.new}`;
}

function showDiffHead([before, now], root) {
  const same = before.program === now.program;
  document.title = now.program + ' · tpctl view --diff';
  byId('program').textContent = same ? now.program : `${before.program} \u2192 ${now.program}`;
  byId('where').textContent = `${before.file} \u2192 ${now.file}`;
  byId('where').title = `${before.where}\n${now.where}`;
  addNumber(fromTo(root.total.old, root.total.new), 'in all calls');
  before.numbers.forEach(([value, word], i) => {
    const [later, name, bad] = now.numbers[i];
    if (i !== 2)
      addNumber(`${value} \u2192 ${later}`, name, bad || before.numbers[i][2]);
  });
  const findings = [before, now].flatMap(one => one.findings.map(text => `${one.file}: ${text}`));
  for (const text of findings.length ? findings : ['nothing'])
    byId('findings').append(element('li', text));
  unpack('notices').text().then(text => byId('notices').textContent = text, showFailure);
}

const columns = [
  {name: 'own time, old', value: each => each.self.old, text: each => timeText(each.self.old)},
  {name: 'own time, new', value: each => each.self.new, text: each => timeText(each.self.new)},
  {name: 'change', value: each => each.self.new - each.self.old, text: each => changeText(each.self.old, each.self.new)},
  {name: 'calls, old', value: each => each.calls.old, text: each => each.calls.old},
  {name: 'calls, new', value: each => each.calls.new, text: each => each.calls.new},
  {name: 'function', value: each => each.name, text: each => each.name, title: each => `${each.whole}\n${each.module}`},
];
const rowClass = each => each.self.new > each.self.old ? 'more' : each.self.new < each.self.old ? 'less' : '';

async function diffPage() {
  const script = document.createElement('script');
  script.textContent = await unpack('d3').text();
  document.head.append(script);
  const {labels, root: packed} = await unpack('calls').json();
  const root = readNode(packed, labels);
  const functions = functionsOf(root);
  showDiffHead(JSON.parse(byId('data-facts').textContent), root);
  let most = 0;
  const measure = node => {
    most = Math.max(most, Math.abs(node.self.new - node.self.old));
    node.children.forEach(measure);
  };
  measure(root);

  const show = makeTable(functions, columns, {rowClass});
  let chart, chosen;
  const search = byId('search');
  const draw = side => {
    byId('chart').replaceChildren();
    chart = flamegraph.default()
        .width(byId('chart').clientWidth).cellHeight(19).minFrameSize(1).inverted(true).transitionDuration(150)
        .sort((a, b) => b.value - a.value)
        .setColorMapper(d => d.highlight ? '#e8c547' : colourOf(d.data.self.new - d.data.self.old, most))
        .setLabelHandler(d => describe(d.data))
        .setSearchHandler(() => {})
        .setSearchMatch((d, term) => has(d.data, term))
        .onHover(d => byId('details').textContent = describe(d.data))
        .onClick(d => byId('details').textContent = describe(d.data));
    d3.select('#chart').datum(nodesFor(side, root)).call(chart);
    if (search.value)
      chart.search(search.value);
  };
  const choose = makeTabs(name => {
    chosen = name;
    const drawn = name === 'new' || name === 'old';
    byId('chart').hidden = !drawn;
    byId('table').hidden = name !== 'functions';
    byId('about').hidden = name !== 'about';
    byId('details').textContent = describe(root);
    if (drawn && !root.total[name])
      throw new Error(`The ${name} recording has no time in any call.`);
    if (drawn)
      draw(name);
    else if (name === 'functions')
      show(search.value);
  });
  search.oninput = () => {
    if (chosen === 'functions')
      show(search.value);
    else if (search.value)
      chart?.search(search.value);
    else
      chart?.clear();
  };
  window.onresize = () => choose(chosen);
  choose('new');
}
