import { escapeHtml } from '../markup/html.ts'

export interface Link {
  href: string
  title: string
  /** Of an operation: its method. */
  method?: string
}

/** The links of a folder of the reference, or the guides. */
export interface MenuGroup {
  title: string
  links: readonly Link[]
}

export interface Menu {
  guides: MenuGroup
  /** The page about all operations, and one group for each folder. */
  reference: Link
  folders: readonly MenuGroup[]
}

/** All pages in the order of the menu: the one before and the one after a page are its neighbours. */
export const pagesOfMenu = ({ guides, reference, folders }: Menu): Link[] => [
  ...guides.links,
  reference,
  ...folders.flatMap(({ links }) => links),
]

/**
 * The menu at the side. On a small screen it is a popover that its button opens without a script. `sections` are the
 * headings of the page `path`.
 */
export function menuOf({ guides, reference, folders }: Menu, path: string, sections: readonly Link[]): string {
  const link = (to: Link) => linkOf(to, path)
  const item = (to: Link) => `<li>${link(to)}${to.href === path ? listOf(sections) : ''}</li>`
  const holds = ({ links }: MenuGroup) => links.some(({ href }) => href === path)
  const group = (each: MenuGroup, isOpen: boolean) =>
    `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(each.title)}</summary><ul>${each.links.map(item).join('')}</ul></details>`
  return `<nav id="menu" class="side" popover aria-label="Documentation">
${group(guides, !folders.some(holds))}
<ul class="first">${item(reference)}</ul>
${folders.map(each => group(each, holds(each))).join('\n')}
</nav>`
}

const listOf = (sections: readonly Link[]): string =>
  sections.length < 2
    ? ''
    : `<ul class="sections">${sections.map(({ href, title }) => `<li><a href="${href}">${escapeHtml(title)}</a></li>`).join('')}</ul>`

const SHORT: Record<string, string> = { delete: 'del' }

function linkOf({ href, title, method }: Link, path: string): string {
  const current = href === path ? ' aria-current="page"' : ''
  if (method === undefined) return `<a href="${href}"${current}>${escapeHtml(title)}</a>`
  const shown = (SHORT[method] ?? method).toUpperCase()
  return `<a href="${href}" class="to"${current}><span>${escapeHtml(title)}</span> <span class="verb ${method}">${shown}</span></a>`
}
