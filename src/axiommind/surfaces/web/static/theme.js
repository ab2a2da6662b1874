// Before anything is painted: the theme that was chosen here.
try {
  const chosen = localStorage.getItem('axm-theme');
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch { /* a browser that keeps nothing follows the system */ }
document.documentElement.classList.add('js');
