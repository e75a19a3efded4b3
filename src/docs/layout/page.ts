import { VERSION } from '../../health/version.ts'
import { escapeHtml } from '../markup/html.ts'
import { ICONS, LOGO } from './icons.ts'
import { type Link, type Menu, menuOf, pagesOfMenu } from './menu.ts'

export interface PageContent {
  title: string
  /** The path of this page, which the menu marks. */
  path: string
  /** The origin of this installation. */
  origin: string
  /** One or two sentences, for search engines and for those who share a link. */
  description: string
  body: string
  menu: Menu
  /** The headings of the page, for the menu. */
  sections?: readonly Link[]
  /** A page of the reference has two columns, and a script for its form. */
  isWide?: boolean
  script?: string
}

/** The layout of a page. All of it works without a script: the menu, the tabs of samples, the search. */
export function page({
  title,
  path,
  origin,
  description,
  body,
  menu,
  sections = [],
  isWide,
  script,
}: PageContent): string {
  const [name, about] = [`${escapeHtml(title)} · Caseworker`, escapeHtml(description)]
  const address = escapeHtml(origin + path)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<meta name="description" content="${about}">
${isAddress(path) ? `<link rel="canonical" href="${address}">\n` : ''}<meta property="og:title" content="${name}">
<meta property="og:description" content="${about}">
<meta property="og:type" content="article">
${isAddress(path) ? `<meta property="og:url" content="${address}">\n` : ''}<meta property="og:site_name" content="Caseworker">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="search" href="/docs/search" title="Search the documentation">
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/theme.js"></script>
<script type="module" src="/docs/page.js"></script>${script === undefined ? '' : `\n<script type="module" src="${script}"></script>`}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button type="button" class="open-menu" popovertarget="menu" aria-label="Menu">${ICONS.menu}</button>
<a class="brand" href="/docs">${LOGO}<span>Caseworker</span></a> <a class="version" href="/docs/changelog" aria-label="Version ${VERSION}: changelog">${VERSION}</a>
<a class="find" href="/docs/search">${ICONS.search}<span>Search</span> <kbd>/</kbd></a>
<nav class="main" aria-label="Main">
${topLink('/docs/start', 'Guides', path, menu.guides.links)}
${topLink(menu.reference.href, 'API reference', path, [menu.reference, ...menu.folders.flatMap(({ links }) => links)])}
</nav>
<button type="button" class="theme" hidden>${ICONS.system}${ICONS.light}${ICONS.dark}</button>
</header>
<div class="layout">
${menuOf(menu, path, sections)}
<main id="content"${isWide === true ? ' class="wide"' : ''}>
${body}
${neighbours(pagesOfMenu(menu), path)}
${FOOT}
</main>
</div>
</body>
</html>
`
}

/** The page that is shown where there is none has no address of its own. */
const isAddress = (path: string): boolean => !path.endsWith('*')

/** The part of the documentation that the page belongs to is marked. */
const topLink = (href: string, title: string, path: string, pages: readonly Link[]): string =>
  `<a href="${href}"${pages.some(each => each.href === path) ? ' aria-current="true"' : ''}>${title}</a>`

/** Links to the previous and the next page. */
function neighbours(pages: readonly Link[], path: string): string {
  const at = pages.findIndex(({ href }) => href === path)
  if (at < 0) return ''
  const [before, after] = [pages[at - 1], pages[at + 1]]
  const to = (place: 'prev' | 'next', { href, title }: Link) =>
    `<a class="${place}" rel="${place}" href="${href}"><span>${place === 'prev' ? 'Previous' : 'Next'}</span> ${escapeHtml(title)}</a>`
  return `<nav class="neighbours" aria-label="Previous and next page">${before ? to('prev', before) : ''}${after ? to('next', after) : ''}</nav>`
}

const FOOT = `<footer class="foot">
<p>Caseworker ${VERSION} · <a href="/docs/changelog">Changelog</a> · <a href="/docs/licence">MIT licence</a> · <a href="/docs/security">Report a vulnerability</a></p>
<p><a href="/openapi.json">openapi.json</a> · <a href="/postman.json">Postman collection</a> · <a href="/v1/health">Health of the service</a></p>
</footer>`
