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
  var units = {
    PLAIN: function (value) { return value.toLocaleString('en-US', { maximumFractionDigits: 3 }); },
    COUNT: scaled(['', 'k', 'M', 'G']),
    BYTES: scaled(['B', 'kB', 'MB', 'GB']),
    NANOS: scaled(['ns', 'µs', 'ms', 's']),
    SECONDS: function (value) { return Number(value.toFixed(2)) + ' s'; },
    FRACTION: function (value) { return (value * 100).toFixed(1) + ' %'; }
  };
  function percentile(x) { return Number(((1 - 1 / x) * 100).toFixed(Math.max(0, Math.ceil(Math.log10(x)) - 1))) + ' %'; }
  function shown(axis, value) { return axis.scale === 'PERCENTILE' ? percentile(value) : units[axis.unit](value); }

  var darkQuery = window.matchMedia('(prefers-color-scheme: dark)');
  var marks = ['circle', 'rect', 'triangle', 'rectRot'];

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); }

  // Of a logarithmic scale the powers of ten, so that the labels do not crowd; 2 and 5 where there are few of those.
  function isLabelled(spec, value, range) {
    var mantissa = Number((value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9))).toFixed(6));
    if (mantissa === 1 || spec.scale === 'PERCENTILE') { return mantissa === 1 || value === 2; }
    return range < 10 || range < 200 && (mantissa === 2 || mantissa === 5);
  }

  function axis(spec, horizontal) {
    var log = spec.scale !== 'LINEAR';
    var options = {
      type: log ? 'logarithmic' : 'linear',
      title: { display: true, text: spec.label, color: colour('soft') },
      grid: { color: colour('line'), lineWidth: 1 },
      border: { color: colour('line') },
      ticks: {
        color: colour('soft'), maxRotation: 0, autoSkipPadding: 14,
        callback: function (value) {
          return !log || isLabelled(spec, value, this.max / this.min) ? shown(spec, value) : null;
        }
      }
    };
    if (!horizontal && !log) { options.beginAtZero = true; }
    return options;
  }

  function datasets(spec) {
    return spec.series.map(function (series, i) {
      var ink = colour(series.dashed ? 'soft' : 'c' + (i % 8 + 1));
      var few = series.points.length <= 40;
      return {
        label: series.name,
        data: series.points.map(function (point) { return { x: point[0], y: point[1] }; }),
        borderColor: ink, backgroundColor: ink, borderWidth: series.dashed ? 1.5 : 2,
        borderDash: series.dashed ? [6, 4] : i >= 8 ? [2, 2] : [],
        pointRadius: few && !series.dashed ? 2.5 : 0, pointHitRadius: 8,
        pointStyle: marks[i % marks.length], spanGaps: false, tension: 0
      };
    });
  }

  function draw(figure) {
    var spec = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    return new Chart(figure.querySelector('canvas'), {
      type: 'line',
      data: { datasets: datasets(spec) },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
        interaction: { mode: 'nearest', axis: 'x', intersect: false },
        scales: { x: axis(spec.x, true), y: axis(spec.y, false) },
        plugins: {
          legend: { position: 'bottom', labels: { color: colour('ink'), usePointStyle: true, pointStyle: 'line', pointStyleWidth: 26, padding: 14 } },
          tooltip: {
            callbacks: {
              title: function (items) { return items.length ? shown(spec.x, items[0].parsed.x) : ''; },
              label: function (item) { return item.dataset.label + ': ' + shown(spec.y, item.parsed.y); }
            }
          }
        }
      }
    });
  }

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  // A report may have hundreds of charts: each is drawn when it comes near the window.
  var figures = Array.from(document.querySelectorAll('figure.chart'));
  var charts = new Map();
  function show(figure) {
    if (!charts.has(figure)) {
      charts.set(figure, draw(figure));
      document.documentElement.dataset.drawn = charts.size;
    }
  }
  function again() {
    charts.forEach(function (chart, figure) { chart.destroy(); charts.set(figure, draw(figure)); });
  }
  var watcher = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) {
      if (entry.isIntersecting) { show(entry.target); watcher.unobserve(entry.target); }
    });
  }, { rootMargin: '600px 0px' });
  figures.forEach(function (figure) { watcher.observe(figure); });

  darkQuery.addEventListener('change', again);
  // On paper all of them are needed, in its colours, and as wide as it is.
  window.addEventListener('beforeprint', function () {
    figures.forEach(show);
    again();
    charts.forEach(function (chart) { chart.resize(); });
  });
  window.addEventListener('afterprint', again);
})();
