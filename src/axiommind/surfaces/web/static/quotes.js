// Where some words of a transcript stand in what was made of it. Markdown has lost its signs by then and folded its
// blanks, so letters and digits alone are compared.

const COUNTS = /[\p{L}\p{N}\p{So}\p{Sc}]/u;

function lettersOf(root) {
  const letters = [];
  const places = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, {
    acceptNode: (node) => (node.parentElement.closest('.notes, header, summary') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT),
  });
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    let at = 0;
    for (const letter of node.data) {
      if (COUNTS.test(letter)) { letters.push(letter.toLowerCase()); places.push([node, at, letter.length]); }
      at += letter.length;
    }
  }
  return { letters, places };
}

/** The ranges in which these words stand; all of them, or the first. */
export function rangesOf(root, words, every = false) {
  const wanted = [...words].filter((letter) => COUNTS.test(letter)).map((letter) => letter.toLowerCase());
  if (!wanted.length) return [];
  const { letters, places } = lettersOf(root);
  const ranges = [];
  for (let at = letters.indexOf(wanted[0]); at >= 0 && at + wanted.length <= letters.length; at = letters.indexOf(wanted[0], at + 1)) {
    let n = 1;
    while (n < wanted.length && letters[at + n] === wanted[n]) n += 1;
    if (n < wanted.length) continue;
    const [first, from] = places[at];
    const [last, to, size] = places[at + wanted.length - 1];
    const range = new Range();
    range.setStart(first, from);
    range.setEnd(last, to + size);
    ranges.push(range);
    if (!every) break;
  }
  return ranges;
}
