import { VERSION } from '../health/version.ts'
import { escapeHtml } from './markup.ts'

export interface Link {
  href: string
  title: string
  /** The method of an operation. */
  method?: string
}

interface MenuGroup {
  title: string
  links: readonly Link[]
}

export interface Menu {
  guides: MenuGroup
  /** The page about all operations, and one group for each folder of them. */
  reference: Link
  folders: readonly MenuGroup[]
}

/** The contents of a page, without its frame. */
export interface Content {
  body: string
  /** One or two sentences, for search engines and for people who share a link. */
  description: string
  /** The headings of the page, for the menu. */
  sections?: readonly Link[]
}

export interface Page extends Content {
  /** The path of this page, which the menu marks. The page for addresses without one has none. */
  path?: string
  title: string
  /** Whether it is a page of the reference, which has two columns, and a script for its form. */
  isOperation?: true
}

/** Lists all pages in the order of the menu, in which the one before and the one after a page are its neighbours. */
export const listPages = ({ guides, reference, folders }: Menu): Link[] => [
  ...guides.links,
  reference,
  ...folders.flatMap(({ links }) => links),
]

/** Renders the frame of a page. It works without a script: the menu opens, the tabs of samples change. */
export function renderPage(
  { path = '', title, description, body, sections = [], isOperation }: Page,
  menu: Menu,
): string {
  const [name, about] = [`${escapeHtml(title)} · Caseworker`, escapeHtml(description)]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<meta name="description" content="${about}">${path === '' ? '' : `\n<link rel="canonical" href="${path}">`}
<meta property="og:title" content="${name}">
<meta property="og:description" content="${about}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="Caseworker">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="search" href="/docs/search" title="Search the documentation">
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/theme.js"></script>
<script type="module" src="/docs/page.js"></script>${isOperation ? '\n<script type="module" src="/docs/try.js"></script>' : ''}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button type="button" class="open-menu" popovertarget="menu" aria-label="Menu">${ICONS.menu}</button>
<a class="brand" href="/docs">${LOGO}<span>Caseworker</span></a> <a class="version" href="/docs/changelog" aria-label="Version ${VERSION}: changelog">${VERSION}</a>
<a class="find" href="/docs/search">${ICONS.search}<span>Search</span> <kbd>/</kbd></a>
<nav class="main" aria-label="Main">
${renderTopLink('/docs/start', 'Guides', path, menu.guides.links)}
${renderTopLink(menu.reference.href, 'API reference', path, [menu.reference, ...menu.folders.flatMap(({ links }) => links)])}
</nav>
<button type="button" class="theme" hidden>${ICONS.system}${ICONS.light}${ICONS.dark}</button>
</header>
<div class="layout">
${renderMenu(menu, path, sections)}
<main id="content"${isOperation ? ' class="wide"' : ''}>
${body}
${renderNeighbours(listPages(menu), path)}
${FOOT}
</main>
</div>
</body>
</html>
`
}

/** Renders a link at the top. The part of the documentation to which the page belongs is marked. */
const renderTopLink = (href: string, title: string, path: string, pages: readonly Link[]): string =>
  `<a href="${href}"${pages.some(page => page.href === path) ? ' aria-current="true"' : ''}>${title}</a>`

/** Renders the menu at the side. On a small screen it is a popover, which its button opens without a script. */
function renderMenu({ guides, reference, folders }: Menu, path: string, sections: readonly Link[]): string {
  const item = (link: Link) =>
    `<li>${renderMenuLink(link, path)}${link.href === path ? renderSectionList(sections) : ''}</li>`
  const holdsPage = ({ links }: MenuGroup) => links.some(({ href }) => href === path)
  const group = ({ title, links }: MenuGroup, isOpen: boolean) =>
    `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${links.map(item).join('')}</ul></details>`
  return `<nav id="menu" class="side" popover aria-label="Documentation">
${group(guides, !folders.some(holdsPage))}
<ul class="first">${item(reference)}</ul>
${folders.map(folder => group(folder, holdsPage(folder))).join('\n')}
</nav>`
}

const renderSectionList = (sections: readonly Link[]): string =>
  sections.length < 2
    ? ''
    : `<ul class="sections">${sections.map(({ href, title }) => `<li><a href="${href}">${escapeHtml(title)}</a></li>`).join('')}</ul>`

function renderMenuLink({ href, title, method }: Link, path: string): string {
  const current = href === path ? ' aria-current="page"' : ''
  if (method === undefined) return `<a href="${href}"${current}>${escapeHtml(title)}</a>`
  const shortMethod = method === 'delete' ? 'DEL' : method.toUpperCase()
  return `<a href="${href}" class="to"${current}><span>${escapeHtml(title)}</span> <span class="verb ${method}">${shortMethod}</span></a>`
}

/** Renders links to the previous and the next page. */
function renderNeighbours(pages: readonly Link[], path: string): string {
  const at = pages.findIndex(({ href }) => href === path)
  if (at < 0) return ''
  const link = (rel: 'prev' | 'next', to: Link | undefined) =>
    to === undefined
      ? ''
      : `<a class="${rel}" rel="${rel}" href="${to.href}"><span>${rel === 'prev' ? 'Previous' : 'Next'}</span> ${escapeHtml(to.title)}</a>`
  return `<nav class="neighbours" aria-label="Previous and next page">${link('prev', pages[at - 1])}${link('next', pages[at + 1])}</nav>`
}

const FOOT = `<footer class="foot">
<p>Caseworker ${VERSION} · <a href="/docs/changelog">Changelog</a> · <a href="/docs/licence">MIT licence</a> · <a href="/docs/security">Report a vulnerability</a></p>
<p><a href="/openapi.json">openapi.json</a> · <a href="/postman.json">Postman collection</a> · <a href="/v1/health">Health of the service</a></p>
</footer>`

const renderIcon = (name: string, inside: string): string =>
  `<svg class="icon ${name}" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${inside}</svg>`

/** The drawing of the page's icon, `site/docs/icon.svg`, in the colours of the theme. */
const LOGO =
  '<svg class="logo" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><rect width="32" height="32" rx="7" fill="var(--accent)"/><path d="M9 11h14v12H9zM13 11V8h6v3" fill="none" stroke="var(--accent-ink)" stroke-width="2.4" stroke-linejoin="round"/></svg>'

const ICONS = {
  menu: renderIcon('menu', '<path d="M4 6h16M4 12h16M4 18h16"/>'),
  search: renderIcon('search', '<circle cx="11" cy="11" r="7"/><path d="m20 20-3.5-3.5"/>'),
  system: renderIcon(
    'system',
    '<circle cx="12" cy="12" r="9"/><path d="M12 3v18a9 9 0 0 0 0-18" fill="currentColor"/>',
  ),
  light: renderIcon(
    'light',
    '<circle cx="12" cy="12" r="4"/><path d="M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M19 5l-1.5 1.5M6.5 17.5 5 19"/>',
  ),
  dark: renderIcon('dark', '<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z"/>'),
} as const
