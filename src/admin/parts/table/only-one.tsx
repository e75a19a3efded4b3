import { Go } from '../go.tsx'

interface OneSearch {
  /** The only one of a list that is shown: where a link led to it. */
  id?: string
}

export const readOneSearch = ({ id }: Record<string, unknown>): OneSearch =>
  typeof id === 'string' && id !== '' ? { id } : {}

interface OnlyOneProps {
  id: string | undefined
  /** The number of items with that id. */
  found: number
  /** "user" */
  noun: string
  /** The reason why there may be none. */
  gone: string
  /** The list of all, below `/admin`. */
  to: string
}

/** Says above a list that the address selects one item, and links to all. */
export function OnlyOne({ id, found, noun, gone, to }: OnlyOneProps) {
  if (id === undefined) return null
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 text-ink-2">
      {found > 0 ? `Only the ${noun} that the link led to.` : gone}
      <Go to={to} className="text-accent underline">
        Show all
      </Go>
    </p>
  )
}
