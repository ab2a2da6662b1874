// A session: stretches are fetched as one comes near them, claims light their words, and a map shows all of it.
import { part } from './page.js';
import { fill, listen } from './fold.js';
import { rangesOf } from './quotes.js';

const talk = document.getElementById('talk');
const map = document.getElementById('minimap');
const stretches = [...talk.querySelectorAll('.stretch')];
const id = talk.dataset.session;
const canLight = 'highlights' in CSS;
listen(document);

// --- stretches --------------------------------------------------------------------------------------------------
for (const one of stretches) {
  if (one.dataset.tall) one.style.minHeight = `${one.dataset.tall}px`;
}

const coming = new Map();
function load(section) {
  if (section.dataset.full) return Promise.resolve();
  const from = section.dataset.from;
  if (!coming.has(from)) {
    coming.set(from, part(`/session/${id}/from/${from}`).then((html) => {
      const before = section.getBoundingClientRect();
      const isAbove = before.bottom < 0;
      section.innerHTML = html;
      section.style.minHeight = '';
      section.dataset.full = '1';
      if (isAbove) scrollBy(0, section.getBoundingClientRect().height - before.height);
      light(section);
      draw();
    }).finally(() => coming.delete(from)));
  }
  return coming.get(from);
}

const near = new IntersectionObserver((seen) => {
  for (const one of seen) if (one.isIntersecting) load(one.target).catch(() => {});
}, { rootMargin: '1200px 0px' });
for (const one of stretches) near.observe(one);

const sectionOf = (number) => stretches.findLast((one) => Number(one.dataset.from) <= number);

export async function jump(number, entry) {
  const section = sectionOf(number);
  if (!section) return;
  section.scrollIntoView({ block: 'start' });
  await load(section);
  const item = document.getElementById(`n${number}`);
  if (!item) return;
  if (entry && item.classList.contains('tool')) await unfold(item);
  item.scrollIntoView({ block: entry ? 'center' : 'start' });
  item.dispatchEvent(new Event('axm-mark', { bubbles: true }));
  if (entry) emphasise(item, entry, true);
}

async function unfold(item) {
  const fold = item.querySelector(':scope > details');
  if (!fold) return;
  fold.open = true;
  if (item.dataset.quotes === '[]') return;
  // Its words may stand in what came back, which is fetched.
  if (quotesOf(item).every(([, quote]) => rangesOf(fold, quote).length)) return;
  const whole = fold.querySelector('details.whole');
  if (whole) { whole.open = true; await fill(whole); light(item); }
}

// --- claims light their words -----------------------------------------------------------------------------------
const quotesOf = (item) => (item.dataset.quotes ? JSON.parse(item.dataset.quotes) : []);
const lit = canLight ? new Highlight() : null;
const litNow = canLight ? new Highlight() : null;
if (canLight) { CSS.highlights.set('quote', lit); CSS.highlights.set('quote-now', litNow); litNow.priority = 1; }

