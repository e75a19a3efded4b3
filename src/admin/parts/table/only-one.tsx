import { Go } from '../go.tsx'

interface OneSearch {
  /** The only one of a list that is shown: where a link led to it. */
  id?: string
}

export const readOneSearch = ({ id }: Record<string, unknown>): OneSearch =>
  typeof id === 'string' && id !== '' ? { id } : {}

interface OnlyOneProps {
  id: string | undefined
  /** How many of that id there are. */
  found: number
  /** "user" */
  noun: string
  /** Why one may not be there. */
  gone: string
  /** The list of all, below `/admin`. */
  to: string
}

/** Above a list of which the address names one: that it is only that one, and the way to all. */
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
