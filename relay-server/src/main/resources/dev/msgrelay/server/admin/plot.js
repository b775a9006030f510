'use strict';

/*
 * A chart of curves as SVG, in the empty <svg> of `box`: axes, and a legend with the values under the pointer, under a
 * finger, or chosen by the arrow keys. The relay's page and the reports of loadgen and the lab draw with it.
 * Colours and sizes are the page's: .plot, .line0 to .line7 (then from the start again: .again), .dashed.
 *
 * spec: {label, x, y}, two axes {scale, text: value => text, label}. The scales: TIME, in ms, is of a live chart, whose
 * newest point is at the right and looked at; LINEAR, of y from 0 on; LOG; PERCENTILE, of 1 / (1 - share).
 * Returns draw(series) of [{name, dashed, points: [{x, y}]}], from left to right; a curve has a gap where y is null.
 */
function plot(box, spec) {
  const LEFT = 56;
  const TOP = spec.y.label ? 24 : 8;
  const BOTTOM = spec.x.label ? 38 : 22;
  const LEAST_MS = 30_000;
  const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600].map(seconds => seconds * 1000);
  // A curve of at most so many points has marks, by which curves are told apart without colours.
  const MARKED = 40;
  const MARKS = [['●', 'M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0'], ['■', 'M-3-3h6v6h-6z'], ['▲', 'M0-4L4 3H-4z'],
    ['◆', 'M0-4L4 0L0 4L-4 0z']];
  const live = spec.x.scale === 'TIME';
  let series = [];
  // The x that is looked at; null: none, or of a live chart the newest.
  let chosen = null;

  const svg = box.querySelector('svg');
  svg.setAttribute('tabindex', 0);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${spec.label}; arrow keys move along the ${live ? 'time' : 'curves'}`);
  const legend = document.createElement('p');
  legend.className = 'legend';
  legend.setAttribute('aria-live', 'off');
  // A legend that gets longer under the pointer must not move the chart.
  box.replaceChildren(...live ? [legend, svg] : [svg, legend]);

  function make(name, attributes, text) {
    const made = document.createElementNS(svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) {
      made.setAttribute(key, value);
    }
    if (text !== undefined) {
      made.textContent = text;
    }
    return made;
  }

  const isKnown = point => point.y !== null && Number.isFinite(point.y);
  const known = () => series.flatMap(one => one.points.filter(isKnown));
  const name = (one, i) => `line${i % 8}${i < 8 ? '' : ' again'}${one.dashed ? ' dashed' : ''}`;
  const isMarked = one => !live && !one.dashed && one.points.length <= MARKED;

  // Multiples of a step of 1, 2 or 5 times a power of ten, of which at most so many lie in the range.
  function step(range, most) {
    const power = 10 ** Math.floor(Math.log10(range / most));
    return [1, 2, 5, 10].map(factor => factor * power).find(each => range / each <= most * (1 + 1e-9));
  }

  function multiples(low, high, by) {
    const all = [];
    for (let i = Math.ceil(low / by - 1e-9) + 0; i <= high / by + 1e-9; i++) {
      all.push(i * by);
    }
    return all;
  }

  // 1, 2 and 5 times each power of ten from one below the lowest value to one above the highest.
  function powers(low, high) {
    const all = [];
    for (let i = Math.floor(Math.log10(low)) - 1; i <= Math.log10(high) + 1; i++) {
      all.push(...[1, 2, 5].map(factor => Number((factor * 10 ** i).toPrecision(1))));
    }
    return all;
  }

  // The ends of an axis, and the values that get a label, at most some `most` of them.
  function range(axis, values, most) {
    const low = values.length ? Math.min(...values) : 1;
    const high = values.length ? Math.max(...values) : 1;
    if (axis.scale === 'TIME') {
      const span = Math.max(LEAST_MS, high - low);
      const by = TIME_STEPS.find(each => span / each <= most) || TIME_STEPS[TIME_STEPS.length - 1];
      return {low: high - span, high, labels: values.length ? multiples(high - span, high, by) : []};
    }
    if (axis.scale === 'LINEAR') {
      const from = axis === spec.y || low === high ? Math.min(0, low) : low;
      const to = live ? Math.max(1, high) : high > from ? high : from + 1;
      const by = step(to - from, most);
      const end = axis === spec.y ? by * Math.ceil(to / by - 1e-9) : to;
      return {low: from, high: end, labels: multiples(from, end, by)};
    }
    const all = powers(low, high);
    const wide = axis === spec.y || low === high;
    const from = wide ? Math.max(...all.filter(each => each <= low)) : low;
    const to = wide ? Math.min(...all.filter(each => each >= high && each > from)) : high;
    const tens = axis.scale === 'PERCENTILE' || to / from >= 200;
    const half = value => axis.scale === 'PERCENTILE' && value === 2;
    const isLabel = value => value >= from && value <= to && (!tens || half(value) || Math.log10(value) % 1 === 0);
    return {low: from, high: to, labels: all.filter(isLabel)};
  }

  function scale() {
    const width = Math.max(200, svg.clientWidth || box.clientWidth);
    const height = svg.clientHeight || 200;
    const right = width - 10;
    const bottom = height - BOTTOM;
    const points = known();
    const along = range(spec.x, points.map(point => point.x), (right - LEFT) / (live ? 90 : 60));
    const up = range(spec.y, points.map(point => point.y), 5);
    const part = (axis, of, value) => {
      const log = axis.scale === 'LOG' || axis.scale === 'PERCENTILE';
      return log ? Math.log(value / of.low) / Math.log(of.high / of.low) : (value - of.low) / (of.high - of.low);
    };
    return {
      width, height, right, bottom, along, up,
      x: value => LEFT + part(spec.x, along, value) * (right - LEFT),
      y: value => bottom - part(spec.y, up, value) * (bottom - TOP),
    };
  }

  function axes(to) {
    const parts = [];
    for (const value of to.up.labels) {
      const y = to.y(value).toFixed(1);
      parts.push(make('line', {class: 'grid', x1: LEFT, x2: to.right, y1: y, y2: y}));
      parts.push(make('text', {x: LEFT - 6, y: Number(y) + 4, 'text-anchor': 'end'}, spec.y.text(value)));
    }
    let free = -Infinity;
    for (const value of to.along.labels) {
      const x = to.x(value);
      parts.push(make('line', {class: 'tick', x1: x, x2: x, y1: to.bottom, y2: to.bottom + 4}));
      if (x >= free) {
        parts.push(make('text', {x: Math.min(x, to.right - 22), y: to.bottom + 18, 'text-anchor': 'middle'},
          spec.x.text(value)));
        free = x + 44;
      }
    }
    if (spec.y.label) {
      parts.push(make('text', {x: 4, y: 12}, spec.y.label));
    }
    if (spec.x.label) {
      parts.push(make('text', {x: to.right, y: to.height - 4, 'text-anchor': 'end'}, spec.x.label));
    }
    return parts;
  }

  // The stretches between gaps, at least one.
  function stretches(points) {
    const all = [[]];
    points.forEach(point => isKnown(point) ? all[all.length - 1].push(point) : all.push([]));
    return all.filter((each, i) => each.length || i === 0);
  }

  function curve(to, one, i) {
    const lines = stretches(one.points).map(points => make('polyline', {
      class: name(one, i),
      points: points.map(point => `${to.x(point.x).toFixed(1)},${to.y(point.y).toFixed(1)}`).join(' '),
    }));
    const marks = isMarked(one) ? one.points.filter(isKnown).map(point => make('path', {
      class: name(one, i), d: MARKS[i % 4][1], transform: `translate(${to.x(point.x)} ${to.y(point.y)})`,
    })) : [];
    return [...lines, ...marks];
  }

  // All x of points, from left to right.
  const places = () => [...new Set(known().map(point => point.x))].sort((a, b) => a - b);

  // The one for which `distance` is least; undefined where there is none.
  const nearest = (all, distance) => all.reduce((best, each) => distance(each) < distance(best) ? each : best, all[0]);

  // The x whose values are shown, or undefined. That of the oldest point of a live chart goes on with the next one.
  function shown(all) {
    return chosen !== null ? nearest(all, each => Math.abs(each - chosen)) : live ? all[all.length - 1] : undefined;
  }

  function tell(x, found) {
    const said = series.flatMap((one, i) => {
      const title = document.createElement('b');
      const mark = one.dashed ? '┄' : isMarked(one) ? MARKS[i % 4][0] : '━';
      title.className = name(one, i);
      title.textContent = live ? one.name : `${mark} ${one.name}`;
      const value = found[i] ? spec.y.text(found[i].y) : '–';
      return [title, live || x !== undefined ? ` ${value}   ` : '   '];
    });
    const where = x === undefined ? '' : spec.x.text(x);
    const when = !where ? 'measuring, the first second' : `${spec.label}, ${chosen === null ? 'now' : `at ${where}`}`;
    legend.replaceChildren(...said, live ? when : where && `${spec.x.label} ${where}`);
  }

  function draw() {
    const to = scale();
    const x = shown(places());
    // A dashed line is a limit: it holds everywhere.
    const found = series.map(one => one.points.find(point => isKnown(point) && (point.x === x || one.dashed)));
    const parts = [...axes(to), ...series.flatMap((one, i) => curve(to, one, i))];
    if (chosen !== null && x !== undefined) {
      parts.push(make('line', {class: 'pointer', x1: to.x(x), x2: to.x(x), y1: TOP, y2: to.bottom}));
    }
    found.forEach((point, i) => x !== undefined && point && !series[i].dashed
      && parts.push(make('circle', {class: name(series[i], i), cx: to.x(x), cy: to.y(point.y), r: 3})));
    svg.setAttribute('viewBox', `0 0 ${to.width} ${to.height}`);
    svg.replaceChildren(...parts);
    tell(x, found);
  }

  function choose(x, spoken) {
    chosen = x === undefined ? null : x;
    // The newest changes every second, which nobody wants read out.
    legend.setAttribute('aria-live', spoken && chosen !== null ? 'polite' : 'off');
    draw();
  }

  function point(event) {
    const to = scale();
    const at = svg.getBoundingClientRect();
    const x = (event.clientX - at.left) * to.width / at.width;
    choose(nearest(places(), each => Math.abs(to.x(each) - x)), false);
  }

  svg.addEventListener('pointermove', point);
  svg.addEventListener('pointerdown', point);
  svg.addEventListener('pointerleave', event => event.pointerType === 'mouse' && choose(undefined, false));
  svg.addEventListener('blur', () => choose(undefined, false));
  svg.addEventListener('keydown', event => {
    const all = places();
    const last = all.length - 1;
    const here = chosen === null ? last : all.findIndex(each => each >= chosen);
    const there = {ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: last, Escape: NaN}[event.key];
    if (there !== undefined) {
      event.preventDefault();
      choose(all[Math.max(0, Math.min(last, there))], true);
    }
  });
  new ResizeObserver(draw).observe(box);

  return curves => {
    series = curves;
    draw();
  };
}