function light(root) {
  if (!canLight) return;
  for (const item of root.querySelectorAll('[data-quotes]:not([data-quotes="[]"])')) {
    for (const [, quote] of quotesOf(item)) for (const range of rangesOf(item, quote)) lit.add(range);
  }
  const words = talk.dataset.found;
  if (words) {
    for (const item of root.querySelectorAll(`#n${talk.dataset.target}`)) {
      for (const word of words.split(/\s+/).filter((one) => one.length > 1 && !one.includes(':'))) {
        for (const range of rangesOf(item, word.replace(/^["'-]+|["']+$/g, ''), true)) lit.add(range);
      }
    }
  }
}

function emphasise(item, entry, scroll) {
  if (!canLight) return;
  litNow.clear();
  let first = null;
  for (const [name, quote] of quotesOf(item)) {
    if (name !== entry) continue;
    for (const range of rangesOf(item, quote)) { first ??= range; litNow.add(range); }
  }
  if (scroll && first) {
    const box = first.getBoundingClientRect();
    if (box.height && (box.top < 80 || box.bottom > innerHeight - 40)) scrollBy(0, box.top - innerHeight / 3);
  }
}

for (const kind of ['mouseover', 'focusin']) {
  talk.addEventListener(kind, (event) => {
    const note = event.target.closest?.('[data-light]');
    if (note) emphasise(note.closest('.turn'), note.dataset.light, false);
  });
}
talk.addEventListener('axm-filled', (event) => { const turn = event.target.closest('.turn'); if (turn) light(turn.parentElement); });
talk.addEventListener('toggle', (event) => { if (event.target.open && event.target.parentElement.matches?.('.turn.has-notes')) unfold(event.target.parentElement); }, true);

document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-jump]');
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  history.replaceState(null, '', link.href);
  jump(Number(link.dataset.jump), link.dataset.entry);
});

// --- keys -------------------------------------------------------------------------------------------------------
const outline = map.dataset.outline;
const marks = JSON.parse(map.dataset.marks);
const claims = [...document.querySelectorAll('[data-entry]')];
let claim = -1;

function numberHere() {
  const top = 90;
  for (const section of stretches) {
    const box = section.getBoundingClientRect();
    if (box.bottom < top) continue;
    for (const item of section.querySelectorAll('[data-number]')) {
      if (item.getBoundingClientRect().bottom > top) return Number(item.dataset.number);
    }
    return Number(section.dataset.from);
  }
  return outline.length - 1;
}

document.addEventListener('axm-key', ({ detail: key }) => {
  if (key === 'n' || key === 'p') {
    const here = numberHere();
    const next = key === 'n' ? outline.indexOf('p', here + 1) : outline.lastIndexOf('p', here - 1);
    if (next >= 0) jump(next);
  }
  if (key === 'e' && claims.length) {
    claim = (claim + 1) % claims.length;
    jump(Number(claims[claim].dataset.jump), claims[claim].dataset.entry);
  }
});

// --- the map ----------------------------------------------------------------------------------------------------
const pen = map.getContext('2d');
function draw() {
  const ratio = devicePixelRatio || 1;
  const height = innerHeight - 76;
  map.style.height = `${height}px`;
  map.width = 18 * ratio;
  map.height = height * ratio;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const paint = { p: colour('accent'), a: colour('line-2'), t: colour('line'), x: colour('bad'), c: colour('ink'), s: colour('line'), m: colour('soft') };
  const size = Math.min(map.height / Math.max(outline.length, 1), 9 * ratio);
  pen.clearRect(0, 0, map.width, map.height);
  for (const letters of ['ts', 'a', 'm', 'x', 'p', 'c']) {
    for (let n = 0; n < outline.length; n += 1) {
      if (!letters.includes(outline[n])) continue;
      pen.fillStyle = paint[outline[n]];
      const wide = outline[n] === 'p' || outline[n] === 'c' ? 14 : outline[n] === 'a' ? 10 : 6;
      pen.fillRect(2 * ratio, n * size, wide * ratio, Math.max(size - ratio * 0.4, ratio));
    }
  }
  pen.fillStyle = colour('lit-line');
  for (const n of marks) pen.fillRect(14 * ratio, n * size - ratio, 4 * ratio, Math.max(size, 3 * ratio));
  const here = numberHere();
  pen.strokeStyle = colour('ink');
  pen.lineWidth = ratio;
  const box = talk.getBoundingClientRect();
  const share = Math.min(innerHeight / Math.max(box.height, 1), 1);
  pen.strokeRect(ratio / 2, here * size + ratio / 2, map.width - ratio, Math.max(share * size * outline.length - ratio, 4 * ratio));
}

let isDue = false;
addEventListener('scroll', () => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => { isDue = false; draw(); });
}, { passive: true });
addEventListener('resize', draw);
document.addEventListener('axm-theme', draw);
let isHeld = false;
const fromMap = (event) => jump(Math.min(Math.floor(event.offsetY / Math.min(map.clientHeight / outline.length, 9)), outline.length - 1));
map.addEventListener('pointerdown', (event) => { isHeld = true; map.setPointerCapture(event.pointerId); fromMap(event); });
map.addEventListener('pointerup', () => { isHeld = false; });
map.addEventListener('pointermove', (event) => { if (isHeld) fromMap(event); });

light(talk);
draw();
if (talk.dataset.target) jump(Number(talk.dataset.target), new URLSearchParams(location.search).get('entry'));
