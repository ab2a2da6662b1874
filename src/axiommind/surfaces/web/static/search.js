// Search as one types. Without it the form is a form.
import { calmly, part } from './page.js';
import { listen } from './fold.js';

const form = document.getElementById('search');
const field = form.elements.q;
const hits = document.getElementById('hits');
let asking = null;

function address() {
  const given = [...new FormData(form)].filter(([name, value]) => value && !(name === 'mode' && value === 'auto'));
  return `/search?${new URLSearchParams(given)}`;
}

async function look() {
  asking?.abort();
  asking = new AbortController();
  const url = address();
  try {
    hits.innerHTML = await part(url, asking.signal);
    history.replaceState(null, '', url);
    document.title = field.value ? `${field.value} · Search` : 'Search';
  } catch (error) {
    if (error.name !== 'AbortError') form.submit();
  }
}

const soon = calmly(look, 130);
field.addEventListener('input', soon);
form.addEventListener('change', look);
form.addEventListener('submit', (event) => { event.preventDefault(); look(); hits.querySelector('a')?.focus(); });
listen(document);
