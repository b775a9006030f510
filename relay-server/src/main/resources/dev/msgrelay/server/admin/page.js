'use strict';

// The relay's figures come once a second from /events. A client's name for itself is put in as text, never as markup.

const POINTS = 120;
const GONE_SECONDS = 60;
const $ = id => document.getElementById(id);

let about = null;
const rates = [];
const minute = [];
const shown = new Map();

function short(value, unit) {
  const words = ['', 'k', 'M', 'G', 'T', 'P'];
  let word = 0;
  let rest = Math.max(0, value);
  while (rest >= 999.5 && word < words.length - 1) {
    rest /= 1000;
    word++;
  }
  const digits = word === 0 ? 0 : rest < 9.995 ? 2 : rest < 99.95 ? 1 : 0;
  return `${rest.toFixed(digits)} ${words[word]}${unit || ''}`.trim();
}

function cell(text, kind) {
  const td = document.createElement('td');
  if (kind) {
    td.className = kind;
  }
  td.textContent = text;
  return td;
}

function row(cells, kind) {
  const tr = document.createElement('tr');
  if (kind) {
    tr.className = kind;
  }
  tr.append(...cells);
  return tr;
}

function fill(id, rows, empty) {
  const body = $(id);
  if (rows.length === 0) {
    const none = cell(empty, 'soft');
    none.colSpan = 11;
    body.replaceChildren(row([none]));
  } else {
    body.replaceChildren(...rows);
  }
}

// Green far from the limit, yellow beyond half of it, red near it.
function meter(value, limit, words) {
  const td = document.createElement('td');
  td.className = 'less';
  const bar = document.createElement('meter');
  bar.max = Math.max(1, limit);
  bar.low = bar.max * 0.5;
  bar.high = bar.max * 0.8;
  bar.optimum = 0;
  bar.value = value;
  bar.title = words;
  td.append(bar);
  return td;
}

function state(text, kind) {
  $('state').textContent = text;
  $('state').className = kind;
}

function age(seconds) {
  const units = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first < 0 || first === 3) {
    return `${seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)} s`;
  }
  const [name, size] = units[first];
  const [lower, part] = units[first + 1];
  return `${Math.floor(seconds / size)} ${name} ${Math.floor(seconds % size / part)} ${lower}`;
}

function journal(now) {
  if (!about.journal) {
    return ['none', now.cluster ? 'the nodes of the cluster keep the stream' : 'the stream ends with the relay'];
  }
  if (now.journalFailed) {
    return ['FAILED', 'nothing is written any more', true];
  }
  const free = now.journalFreeBytes < 0 ? '' : `${short(now.journalFreeBytes, 'B')} free, `;
  return [`${now.journalForcedLagMillis} ms behind`, `${free}${short(now.journalFileBytes, 'B')} in ${about.journal}`];
}

function kept(now) {
  const size = short(about.parts.find(p => p.part === 'state').limit, 'B');
  const reading = now.stateReaders ? `; ${now.stateReaders.toLocaleString('en')} subscribers get it` : '';
  return [`${now.stateTypes.toLocaleString('en')} types`,
    (now.stateForgotten ? `${now.stateForgotten.toLocaleString('en')} forgotten, full: ` : '')
      + `${short(now.stateBytes, 'B')} of ${size}${reading}`, now.stateForgotten > 0];
}

function readers(now) {
  if (now.subscribers === 0) {
    return 'nobody is connected';
  }
  const far = now.lagging.length ? now.lagging[0] : null;
  return now.behind === 0 ? 'none is more than a second behind'
    : `${now.behind.toLocaleString('en')} more than a second behind, the furthest ${age(far.lagSeconds)}`
      + ` (${short(far.lagBytes, 'B')})`;
}

function places(what) {
  const said = about.ports.filter(port => port.for === what)
    .map(port => port.by === 'plain' ? port.address : `${port.address} (${port.by})`);
  return said.length ? said.join(', ') : 'nowhere';
}

// The first card: each figure has a name, a value and a note. A fourth element, true: the note is a warning.
function tiles(now) {
  const rate = now.rate;
  const way = where => [
    rate ? short(rate[`messages${where}PerSecond`], ' msg/s') : 'measuring',
    `${rate ? `${short(rate[`bytes${where}PerSecond`], 'B/s')}; ` : ''}${now[`messages${where}`].toLocaleString('en')}`
      + ` messages, ${short(now[`bytes${where}`], 'B')} since the start`,
  ];
  const values = [
    ['in', ...way('In')],
    ['out', ...way('Out')],
    ['subscribers', now.subscribers.toLocaleString('en'), readers(now), now.behind > 0],
    ['publishers', now.publishers.toLocaleString('en'), ''],
    ['the log reaches back', age(now.logSeconds),
      `${short(now.logBytes, 'B')} of at most ${short(about.parts.find(p => p.part === 'log').limit, 'B')}:`
        + ' a live subscriber may be this far behind'],
    ['processor of the core', rate ? `${(rate.coreShare * 100).toFixed(rate.coreShare < 0.1 ? 1 : 0)} %` : 'measuring',
      'the one thread that makes the order'],
    ['journal', ...journal(now)],
    ...(now.stateTypes === undefined ? [] : [['state', ...kept(now)]]),
    ['running for', age(now.elapsedSeconds), `version ${about.version}`],
    ['publish to', places('publish'), ''],
    ['subscribe at', places('subscribe'), ''],
  ];
  if (now.tlsValidSeconds !== undefined) {
    values.push(['certificate', age(Math.max(0, now.tlsValidSeconds)), 'until the first one expires',
      now.tlsValidSeconds < 7 * 86400]);
  }
  $('tiles').replaceChildren(...values.map(([name, value, beside, bad]) => {
    const tile = document.createElement('div');
    const dt = document.createElement('dt');
    const dd = document.createElement('dd');
    const small = document.createElement('dd');
    dt.textContent = name;
    dd.textContent = value;
    dd.className = value.length > 16 ? 'long' : '';
    small.textContent = beside;
    small.className = bad ? 'soft bad' : 'soft';
    tile.append(dt, dd, small);
    return tile;
  }));
}

