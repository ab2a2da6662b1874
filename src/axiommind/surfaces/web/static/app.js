// Keys, the palette, the theme: what every page has. Pages work without it.
import { go, here, say } from './page.js';

const typing = (target) => target.closest?.('input, textarea, select, [contenteditable]');
const dialog = (id) => document.getElementById(id);

// --- theme and small things ------------------------------------------------------------------------------------
function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  try { localStorage.setItem('axm-theme', root.dataset.theme); } catch { /* for this page, then */ }
  document.dispatchEvent(new Event('axm-theme'));
}

if (/Mac|iP(hone|ad)/.test(navigator.platform)) {
  for (const key of document.querySelectorAll('kbd[data-mod]')) key.textContent = `⌘${key.dataset.mod}`;
}
for (const form of document.querySelectorAll('form[data-submit-on-change]')) {
  form.addEventListener('change', () => form.requestSubmit());
}
for (const form of document.querySelectorAll('form[data-confirm]')) {
  form.addEventListener('submit', (event) => { if (!confirm(form.dataset.confirm)) event.preventDefault(); });
}
const bar = document.querySelector('.bar');
addEventListener('scroll', () => bar?.classList.toggle('is-stuck', scrollY > 6), { passive: true });

document.addEventListener('click', async (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  if (button.dataset.open) openDialog(button.dataset.open);
  if ('themeToggle' in button.dataset) switchTheme();
  if (button.dataset.copy) {
    try { await navigator.clipboard.writeText(button.dataset.copy); say('Copied'); } catch { say('This browser does not let a page copy'); }
  }
});

// --- lists: j, k, Enter -------------------------------------------------------------------------------------------
let at = null;
const shown = () => [...document.querySelectorAll('[data-item]')].filter((one) => one.checkVisibility());

function step(by) {
  const items = shown();
  if (!items.length) return;
  const now = items.indexOf(at);
  mark(items[Math.min(Math.max(now < 0 ? (by > 0 ? 0 : items.length - 1) : now + by, 0), items.length - 1)]);
}

function mark(item) {
  at?.classList.remove('is-at');
  at = item;
  at.classList.add('is-at');
  at.scrollIntoView({ block: 'nearest' });
  (at.matches('a, summary, [tabindex]') ? at : at.querySelector('a, summary, button'))?.focus({ preventScroll: true });
}
document.addEventListener('axm-mark', (event) => mark(event.target));

// --- keys ---------------------------------------------------------------------------------------------------------
let isGoing = false;
const PLAIN = {
  '/': () => { const field = document.querySelector('#q, #bar-q'); field?.focus(); field?.select(); },
  '?': () => openDialog('keys'),
  '.': switchTheme,
  j: () => step(1),
  k: () => step(-1),
  o: () => (at?.querySelector('a') ?? at)?.click(),
  x: () => { const fold = at?.matches('details') ? at : at?.querySelector('details'); if (fold) fold.open = !fold.open; },
  ']': () => document.querySelector('a[rel=next]')?.click(),
  '[': () => document.querySelector('a[rel=prev]')?.click(),
};

document.addEventListener('keydown', (event) => {
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    openDialog('palette');
    return;
  }
  if (event.key === 'Escape' && typing(event.target)) { event.target.blur(); return; }
  if (event.metaKey || event.ctrlKey || event.altKey || typing(event.target) || document.querySelector('dialog[open]')) return;
  if (isGoing) {
    isGoing = false;
    const link = document.querySelector(`[data-key="g ${CSS.escape(event.key)}"]`);
    if (link) { event.preventDefault(); link.click(); }
    return;
  }
  if (event.key === 'g') { isGoing = true; setTimeout(() => { isGoing = false; }, 1200); return; }
  const act = PLAIN[event.key];
  if (act) { event.preventDefault(); act(); return; }
  document.dispatchEvent(new CustomEvent('axm-key', { detail: event.key }));
});

// --- the palette --------------------------------------------------------------------------------------------------
function openDialog(id) {
  const box = dialog(id);
  if (box.open) return;
  box.showModal();
  if (id === 'palette') { box.querySelector('input').value = ''; look(''); }
}

const palette = dialog('palette');
const list = document.getElementById('palette-list');
const pages = [...document.querySelectorAll('.side li a')].map((link) => ({ label: link.textContent.trim(), kind: 'page', url: link.getAttribute('href') }));
let chosen = 0;
let asked = 0;

async function look(words) {
  const mine = ++asked;
  const low = words.trim().toLowerCase();
  const own = pages.filter((one) => one.label.toLowerCase().includes(low));
  draw(own);
  if (low.length < 2) return;
  const answer = await fetch(`/api/v1/places?${new URLSearchParams({ ...here(), q: words })}`);
  if (!answer.ok || mine !== asked) return;
  const found = (await answer.json()).places;
  draw([...own, ...found, { label: `Search for “${words.trim()}”`, kind: 'search', url: `/search?${new URLSearchParams({ ...here(), q: words })}` }]);
}

function draw(places) {
  chosen = 0;
  list.replaceChildren(...places.map((one, number) => {
    const row = document.createElement('li');
    row.id = `palette-${number}`;
    row.setAttribute('role', 'option');
    row.setAttribute('aria-selected', String(number === 0));
    row.dataset.url = one.url;
    const name = document.createElement('b');
    name.textContent = one.label;
    const kind = document.createElement('span');
    kind.textContent = one.about ? `${one.about} · ${one.kind}` : one.kind;
    row.append(name, kind);
    return row;
  }));
  palette.querySelector('input').setAttribute('aria-activedescendant', places.length ? 'palette-0' : '');
}

function choose(number) {
  const rows = [...list.children];
  if (!rows.length) return;
  chosen = (number + rows.length) % rows.length;
  rows.forEach((row, place) => row.setAttribute('aria-selected', String(place === chosen)));
  rows[chosen].scrollIntoView({ block: 'nearest' });
  palette.querySelector('input').setAttribute('aria-activedescendant', rows[chosen].id);
}

palette.querySelector('input').addEventListener('input', (event) => look(event.target.value));
palette.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') { event.preventDefault(); choose(chosen + (event.key === 'ArrowDown' ? 1 : -1)); }
  if (event.key === 'Enter') { event.preventDefault(); const row = list.children[chosen]; if (row) go(row.dataset.url); }
});
list.addEventListener('click', (event) => { const row = event.target.closest('li'); if (row) go(row.dataset.url); });
palette.addEventListener('click', (event) => { if (event.target === palette) palette.close(); });
