// Light or dark: as the system says, until the reader chooses.

const KEY = 'clearance-theme';

/** Calls `use('light' | 'dark')` now and at every change; the answer is a function that changes it by hand. */
export function themes(use) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  try {
    chosen = localStorage.getItem(KEY);
  } catch {
    // Some browsers keep nothing for pages that are files.
  }
  const now = () => (chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'dark' : 'light');
  const apply = () => {
    document.documentElement.dataset.theme = now();
    use(now());
  };
  system.addEventListener('change', apply);
  apply();
  return () => {
    chosen = now() === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // Then it holds for as long as the page is open.
    }
    apply();
  };
}
