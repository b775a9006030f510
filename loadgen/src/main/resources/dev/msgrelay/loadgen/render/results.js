// Results of loadgen, as the JSON has them, into the page's sections.
function resultsPage(results, units) {
  'use strict';
  var none = { number: null };

  function load(of) {
    var body = of.body.min === of.body.max ? of.body.min : of.body.min + '-' + of.body.max;
    return of.publishers + ' → ' + of.subscribers + ', body ' + body + ', '
      + (of.rate === 0 ? 'full speed' : of.rate.toLocaleString('en-US') + ' msg/s')
      + (of.types === 1 ? '' : ', ' + of.types + ' types')
      + (of.clients.kind === 'library' ? ', relay-client' + (of.clients.acks === 'none' ? '' : ', acknowledged: ' + of.clients.acks) : '')
      + (of.clients.tls ? ', TLS' : '') + (of.transport === 'tcp' ? '' : ', Unix in');
  }
  function title(cell) { return cell.contestant === 'relay' ? load(cell.load) : cell.contestant + ': ' + load(cell.load); }
  function label(lane) { return lane.emulated ? lane.name + ' (emulated)' : lane.name; }
  function valid(run) { return !run.outcome.partial && run.outcome.passed; }
  function counts(run) { return valid(run) && run.outcome.environment.length === 0; }
  // The runs that stand for a cell: those that count, or where none does all valid ones.
  function standing(cell) {
    var counting = cell.runs.filter(counts);
    return counting.length ? counting : cell.runs.filter(valid);
  }
  function median(values) {
    var sorted = values.filter(function (value) { return value !== null && value !== undefined; }).sort(function (a, b) { return a - b; });
    var middle = Math.floor(sorted.length / 2);
    return sorted.length === 0 ? null : sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
  function sent(run) { return run.throughput.in === null ? null : run.throughput.in.messagesPerSecond; }
  function got(run) { return run.throughput.out.messagesPerSecond; }
  function bytes(run) { return run.throughput.out.bytesPerSecond; }
  function gap(run) {
    var signals = run.resources.signals;
    return signals === null || signals.rates.wanted > 0 ? null : signals.still.deliveries.longestNanos || null;
  }
  function percentile(delay, which) { return function (run) { return run.delays[delay] && run.delays[delay].recorded ? run.delays[delay][which] : null; }; }
  function share(cell, side) {
    var rounds = standing(cell).map(function (run) { return run.moment.round; });
    return median(cell.shares.filter(function (one) { return rounds.includes(one.round); }).map(function (one) { return one[side]; }));
  }
  function cores(name) {
    return function (run) {
      var used = run.resources.processes.filter(function (one) { return one.name.startsWith(name) && one.cpuSeconds !== null; });
      return used.length && run.moment.measuredNanos
        ? used.reduce(function (sum, one) { return sum + one.cpuSeconds; }, 0) * 1e9 / run.moment.measuredNanos : null;
    };
  }
  function boundBy(runs) {
    var kinds = new Map();
    runs.forEach(function (run) {
      if (run.resources.boundBy) { kinds.set(run.resources.boundBy.kind, (kinds.get(run.resources.boundBy.kind) || 0) + 1); }
    });
    return Array.from(kinds).map(function (kind) { return kinds.size === 1 ? kind[0] : kind[0] + ' ' + kind[1]; }).join(', ');
  }

  function value(of) { return of !== null && typeof of === 'object' ? of : typeof of === 'number' ? { number: of } : of === null ? none : { text: String(of) }; }
  function table(caption, things, fields) {
    var rows = things.map(function (thing) { return fields.map(function (field) { return value(field[2](thing)); }); });
    var said = fields.map(function (unused, i) {
      return rows.length === 0 || rows.some(function (row) { return row[i].text || row[i].number !== null && row[i].number !== undefined; });
    });
    return {
      caption: caption,
      columns: fields.filter(function (unused, i) { return said[i]; }).map(function (field) { return { title: field[0], unit: field[1] }; }),
      rows: rows.map(function (row) { return row.filter(function (unused, i) { return said[i]; }); })
    };
  }
  function fraction(of) { return { number: of, bar: of }; }

  // A share is of the way out, or where only publishers are across the link, of the way in.
  function part(cell) { return share(cell, 'out') === null ? share(cell, 'in') : share(cell, 'out'); }
  function resent(run) { return run.resources.signals === null ? null : run.resources.signals.sampled.resentSegments; }
  function besidePlain(percentile) {
    return function (of) {
      var ratio = of.cell.contestant !== 'relay' ? undefined : of.lane.latencyRatios.find(function (one) {
        return one.messagesPerSecond === of.cell.load.rate * of.cell.load.publishers && one.percentile === percentile;
      });
      return ratio === undefined ? null : ratio.leftOut.length ? { text: 'left out: ' + ratio.leftOut.join(', ').replace(/_/g, ' ') } : ratio.ratio;
    };
  }
  function summary(measured) {
    function over(figure) { return function (of) { return median(standing(of.cell).map(figure)); }; }
    return table('', measured, [
      ['lane', 'TEXT', function (of) { return label(of.lane); }],
      ['publishers → subscribers', 'TEXT', function (of) { return title(of.cell); }],
      ['msg/s', 'COUNT', over(got)],
      ['Gbit/s', 'HUNDREDTHS', function (of) { return of.cell.load.rate ? null : over(function (run) { return bytes(run) * 8e-9; })(of); }],
      ['share', 'FRACTION', function (of) { return of.cell.load.rate ? null : fraction(part(of.cell)); }],
      ['p50', 'NANOS', over(percentile('latency', 'p50Nanos'))],
      ['p99', 'NANOS', over(percentile('latency', 'p99Nanos'))],
      ['p99.9', 'NANOS', over(percentile('latency', 'p99.9Nanos'))],
      ['p50 / plain relay', 'HUNDREDTHS', besidePlain(50)],
      ['p99 / plain relay', 'HUNDREDTHS', besidePlain(99)],
      ['relay, cores', 'HUNDREDTHS', over(cores('relay'))],
      ['sent again', 'WHOLE', over(resent)],
      ['bound by', 'TEXT', function (of) { return boundBy(standing(of.cell)); }],
      ['runs that count', 'TEXT', function (of) {
        var counting = of.cell.runs.filter(counts).length;
        return { text: counting + ' of ' + of.cell.runs.length, mark: counting ? 'NONE' : 'WARN' };
      }]
    ]);
  }
  function bar(lane, cell) {
    var runs = standing(cell);
    var of = part(cell);
    var ceiling = cell.ceilings ? cell.ceilings.batched.messagesPerSecond : null;
    var speeds = runs.map(got);
    var failed = cell.runs.filter(function (run) { return !run.outcome.passed; }).length;
    return {
      label: cell.contestant === 'relay' ? label(lane) : label(lane) + ', ' + cell.contestant,
      value: median(speeds),
      low: speeds.length > 1 ? Math.min.apply(null, speeds) : null,
      high: speeds.length > 1 ? Math.max.apply(null, speeds) : null,
      ceiling: ceiling,
      text: speeds.length === 0 ? '' : units.COUNT(median(speeds)) + (cell.runs.some(counts) ? '' : '?') + ' msg/s, ' + units.BYTES_PER_SECOND(median(runs.map(bytes)))
        + (of === null ? '' : ', ' + units.FRACTION(of) + ' of ' + units.COUNT(ceiling)),
      remark: failed ? failed + ' of ' + cell.runs.length + ' runs FAIL' : ''
    };
  }
  function overview() {
    var measured = results.lanes.flatMap(function (lane) { return lane.cells.map(function (cell) { return { lane: lane, cell: cell }; }); });
    var groups = new Map();
    measured.filter(function (of) { return of.cell.load.rate === 0; }).forEach(function (of) {
      var key = load(of.cell.load);
      groups.set(key, (groups.get(key) || []).concat([bar(of.lane, of.cell)]));
    });
    var skipped = results.lanes.filter(function (lane) { return lane.skipped; });
    return {
      title: 'Overview', notes: [], charts: [],
      bars: groups.size === 0 ? [] : [{
        title: 'Messages a second, and what each lane could have given',
        note: 'A bar is the median of the runs that count (?: none does), the line in it their spread, the frame the ceiling; what goes out is the sum over all subscribers.',
        groups: Array.from(groups).map(function (group) { return { title: group[0], bars: group[1] }; })
      }],
      tables: (measured.length ? [summary(measured)] : [])
        .concat(skipped.length ? [table('Skipped', skipped, [['lane', 'TEXT', label], ['why', 'TEXT', function (lane) { return lane.skipped; }]])] : [])
    };
  }

  function round(run) { return run.moment.round; }
  function state(run) {
    if (!run.outcome.passed) { return { text: 'FAIL', mark: 'BAD' }; }
    var said = (run.outcome.partial ? ['partial'] : []).concat(run.outcome.environment.length ? ['disturbed'] : [])
      .concat(run.outcome.observed.map(function (one) { return one.kind.replace('_', ' '); }));
    return said.length ? { text: said.join(', '), mark: 'WARN' } : { text: run.correctness.checked ? 'PASS' : 'not checked', mark: run.correctness.checked ? 'GOOD' : 'NOTE' };
  }
  function faults(kind) {
    return function (run) {
      if (!run.correctness.checked) { return null; }
      var sum = run.correctness.subscribers.reduce(function (all, one) { return all + one.faults[kind]; }, 0);
      return sum ? { number: sum, mark: 'BAD' } : sum;
    };
  }
  function runTables(cell) {
    var queue = cell.runs.some(function (run) { return run.delays.timeInQueue; });
    var delay = queue ? 'timeInQueue' : 'latency';
    var of = new Map(cell.shares.map(function (one) { return [one.round, one]; }));
    function shareOf(side) { return function (run) { return fraction(of.has(round(run)) ? of.get(round(run))[side] : null); }; }
    var tables = [
      table('Throughput', cell.runs, [
        ['round', 'WHOLE', round], ['in, msg/s', 'COUNT', sent], ['out, msg/s', 'COUNT', got], ['out', 'BYTES_PER_SECOND', bytes],
        ['in of ceiling', 'FRACTION', shareOf('in')], ['out of ceiling', 'FRACTION', shareOf('out')],
        ['longest gap between deliveries', 'NANOS', gap], ['', 'TEXT', state]]),
      table(queue ? 'Time in queue, from the write of a message to its read: no latency' : 'Latency, from the intended time of sending', cell.runs, [
        ['round', 'WHOLE', round], ['p50', 'NANOS', percentile(delay, 'p50Nanos')], ['p90', 'NANOS', percentile(delay, 'p90Nanos')],
        ['p99', 'NANOS', percentile(delay, 'p99Nanos')], ['p99.9', 'NANOS', percentile(delay, 'p99.9Nanos')],
        ['max', 'NANOS', percentile(delay, 'maxNanos')], ['recorded', 'COUNT', percentile(delay, 'recorded')]]),
      table('Verification', cell.runs, [
        ['round', 'WHOLE', round],
        ['messages', 'WHOLE', function (run) { return run.correctness.subscribers.reduce(function (all, one) { return all + one.messages; }, 0); }],
        ['lost', 'WHOLE', faults('lost')], ['duplicated', 'WHOLE', faults('duplicated')], ['reordered', 'WHOLE', faults('reordered')],
        ['corrupted', 'WHOLE', faults('corrupted')], ['foreign', 'WHOLE', faults('foreign')],
        ['sent late, over 1 ms', 'WHOLE', function (run) { return run.correctness.schedule.late; }]]),
      table('Bound by', cell.runs.filter(function (run) { return run.resources.boundBy; }), [
        ['round', 'WHOLE', round],
        ['what', 'TEXT', function (run) { return { text: run.resources.boundBy.kind, mark: 'NOTE' }; }],
        ['what says so', 'TEXT', function (run) { return run.resources.boundBy.reasons.join('; '); }]])];
    var names = Array.from(new Set(cell.runs.flatMap(function (run) { return run.resources.processes.map(function (one) { return one.name; }); })));
    tables.push(table('CPU in the measured part, and memory', names, [
      ['process', 'TEXT', function (name) { return name; }],
      ['cores, median', 'PLAIN', function (name) {
        return median(cell.runs.map(function (run) {
          var one = run.resources.processes.find(function (process) { return process.name === name; });
          return one && one.cpuSeconds !== null && run.moment.measuredNanos ? one.cpuSeconds * 1e9 / run.moment.measuredNanos : null;
        }));
      }],
      ['peak memory', 'BYTES', function (name) {
        var peaks = cell.runs.flatMap(function (run) { return run.resources.processes; })
          .filter(function (one) { return one.name === name && one.peakResidentBytes >= 0; }).map(function (one) { return one.peakResidentBytes; });
        return peaks.length ? Math.max.apply(null, peaks) : null;
      }]]));
    return tables;
  }
  function curves(cell) {
    var charts = [];
    var timed = cell.runs.filter(function (run) { return run.throughput.timeline.length > 1; });
    if (timed.length) {
      var most = Math.max.apply(null, timed.flatMap(function (run) { return run.throughput.timeline.map(function (point) { return point.outMessagesPerSecond; }); }));
      var last = Math.max.apply(null, timed.map(function (run) { return run.throughput.timeline[run.throughput.timeline.length - 1].seconds; }));
      var ceiling = cell.ceilings ? cell.ceilings.batched.messagesPerSecond : null;
      var near = ceiling !== null && ceiling <= 2 * most;
      charts.push({
        title: 'Throughput over time',
        note: 'the measured part; out is the sum over all subscribers'
          + (ceiling !== null && !near ? '; the ceiling, ' + units.COUNT(ceiling) + ' msg/s, is above the picture' : ''),
        x: { label: 'time since the measured part began', unit: 'SECONDS', scale: 'LINEAR' },
        y: { label: 'messages a second', unit: 'COUNT', scale: 'LINEAR' },
        series: timed.map(function (run) {
          return { name: 'round ' + round(run) + ', out', dashed: false,
            points: run.throughput.timeline.map(function (point) { return { x: point.seconds, y: point.outMessagesPerSecond }; }) };
        }).concat(near ? [{ name: 'ceiling', dashed: true, points: [{ x: 0, y: ceiling }, { x: last, y: ceiling }] }] : [])
      });
    }
    [['latency', 'Latency', 'from the intended time of sending'],
      ['timeInQueue', 'Time in queue', 'at full speed, from the write of a message to its read: no latency']].forEach(function (delay) {
      var recorded = cell.runs.filter(function (run) { return run.delays[delay[0]] && run.delays[delay[0]].recorded; });
      if (recorded.length) {
        charts.push({
          title: delay[1], note: delay[2],
          x: { label: 'percentile', unit: 'PLAIN', scale: 'PERCENTILE' },
          y: { label: delay[1].toLowerCase(), unit: 'NANOS', scale: 'LOG' },
          series: recorded.map(function (run) {
            var of = run.delays[delay[0]];
            return { name: 'round ' + round(run), dashed: false,
              points: [[2, 'p50Nanos'], [10, 'p90Nanos'], [100, 'p99Nanos'], [1000, 'p99.9Nanos'], [10000, 'p99.99Nanos']]
                .filter(function (point) { return point[0] <= of.recorded; })
                .map(function (point) { return { x: point[0], y: Math.max(1, of[point[1]]) }; }) };
          })
        });
      }
    });
    return charts;
  }
  function sentBy(senders, name) {
    return [[senders.publishers, 'the publishers'], [senders.contestant, 'the ' + name]]
      .filter(function (side) { return side[0].names.length > 0; })
      .map(function (side) { return side[0].names.join(' and ') + (side[0].why ? ' (' + side[0].why + ')' : '') + ' of ' + side[1]; })
      .join(', ');
  }
  function congestion(cell) {
    var run = cell.runs.find(function (one) { return one.resources.senders; });
    var own = run ? sentBy(run.resources.senders, cell.contestant) : '';
    var above = cell.ceilings && cell.ceilings.senders ? sentBy(cell.ceilings.senders, 'plain relay') : '';
    return own ? ' TCP congestion control: ' + own + (above ? '; ceiling: ' + above : '') + '.' : '';
  }
  function section(lane, cell) {
    var notes = [];
    cell.runs.forEach(function (run) {
      run.outcome.failures.forEach(function (line) { notes.push({ text: 'Round ' + round(run) + ' FAILS: ' + line, mark: 'BAD' }); });
      run.outcome.observed.forEach(function (one) { notes.push({ text: 'Round ' + round(run) + ': ' + one.text, mark: 'WARN' }); });
      run.outcome.environment.forEach(function (line) { notes.push({ text: 'Round ' + round(run) + ', disturbed: ' + line, mark: 'WARN' }); });
    });
    var rate = cell.ceilings ? cell.ceilings.batched : null;
    notes.push({ mark: 'NONE', text: 'Publishers ' + lane.places.publishers + ', subscribers ' + lane.places.subscribers + '. ' + (rate
      ? 'Ceiling: ' + units.COUNT(rate.messagesPerSecond) + ' msg/s, ' + units.BYTES_PER_SECOND(rate.bytesPerSecond) + ' (' + cell.ceilings.source + ').'
      : 'No ceiling is known.') + congestion(cell) });
    return { title: label(lane) + ': ' + title(cell), notes: notes, tables: [], charts: curves(cell), details: runTables(cell) };
  }
  var runs = results.lanes.flatMap(function (lane) { return lane.cells; }).flatMap(function (cell) { return cell.runs; }).length;
  var facts = [{ name: 'figures', value: 'Medians of the runs that count: valid, whole, on a machine that did nothing else meanwhile. Bytes are bodies and their 8-byte headers.' }];
  if (results.lanes.some(function (lane) { return lane.emulated; })) {
    facts.push({ name: 'emulated links', value: 'Network namespaces of one machine, with the rate kept by traffic control: no cable, no network card, and publishers, relay and subscribers share the cores.' });
  }
  var machines = results.sites.map(function (site) {
    var machine = site.machine;
    return site.name + ': ' + machine.cores + ' cores (' + machine.cpu + '), ' + machine.jdk + ', ' + machine.kernel
      + ', TCP congestion control ' + machine.congestionControl + (machine.coreHopNanos === null ? '' : ', core-to-core hop ' + units.NANOS(machine.coreHopNanos));
  });
  var ending = results.ending;
  var outcome = ending.how === 'complete' ? [] : [{ text: 'Not complete: ' + ending.how + (ending.reason && ending.reason !== ending.how ? ': ' + ending.reason : '') + '.', mark: 'WARN' }];
  return {
    title: 'Relay ' + results.origin.command,
    outcome: outcome.concat(results.notes.map(function (note) { return { text: note, mark: /^to do:/.test(note) ? 'WARN' : 'NONE' }; })),
    subtitle: ['loadgen ' + results.origin.version + ', ' + results.origin.started + ', ' + results.lanes.length + (results.lanes.length === 1 ? ' lane, ' : ' lanes, ')
      + runs + (runs === 1 ? ' run' : ' runs')].concat(machines, results.origin.commandLine.join(' ')),
    sections: [overview()].concat(results.lanes.flatMap(function (lane) { return lane.cells.map(function (cell) { return section(lane, cell); }); })),
    factsTitle: 'How to read it',
    facts: facts
  };
}
