// A scratchpad: lines that an address names, and saving by a key.
const named = location.hash.match(/^#L(\d+)/);
if (named && !new URLSearchParams(location.search).has('raw')) {
  const line = Number(named[1]);
  const blocks = [...document.querySelectorAll('[data-lines]')];
  const block = blocks.find((one) => { const [first, last] = one.dataset.lines.split('-').map(Number); return line >= first && line <= last; });
  block?.classList.add('is-cited');
  block?.scrollIntoView({ block: 'center' });
}
document.addEventListener('axm-key', ({ detail: key }) => { if (key === 'e') document.querySelector('[data-edit]')?.click(); });

const editor = document.querySelector('[data-editor]');
if (editor) {
  const field = editor.elements.text;
  const before = field.value;
  let isSaving = false;
  field.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') { event.preventDefault(); editor.requestSubmit(); }
  });
  editor.addEventListener('submit', () => { isSaving = true; });
  addEventListener('beforeunload', (event) => { if (!isSaving && field.value !== before) event.preventDefault(); });
}