const drawChart = plot($('chart'), {
  label: 'messages a second',
  x: {scale: 'TIME', text: at => new Date(at).toLocaleTimeString('en-GB')},
  y: {scale: 'LINEAR', text: value => short(value)},
});

function addRate(rate) {
  rates.push({...rate, at: Date.parse(rate.time)});
  rates.splice(0, Math.max(0, rates.length - POINTS));
}

function chart(now) {
  const newest = rates.length ? rates[rates.length - 1].time : '';
  if (now.rate && now.rate.time !== newest) {
    addRate(now.rate);
  }
  const curve = (name, where) =>
    ({name, points: rates.map(rate => ({x: rate.at, y: rate[`messages${where}PerSecond`]}))});
  drawChart([curve('in', 'In'), curve('out', 'Out')]);
}

// Nodes of a cluster may be on one host.
function names(now) {
  const host = about.host || location.hostname;
  const name = now.cluster ? `${host}, node ${now.cluster.node} of ${now.cluster.name}` : host;
  document.title = `Relay ${name}`;
  $('about').textContent = `${name}, version ${about.version}, ${about.transport}, slow subscribers: ${about.slowSubscriber}`;
}

// The state of each node, as far as this one knows.
function cluster(now) {
  const its = now.cluster;
  $('cluster').hidden = !its;
  if (!its) {
    return;
  }
  $('clusterState').textContent = `node ${its.node} of ${its.name} ${its.role}, term ${its.term}, `
    + `${its.commitPosition.toLocaleString('en')} bytes of the cluster's log are at a majority`;
  fill('members', its.members.map(m => row([
    cell(m.node === its.node ? `${m.node} (this one)` : m.node),
    cell(m.address, 'less'),
    cell(m.node === its.leader ? 'leads' : ''),
    cell(m.position < 0 ? '' : m.position.toLocaleString('en'), 'n less'),
    cell(m.lagBytes < 0 ? '' : short(m.lagBytes, 'B'), 'n'),
    cell(m.silentMillis < 0 ? 'never' : `${(m.silentMillis / 1000).toFixed(0)} s ago`, m.silentMillis > 5000 ? 'n bad' : 'n'),
  ])), '');
}

// A subscriber that was here a moment ago: what became of it.
function endOf(subscriber, now) {
  const who = `subscriber ${subscriber.address}`;
  return now.ended.find(e => e.who === who || e.who.startsWith(`${who} (`));
}

function policyOf(subscriber) {
  return subscriber.intervalMillis > 0 ? `${subscriber.policy} every ${subscriber.intervalMillis} ms` : subscriber.policy;
}

function stateOf(subscriber) {
  const conflated = subscriber.conflated > 0 ? `${short(subscriber.conflated)} conflated` : '';
  if (conflated || subscriber.replayPercent === undefined) {
    return [subscriber.state, subscriber.waitsFor, conflated].filter(word => word).join(', ');
  }
  const left = subscriber.replayLeftMillis;
  const when = left < 0 ? 'comes no nearer' : `${Math.ceil(left / 1000)} s left`;
  return `from the journal: ${subscriber.replayPercent} %, ${when}`;
}

function lagging(now) {
  const time = now.elapsedSeconds;
  for (const s of now.lagging) {
    shown.set(s.id, {row: s, seen: time, end: null});
  }
  const all = [];
  for (const [id, entry] of shown) {
    if (entry.seen !== time && entry.end === null) {
      entry.end = endOf(entry.row, now) || null;
    }
    // Without an end it is not among the first twenty any more, or others have pushed its end out.
    if (time - entry.seen > (entry.end ? GONE_SECONDS : 0)) {
      shown.delete(id);
    } else {
      all.push(entry);
    }
  }
  all.sort((a, b) => b.row.lagBytes - a.row.lagBytes || a.row.id - b.row.id);
  const log = about.parts.find(p => p.part === 'log').limit;
  fill('lagging', all.map(({row: s, end}) => row([
    cell(s.id),
    cell(s.name, 'wrap'),
    cell(s.address, 'less'),
    cell(policyOf(s), 'less'),
    cell(s.types || 'all', 'less'),
    end ? cell(`gone: ${end.reason}`, 'bad') : cell(stateOf(s)),
    cell(end ? '' : short(s.messagesPerSecond), 'n less'),
    cell(s.lagMessages.toLocaleString('en'), 'n less'),
    cell(short(s.lagBytes, 'B'), 'n'),
    cell(end ? '' : s.lagSeconds < 1 ? '< 1' : s.lagSeconds.toFixed(0), s.lagSeconds < 1 || end ? 'n' : 'n bad'),
    end ? cell('') : meter(s.lagBytes, log, `${s.lagBytes} bytes; the log has ${log}`),
  ], end ? 'gone' : '')), 'nobody is connected');
  const more = now.subscribers - now.lagging.length;
  $('laggingNote').textContent = more > 0 ? `and ${more} more that are less far behind` : '';
}

