import { escapeHtml } from '../markup/markdown.ts'

export interface Link {
  href: string
  title: string
}

interface Page {
  title: string
  /** The path of this page, which the menu marks. */
  path: string
  reference: Link
  guides: readonly Link[]
  body: string
  /** The reference has more menu entries, and a script. */
  menu?: string
  script?: string
}

/** The layout of a page: the menu at the side, or on top on a small screen. */
export const page = ({ title, path, reference, guides, body, menu = '', script }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Caseworker</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
<script type="module" src="/docs/page.js"></script>
${script === undefined ? '' : `<script type="module" src="${script}"></script>`}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="layout">
<nav class="side" aria-label="Documentation">
<a class="brand" href="/docs">Caseworker</a>
<details open>
<summary>Menu</summary>
<div>
<ul class="first"><li>${link(reference, path)}</li></ul>
${menu}
<h2>Guides</h2>
<ul>
${guides.map(guide => `<li>${link(guide, path)}</li>`).join('\n')}
</ul>
</div>
</details>
</nav>
<main id="content"${path === reference.href ? ' class="wide"' : ''}>
${body}
${neighbours([reference, ...guides], path)}
</main>
</div>
</body>
</html>
`

const link = ({ href, title }: Link, path: string): string =>
  `<a href="${href}"${href === path ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`

/** Links to the previous and the next page. */
function neighbours(pages: Link[], path: string): string {
  const at = pages.findIndex(({ href }) => href === path)
  if (at < 0) return ''
  const [before, after] = [pages[at - 1], pages[at + 1]]
  const to = (place: string, { href, title }: Link) =>
    `<a class="${place}" rel="${place}" href="${href}"><span>${place === 'prev' ? 'Previous' : 'Next'}</span> ${escapeHtml(title)}</a>`
  return `<footer class="foot">${before ? to('prev', before) : ''}${after ? to('next', after) : ''}</footer>`
}
