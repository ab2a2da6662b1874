// What is folded is fetched when it is unfolded.
import { part } from './page.js';

export async function fill(fold) {
  if (!fold.open || !fold.dataset.load || fold.dataset.full) return;
  fold.dataset.full = '1';
  const inside = fold.querySelector(':scope > div');
  inside.textContent = '…';
  try {
    inside.innerHTML = await part(fold.dataset.load);
  } catch {
    delete fold.dataset.full;
    inside.textContent = 'It could not be fetched: is the server still running?';
  }
  fold.dispatchEvent(new Event('axm-filled', { bubbles: true }));
}

export function listen(root) {
  root.addEventListener('toggle', (event) => fill(event.target), true);
}
