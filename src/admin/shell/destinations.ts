import { useConfig, useMay } from '../api/me.ts'
import type { IconName } from '../parts/icon.tsx'
import { useFoundById } from './found-by-id.ts'
import { MENU } from './menu-entries.ts'

/** A destination of the palette. */
export interface Destination {
  key: string
  label: string
  kind: string
  icon: IconName
  /** A path below `/admin`. */
  href: string
}

/** Returns whether the label has each word of the text. */
export const fits = (label: string, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every(word => label.toLowerCase().includes(word))

/** The process or customer that the text names, and the pages whose name has all its words. */
export function useDestinations(text: string): Destination[] {
  const may = useMay()
  const procedures = useConfig()?.procedures ?? []
  const found = useFoundById(text)
  const pages = MENU.flatMap(({ title, entries }) =>
    entries
      .filter(({ needs }) => may(needs))
      .map(({ label, icon, to }): Destination => ({ key: to, label, kind: title, icon, href: to })),
  )
  const lists = procedures.flatMap(({ shortId, name }): Destination[] => {
    const address = `/procedure/${encodeURIComponent(shortId)}`
    return [
      { key: `${shortId} process`, label: name, kind: 'Processes', icon: 'list', href: `${address}/process` },
      {
        key: `${shortId} board`,
        label: `${name}: board`,
        kind: 'Processes',
        icon: 'columns',
        href: `${address}/board`,
      },
      { key: `${shortId} trash`, label: `${name}: trash`, kind: 'Processes', icon: 'trash', href: `${address}/trash` },
      ...(may('process:write')
        ? ([
            { key: `${shortId} new`, label: `${name}: new`, kind: 'Processes', icon: 'plus', href: `${address}/new` },
            {
              key: `${shortId} import`,
              label: `${name}: import a file`,
              kind: 'Processes',
              icon: 'upload',
              href: `${address}/import`,
            },
          ] as const)
        : []),
    ]
  })
  const definitions = procedures.map(
    ({ shortId, name }): Destination => ({
      key: `${shortId} definition`,
      label: `${name}: definition`,
      kind: 'Procedures',
      icon: 'procedure',
      href: `/procedure/${encodeURIComponent(shortId)}`,
    }),
  )
  const all = [...pages, ...(may('process:read') ? lists : []), ...(may('config:read') ? definitions : [])]
  return [...found, ...all.filter(({ label, kind }) => fits(`${label} ${kind}`, text))]
}
