'use strict';

// How the relay stands comes once a second from /events. Whatever a client calls itself is put in as text, never as markup.

const POINTS = 120;
const LEAST_POINTS = 30;
const GONE_SECONDS = 60;
const $ = id => document.getElementById(id);

let about = null;
let before = null;
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
    none.colSpan = 10;
    body.replaceChildren(row([none]));
  } else {
    body.replaceChildren(...rows);
  }
}

// Green far from the limit, yellow beyond half of it, red near it.
function meter(value, limit, words) {
  const td = document.createElement('td');
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

function tiles(now, rate) {
  const values = [
    ['in', short(rate ? rate.messagesIn : 0, ' msg/s')],
    ['', short(rate ? rate.bytesIn : 0, 'B/s')],
    ['out', short(rate ? rate.messagesOut : 0, ' msg/s')],
    ['', short(rate ? rate.bytesOut : 0, 'B/s')],
    ['publishers', now.publishers],
    ['subscribers', now.subscribers],
    ['largest lag', short(now.largestLagMessages, ' msg')],
    ['', short(now.largestLagBytes, 'B')],
  ];
  $('tiles').replaceChildren(...values.map(([name, value]) => {
    const tile = document.createElement('div');
    const dt = document.createElement('dt');
    const dd = document.createElement('dd');
    dt.textContent = name || '\u00a0';
    dd.textContent = value;
    tile.append(dt, dd);
    return tile;
  }));
}

function chart() {
  const top = Math.max(1, ...rates.map(r => Math.max(r.messagesIn, r.messagesOut)));
  const width = Math.max(LEAST_POINTS, rates.length);
  const x = i => ((width - rates.length + i) * 600 / (width - 1)).toFixed(1);
  const line = key => rates.map((r, i) => `${x(i)},${(156 - 150 * r[key] / top).toFixed(1)}`).join(' ');
  $('in').setAttribute('points', line('messagesIn'));
  $('out').setAttribute('points', line('messagesOut'));
  $('top').textContent = short(top, ' msg/s');
}

// One of several relays: how each of them stands, as far as this one knows.
function cluster(now) {
  const its = now.cluster;
  $('cluster').hidden = !its;
  if (!its) {
    return;
  }
  $('clusterState').textContent = `node ${its.node} of ${its.name} ${its.role}, term ${its.term}, `
    + `${its.commitPosition.toLocaleString('en')} bytes of the log committed`;
  fill('members', its.members.map(m => row([
    cell(m.node === its.node ? `${m.node} (this one)` : m.node),
    cell(m.address),
    cell(m.node === its.leader ? 'leads' : ''),
    cell(m.position < 0 ? '' : m.position.toLocaleString('en'), 'n'),
    cell(m.lagBytes < 0 ? '' : short(m.lagBytes, 'B'), 'n'),
    cell(m.silentMillis < 0 ? 'never' : `${(m.silentMillis / 1000).toFixed(0)} s ago`, m.silentMillis > 5000 ? 'n bad' : 'n'),
  ])), '');
}

// A subscriber that was here a moment ago: what became of it.
function endOf(subscriber, now) {
  const who = `subscriber ${subscriber.address}`;
  return now.ended.find(e => e.who === who || e.who.startsWith(`${who} (`));
}

function stateOf(subscriber) {
  if (subscriber.replayPercent === undefined) {
    return subscriber.waitsFor ? `${subscriber.state}, ${subscriber.waitsFor}` : subscriber.state;
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
    cell(s.policy, 'less'),
    cell(s.types || 'all', 'less'),
    end ? cell(`gone: ${end.reason}`, 'bad') : cell(stateOf(s)),
    cell(end ? '' : short(s.messagesPerSecond), 'n less'),
    cell(s.lagMessages.toLocaleString('en'), 'n less'),
    cell(short(s.lagBytes, 'B'), 'n'),
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
  if (!answer.ok) {
    $('peekedNote').textContent = (await answer.text()).trim();
    $('peekedNote').classList.add('bad');
    return;
  }
  const messages = (await answer.json()).messages;
  $('peekedNote').classList.remove('bad');
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
  fill('closes', reasons.map(([reason, count]) => row([cell(reason), cell(count.toLocaleString('en'), 'n')])), 'none');
  fill('ended', now.ended.slice(0, 20).map(e => {
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
  let rate = null;
  if (before && now.elapsedSeconds > before.elapsedSeconds) {
    const seconds = now.elapsedSeconds - before.elapsedSeconds;
    rate = {};
    for (const key of ['messagesIn', 'bytesIn', 'messagesOut', 'bytesOut']) {
      rate[key] = Math.max(0, (now[key] - before[key]) / seconds);
    }
    rates.push(rate);
    if (rates.length > POINTS) {
      rates.shift();
    }
  }
  before = now;
  minute.push(now);
  while (now.elapsedSeconds - minute[0].elapsedSeconds > 60) {
    minute.shift();
  }
  state(now.status, now.ready ? 'well' : 'bad');
  cluster(now);
  tiles(now, rate);
  chart();
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
  before = null;
  rates.length = 0;
  minute.length = 0;
  shown.clear();
  $('about').textContent = `${about.version}, ${about.transport}, slow subscribers: ${about.slowSubscriber}`;
});
events.addEventListener('stats', e => stats(JSON.parse(e.data)));
events.addEventListener('error', () => state('no connection to the relay', 'bad'));
