// Charts are fetched when one comes near them; series are drawn by uPlot, which is shipped with this program.
import { part } from './page.js';
const { uPlot } = window;

const drawn = new Map();
const style = () => getComputedStyle(document.documentElement);
const COLOURS = [['#0f6b64', '#6cc9be'], ['#b5713c', '#e5a96f'], ['#3c7fb0', '#7fb8e3'], ['#8a6bb5', '#bda3e4'], ['#7c8a3a', '#b9c878'], ['#a8475f', '#e58fa3'], ['#8d8779', '#a8a294']];

function isDark() {
  return style().colorScheme.includes('dark') && !style().colorScheme.includes('light');
}

function short(value, unit) {
  if (value == null) return '';
  const sign = unit === 'dollars' ? '$' : '';
  for (const [size, letter] of [[1e9, 'B'], [1e6, 'M'], [1e3, 'k']]) if (Math.abs(value) >= size) return `${sign}${+(value / size).toPrecision(3)}${letter}`;
  return sign + (unit === 'dollars' ? value.toFixed(2) : +value.toPrecision(3));
}

/** Lines on top of each other: each is the sum of itself and those below. */
function stacked(series) {
  const sums = series[0].values.map(() => 0);
  return series.map((one) => one.values.map((value, day) => (sums[day] += value)));
}

function draw(box) {
  const { days, series, unit } = JSON.parse(box.dataset.series);
  if (!days.length) return;
  drawn.get(box)?.destroy();
  const dark = isDark() ? 1 : 0;
  const times = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000);
  const sums = stacked(series);
  const axis = { stroke: style().getPropertyValue('--soft'), grid: { stroke: style().getPropertyValue('--line'), width: 1 }, ticks: { show: false }, font: `12px ${style().getPropertyValue('--sans')}` };
  const bars = days.length < 2 || days.length <= 120 ? uPlot.paths.bars({ size: [0.86, 42], radius: 0.12 }) : undefined;
  // The tallest first, so that those below are painted over it.
  const order = series.map((_, number) => number).reverse();
  const options = {
    width: box.clientWidth,
    height: 250,
    tzDate: (stamp) => uPlot.tzDate(new Date(stamp * 1e3), 'Etc/UTC'),
    scales: { x: { range: (_, low, high) => { const gap = Math.min(...times.slice(1).map((one, number) => one - times[number]), 7 * 86_400); const pad = bars ? gap * 0.6 : 0; return [low - pad, high + pad]; } }, y: { range: (_, __, high) => [0, high * 1.06 || 1] } },
    axes: [{ ...axis, values: '{MM}-{DD}' }, { ...axis, size: 58, values: (_, ticks) => ticks.map((one) => short(one, unit)) }],
    legend: { live: true },
    cursor: { y: false, points: { show: false } },
    series: [{ label: 'Day', value: (_, stamp) => (stamp == null ? '' : new Date(stamp * 1e3).toISOString().slice(0, 10)) }, ...order.map((number) => {
      const colour = COLOURS[number % COLOURS.length][dark];
      return { label: series[number].label, stroke: colour, fill: bars ? colour : `${colour}aa`, width: 0, paths: bars, points: { show: false }, value: (_, __, ___, day) => (day == null ? '' : short(series[number].values[day], unit)) };
    })],
  };
  drawn.set(box, new uPlot(options, [times, ...order.map((number) => sums[number])], box));
}

const near = new IntersectionObserver((seen) => {
  for (const one of seen) {
    if (!one.isIntersecting) continue;
    near.unobserve(one.target);
    const body = one.target.querySelector('.chart-body');
    part(one.target.dataset.chart).then((html) => {
      body.innerHTML = html;
      body.dataset.full = '1';
      for (const box of body.querySelectorAll('[data-series]')) draw(box);
    }).catch(() => { body.textContent = 'It could not be fetched: is the server still running?'; });
  }
}, { rootMargin: '500px 0px' });
for (const one of document.querySelectorAll('[data-chart]')) near.observe(one);

const again = () => { for (const box of drawn.keys()) draw(box); };
document.addEventListener('axm-theme', again);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
let width = innerWidth;
addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; again(); } });
