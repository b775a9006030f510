(function () {
  'use strict';

  // The same as Unit in Java: three digits and a prefix.
  function scaled(names) {
    return function (value) {
      var rest = value, name = 0;
      while (Math.abs(rest) >= 999.5 && name < names.length - 1) { rest /= 1000; name++; }
      var size = Math.abs(rest);
      var digits = String(Number(rest.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2)));
      return names[name] ? digits + ' ' + names[name] : digits;
    };
  }
  function plain(value) { return value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) >= 1e4 ? 0 : 3 }); }
  var bytes = scaled(['B', 'kB', 'MB', 'GB']);
  var units = {
    TEXT: plain,
    PLAIN: plain,
    WHOLE: function (value) { return value.toLocaleString('en-US', { maximumFractionDigits: 0 }); },
    COUNT: scaled(['', 'k', 'M', 'G']),
    BYTES: bytes,
    BYTES_PER_SECOND: function (value) { return bytes(value) + '/s'; },
    NANOS: scaled(['ns', 'µs', 'ms', 's']),
    SECONDS: function (value) { return Number(value.toFixed(2)) + ' s'; },
    FRACTION: function (value) { return (value * 100).toFixed(1) + ' %'; },
    RATIO: function (value) { return value.toFixed(3); },
    HUNDREDTHS: function (value) { return value.toFixed(2); }
  };
  function text(unit, value) { return value === null || value === undefined ? '–' : units[unit](value); }
  function percentile(x) { return Number(((1 - 1 / x) * 100).toFixed(Math.max(0, Math.ceil(Math.log10(x)) - 1))) + ' %'; }
  function shown(axis, value) { return axis.scale === 'PERCENTILE' ? percentile(value) : units[axis.unit](value); }

  // ---- elements; every text is set as text, whatever is in it ----

  function element(name, attributes, children) {
    var made = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    (children || []).forEach(function (child) { if (child !== null) { made.append(child); } });
    return made;
  }
  function marked(value, mark) { return mark === 'NONE' || !mark ? value : element('span', { class: 'mark ' + mark.toLowerCase() }, [value]); }
  function width(part, whole) { return 'width:' + (100 * Math.max(0, Math.min(1, part / whole))).toFixed(2) + '%'; }
  function known(value) { return value !== null && value !== undefined; }
  function shows(axis, value) { return known(value) && (axis.scale === 'LINEAR' || value > 0); }

  function cell(column, value, first) {
    var number = column.unit !== 'TEXT';
    var shownText = known(value.number) || !value.text && number ? text(column.unit, value.number) : value.text;
    return element(first ? 'th' : 'td', Object.assign(first ? { scope: 'row' } : {}, number ? { class: 'n' } : {}), [
      marked(shownText, value.mark),
      known(value.bar) ? element('span', { class: 'bar' }, [element('i', { style: width(value.bar, 1) })]) : null
    ]);
  }
  function table(of) {
    return element('div', { class: 'scroll', tabindex: '0' }, [element('table', {}, [
      of.caption ? element('caption', {}, [of.caption]) : null,
      element('thead', {}, [element('tr', {}, of.columns.map(function (column) {
        return element('th', Object.assign({ scope: 'col' }, column.unit !== 'TEXT' ? { class: 'n' } : {}), [column.title]);
      }))]),
      element('tbody', {}, of.rows.map(function (row) {
        return element('tr', {}, row.map(function (value, i) { return cell(of.columns[i], value, i === 0); }));
      }))
    ])]);
  }
  function caption(of) { return element('figcaption', {}, [element('b', {}, [of.title]), of.note ? element('span', {}, [of.note]) : null]); }
  function bars(of) {
    return element('figure', { class: 'bars' }, [caption(of)].concat(of.groups.map(function (group) {
      var scale = Math.max.apply(null, [0].concat(group.bars.flatMap(function (bar) { return [bar.value, bar.high, bar.ceiling].filter(known); }))) || 1;
      return element('table', {}, [group.title ? element('caption', {}, [group.title]) : null,
        element('tbody', {}, group.bars.map(function (bar) {
          return element('tr', {}, [
            element('th', { scope: 'row' }, [bar.label]),
            element('td', { class: 'track' }, [element('div', {}, [
              known(bar.ceiling) ? element('i', { class: 'ceiling', style: width(bar.ceiling, scale) }) : null,
              known(bar.value) ? element('i', { class: 'value', style: width(bar.value, scale) }) : null,
              known(bar.low) && known(bar.high)
                ? element('i', { class: 'spread', style: 'left:' + (100 * bar.low / scale).toFixed(2) + '%;' + width(bar.high - bar.low, scale) }) : null
            ])]),
            element('td', {}, [bar.text, bar.remark ? ' ' : null, bar.remark ? marked(bar.remark, 'WARN') : null])]);
        }))]);
    })));
  }
  // The curve's figures, for a reader without eyes for it, or who wants the number: 25 lines are enough.
  function figures(of) {
    var all = Array.from(new Set(of.series.flatMap(function (series) { return series.points.map(function (point) { return point.x; }); })))
      .sort(function (a, b) { return a - b; });
    var rows = Math.min(all.length, 25);
    var chosen = Array.from({ length: rows }, function (unused, i) { return all[rows === 1 ? 0 : Math.floor(i * (all.length - 1) / (rows - 1))]; });
    return table({
      columns: [{ title: of.x.label, unit: 'TEXT' }].concat(of.series.map(function (series) { return { title: series.name, unit: of.y.unit }; })),
      rows: chosen.map(function (x) {
        return [{ text: shown(of.x, x) }].concat(of.series.map(function (series) {
          var found = series.points.find(function (point) { return point.x === x; });
          return found ? { number: found.y } : { text: ' ' };
        }));
      })
    });
  }
  var specs = new Map();
  function chart(of) {
    var made = element('figure', { class: 'chart' }, [caption(of),
      document.getElementById('plot').content.firstElementChild.cloneNode(true),
      element('details', {}, [element('summary', {}, ['Figures']), figures(of)])]);
    specs.set(made, of);
    return made;
  }
  function note(of) { return element('p', of.mark === 'NONE' ? {} : { class: 'note mark ' + of.mark.toLowerCase() }, [of.text]); }
  function section(of, i) {
    return element('section', { id: 's' + i }, [element('h2', {}, [of.title])]
      .concat(of.notes.map(note))
      .concat((of.bars || []).map(bars))
      .concat(of.tables.map(table))
      .concat(of.charts.length ? [element('div', { class: 'charts' }, of.charts.map(chart))] : [])
      .concat((of.details || []).map(table)));
  }
  function page(of) {
    document.body.append(
      element('header', {}, [element('h1', {}, [of.title])].concat((of.outcome || []).map(note))
        .concat([].concat(of.subtitle || []).map(function (line) { return element('p', { class: 'soft' }, [line]); }))),
      of.sections.length < 3 ? '' : element('nav', { 'aria-label': 'Sections' }, [element('details', of.sections.length < 9 ? { open: '' } : {}, [
        element('summary', {}, [of.sections.length + ' sections']), element('ol', {}, of.sections.map(function (one, i) {
          return element('li', {}, [element('a', { href: '#s' + i }, [one.title])]);
        }))])]),
      element('main', {}, of.sections.map(section).concat([element('section', { id: 'facts' }, [
        element('h2', {}, [of.factsTitle]),
        element('dl', {}, of.facts.flatMap(function (fact) { return [element('dt', {}, [fact.name]), element('dd', {}, [fact.value])]; }))])])));
  }

  function axis(of) { return { scale: of.scale, label: of.label, text: function (value) { return shown(of, value); } }; }
  function draw(figure) {
    var of = specs.get(figure);
    plot(figure.querySelector('.plot'), { label: of.title + ': ' + of.y.label + ' over ' + of.x.label, x: axis(of.x), y: axis(of.y) })(
      of.series.map(function (series) {
        return { name: series.name, dashed: series.dashed, points: series.points.filter(function (point) { return shows(of.x, point.x); })
          .map(function (point) { return { x: point.x, y: shows(of.y, point.y) ? point.y : null }; }) };
      }));
  }

  var told = JSON.parse(document.getElementById('document').textContent);
  page(told.schemaVersion ? resultsPage(told, units) : told);

  // A report may have hundreds of charts: each is drawn when it comes near the window, and on paper all of them.
  var drawn = 0;
  function show(figure) {
    watcher.unobserve(figure);
    draw(figure);
    specs.delete(figure);
    document.documentElement.dataset.drawn = ++drawn;
  }
  var watcher = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) { if (entry.isIntersecting) { show(entry.target); } });
  }, { rootMargin: '600px 0px' });
  specs.forEach(function (unused, figure) { watcher.observe(figure); });
  window.addEventListener('beforeprint', function () { Array.from(specs.keys()).forEach(show); });
})();