function publishing(now) {
  fill('publishing', now.publishing.map(p => row([
    cell(p.id),
    cell(p.name, 'wrap'),
    cell(p.address, 'less'),
    cell(p.waitsFor ? `${p.state}, ${p.waitsFor}` : p.state),
    cell(short(p.messagesPerSecond), 'n'),
    cell(p.messages.toLocaleString('en'), 'n less'),
    cell(short(p.bytes, 'B'), 'n'),
  ])), 'nobody is connected');
  const more = now.publishers - now.publishing.length;
  $('publishingNote').textContent = more > 0 ? `and ${more} more that send less` : '';
}

// On demand only: the messages are the clients', not the relay's.
async function peek() {
  const answer = await fetch('peek');
  $('peekedNote').classList.toggle('bad', !answer.ok);
  if (!answer.ok) {
    $('peekedNote').textContent = answer.status === 403
      ? 'You may not see messages: only an identity that may subscribe may. Give the token of one as the password when '
        + 'the browser asks for it; the name does not matter.'
      : (await answer.text()).trim();
    return;
  }
  const messages = (await answer.json()).messages;
  $('peekTable').hidden = false;
  $('peekedNote').textContent = `at ${new Date().toLocaleTimeString('en-GB')}`;
  fill('peeked', messages.reverse().map(m => row([
    cell(m.sequence.toLocaleString('en'), 'n'),
    cell(m.type, 'n'),
    cell(m.length.toLocaleString('en'), 'n'),
    cell(m.first, 'wrap'),
  ])), 'none that this request may get');
}

function closes(now) {
  const reasons = Object.entries(now.closes).sort((a, b) => b[1] - a[1]);
  $('closes').textContent = reasons.length === 0 ? 'none so far'
    : `so far: ${reasons.map(([reason, count]) => `${reason} ${count.toLocaleString('en')}`).join(', ')}`;
  fill('ended', now.ended.slice(0, 10).map(e => {
    const why = cell(e.reason, 'wrap');
    if (e.detail) {
      const detail = document.createElement('div');
      detail.className = 'soft';
      detail.textContent = e.detail;
      why.append(detail);
    }
    return row([cell(new Date(e.time).toLocaleTimeString('en-GB'), 'n'), cell(e.who, 'wrap'), why]);
  }), 'none');
}

function memory(now) {
  fill('memory', about.parts.filter(p => p.limit > 0).map(p => row([
    cell(p.kind === 'heap' ? `${p.text} (heap)` : p.text, 'wrap'),
    cell(short(now.memory[p.part], 'B'), 'n'),
    cell(short(p.limit, 'B'), 'n'),
    p.atStart ? cell('at start', 'soft') : meter(now.memory[p.part], p.limit, `${now.memory[p.part]} of ${p.limit} bytes`),
  ])), '');
}

function limits(now) {
  const old = minute[0];
  fill('limits', about.counters.filter(c => c.limit).map(c => {
    const name = cell(c.key, 'wrap');
    const help = document.createElement('div');
    help.className = 'soft';
    help.textContent = c.help.startsWith(c.unit) ? c.help : `${c.unit}: ${c.help}`;
    name.append(help);
    const lately = now[c.key] - old[c.key];
    return row([name, cell(lately.toLocaleString('en'), lately > 0 ? 'n bad' : 'n'),
      cell(now[c.key].toLocaleString('en'), 'n')]);
  }), '');
}

function stats(now) {
  minute.push(now);
  while (now.elapsedSeconds - minute[0].elapsedSeconds > 60) {
    minute.shift();
  }
  state(now.status, now.ready ? 'well' : 'bad');
  names(now);
  cluster(now);
  tiles(now);
  chart(now);
  lagging(now);
  publishing(now);
  closes(now);
  memory(now);
  limits(now);
}

$('peek').addEventListener('click', peek);

const events = new EventSource('events');
events.addEventListener('about', e => {
  about = JSON.parse(e.data);
  // It may be another relay than before.
  rates.length = 0;
  about.rates.forEach(addRate);
  minute.length = 0;
  shown.clear();
});
events.addEventListener('stats', e => stats(JSON.parse(e.data)));
events.addEventListener('error', () => state('no connection to the relay', 'bad'));
