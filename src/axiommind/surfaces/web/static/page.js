// What the modules of pages share.

/** The project that is looked at, as addresses carry it. */
export function here() {
  const project = new URLSearchParams(location.search).get('project');
  return project ? { project } : {};
}

export function go(url) {
  location.assign(url);
}

/** A word to the person, for a moment. */
export function say(text) {
  const box = document.getElementById('said');
  box.textContent = text;
  box.classList.add('is-shown');
  clearTimeout(say.timer);
  say.timer = setTimeout(() => box.classList.remove('is-shown'), 2200);
}

/** A part of a page, made by the server. */
export async function part(url, signal) {
  const answer = await fetch(url, { signal, headers: { 'X-Part': '1' } });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.text();
}

/** After typing stops. */
export function calmly(act, wait) {
  let timer = 0;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => act(...given), wait); };
}
