// A document opens at the lines that are cited.
document.querySelector('.is-cited')?.scrollIntoView({ block: 'center' });
