const icon = (name: string, inside: string): string =>
  `<svg class="icon ${name}" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${inside}</svg>`

/** The same drawing as the page's icon, `site/docs/icon.svg`, in the colours of the theme. */
export const LOGO =
  '<svg class="logo" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><rect width="32" height="32" rx="7" fill="var(--accent)"/><path d="M9 11h14v12H9zM13 11V8h6v3" fill="none" stroke="var(--accent-ink)" stroke-width="2.4" stroke-linejoin="round"/></svg>'

export const ICONS = {
  menu: icon('menu', '<path d="M4 6h16M4 12h16M4 18h16"/>'),
  search: icon('search', '<circle cx="11" cy="11" r="7"/><path d="m20 20-3.5-3.5"/>'),
  system: icon('system', '<circle cx="12" cy="12" r="9"/><path d="M12 3v18a9 9 0 0 0 0-18" fill="currentColor"/>'),
  light: icon(
    'light',
    '<circle cx="12" cy="12" r="4"/><path d="M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M19 5l-1.5 1.5M6.5 17.5 5 19"/>',
  ),
  dark: icon('dark', '<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z"/>'),
} as const
