'use strict';

/*
 * A chart of lines over a time, as SVG, in the empty <svg> of `box`: axes, and a legend with the values under the
 * pointer, a finger, or the arrow keys.
 * Colours and sizes are the page's: .plot, .line0, .line1 and so on.
 *
 * spec: {label, unit: value => text, series: [{name, of: point => value}]}. Returns draw(points); a point has at: ms.
 */
function plot(box, spec) {
  const HEIGHT = 200;
  const LEFT = 56;
  const BOTTOM = 22;
  const TOP = 8;
  const LEAST_MS = 30_000;
  const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600].map(seconds => seconds * 1000);
  let points = [];
  // Index of the point that is looked at; null: the newest.
  let chosen = null;

  const svg = box.querySelector('svg');
  svg.setAttribute('tabindex', 0);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${spec.label}; arrow keys move along the time`);
  const legend = document.createElement('p');
  legend.className = 'legend';
  legend.setAttribute('aria-live', 'off');
  box.replaceChildren(legend, svg);

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

  const clock = at => new Date(at).toLocaleTimeString('en-GB');

  // A step of 1, 2 or 5 times a power of ten, so that there are at most five.
  function step(top) {
    const power = 10 ** Math.floor(Math.log10(top / 5));
    return [1, 2, 5, 10].map(factor => factor * power).find(each => top / each <= 5);
  }

  function scale() {
    const width = Math.max(200, svg.clientWidth || box.clientWidth);
    const right = width - 10;
    const last = points.length ? points[points.length - 1].at : 0;
    const span = Math.max(LEAST_MS, points.length ? last - points[0].at : 0);
    const most = Math.max(1, ...points.flatMap(point => spec.series.map(series => series.of(point))));
    const by = step(most);
    const top = by * Math.ceil(most / by);
    return {
      width, right, last, span, by, top,
      x: at => right - (last - at) * (right - LEFT) / span,
      y: value => HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - TOP) / top,
    };
  }

  function draw() {
    const to = scale();
    const parts = [];
    for (let value = 0; value <= to.top; value += to.by) {
      const y = to.y(value).toFixed(1);
      parts.push(make('line', {class: 'grid', x1: LEFT, x2: to.right, y1: y, y2: y}));
      parts.push(make('text', {x: LEFT - 6, y: Number(y) + 4, 'text-anchor': 'end'}, spec.unit(value)));
    }
    if (points.length) {
      const step = STEPS.find(each => to.span / each <= (to.right - LEFT) / 90) || STEPS[STEPS.length - 1];
      for (let at = Math.ceil((to.last - to.span) / step) * step; at <= to.last; at += step) {
        const x = to.x(at);
        parts.push(make('line', {class: 'tick', x1: x, x2: x, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 4}));
        parts.push(make('text', {x: Math.min(x, to.right - 22), y: HEIGHT - 4, 'text-anchor': 'middle'}, clock(at)));
      }
    }
    spec.series.forEach((series, i) => parts.push(make('polyline', {
      class: `line${i}`,
      points: points.map(point => `${to.x(point.at).toFixed(1)},${to.y(series.of(point)).toFixed(1)}`).join(' '),
    })));
    const at = points[chosen === null ? points.length - 1 : chosen];
    if (at && chosen !== null) {
      const x = to.x(at.at);
      parts.push(make('line', {class: 'pointer', x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM}));
    }
    if (at) {
      spec.series.forEach((series, i) =>
        parts.push(make('circle', {class: `line${i}`, cx: to.x(at.at), cy: to.y(series.of(at)), r: 3})));
    }
    svg.setAttribute('viewBox', `0 0 ${to.width} ${HEIGHT}`);
    svg.replaceChildren(...parts);
    legend.replaceChildren(...spec.series.flatMap((series, i) => {
      const name = document.createElement('b');
      name.className = `line${i}`;
      name.textContent = series.name;
      return [name, ` ${at ? spec.unit(series.of(at)) : '–'}   `];
    }), at ? `${spec.label}, ${chosen === null ? 'now' : `at ${clock(at.at)}`}` : 'measuring, the first second');
  }

  function choose(index, spoken) {
    chosen = index === null || !points.length ? null : Math.max(0, Math.min(points.length - 1, index));
    // The newest changes every second, which nobody wants read out.
    legend.setAttribute('aria-live', spoken && chosen !== null ? 'polite' : 'off');
    draw();
  }

  function point(event) {
    const to = scale();
    const at = svg.getBoundingClientRect();
    const x = (event.clientX - at.left) * to.width / at.width;
    let nearest = 0;
    points.forEach((each, i) => {
      nearest = Math.abs(to.x(each.at) - x) < Math.abs(to.x(points[nearest].at) - x) ? i : nearest;
    });
    choose(nearest, false);
  }

  svg.addEventListener('pointermove', point);
  svg.addEventListener('pointerdown', point);
  svg.addEventListener('pointerleave', event => event.pointerType === 'mouse' && choose(null, false));
  svg.addEventListener('blur', () => choose(null, false));
  svg.addEventListener('keydown', event => {
    const here = chosen === null ? points.length - 1 : chosen;
    const there = {ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: points.length - 1, Escape: null}[event.key];
    if (there !== undefined) {
      event.preventDefault();
      choose(there, true);
    }
  });
  new ResizeObserver(draw).observe(box);

  return (all, dropped) => {
    points = all;
    // The point that is looked at stays the same when the oldest goes.
    chosen = chosen === null ? null : Math.max(0, Math.min(points.length - 1, chosen - dropped));
    draw();
  };
}
