// Parts that a page does not wait for, and work that goes on: told by the server as it happens.
import { part } from './page.js';
import { listen } from './fold.js';

listen(document);
for (const box of document.querySelectorAll('[data-part]')) {
  part(box.dataset.part).then((html) => { box.innerHTML = html; box.dataset.full = '1'; })
    .catch(() => { box.textContent = 'It could not be fetched: is the server still running?'; });
}

const places = [...document.querySelectorAll('[data-job]')];
let seen = null;

function show(job) {
  for (const place of places) {
    if (!job.name || (place.dataset.job !== 'any' && place.dataset.job !== job.name)) continue;
    const line = document.createElement('p');
    line.className = `job job-${job.state}`;
    const label = document.querySelector(`button[value="${CSS.escape(job.name)}"]`)?.textContent ?? 'Replaying sessions';
    if (job.state === 'running') {
      const share = job.total ? `${Math.floor((100 * job.done) / job.total)} %` : `${job.seconds ?? 0} s`;
      line.textContent = `${label}: ${share}`;
      if (job.total) { const bar = document.createElement('progress'); bar.max = job.total; bar.value = job.done; bar.ariaLabel = label; line.append(bar); }
    } else {
      line.textContent = `${label}: ${job.told}`;
    }
    place.replaceChildren(line);
    if (seen === 'running' && job.state === 'done') location.reload();
  }
  seen = job.state ?? null;
}

// While the page is looked at: every connection is one of the few that a browser has.
let events = null;
function follow() {
  if (document.hidden) { events?.close(); events = null; return; }
  if (events) return;
  events = new EventSource('/live');
  events.addEventListener('job', (event) => show(JSON.parse(event.data)));
  events.addEventListener('index', () => document.dispatchEvent(new Event('axm-index')));
}
document.addEventListener('visibilitychange', follow);
addEventListener('pagehide', () => events?.close());
follow();

// Where a page shows the newest, it says so when there is something newer.
const fresh = document.getElementById('fresh');
document.addEventListener('axm-index', () => { if (fresh) fresh.hidden = false; });
