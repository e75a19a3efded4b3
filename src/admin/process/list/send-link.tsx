import type { Procedure } from 'caseworker'
import { useConfig, useMay } from '../../api/me.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import type { ListSearch } from './list-search.ts'

/** A template to all that the filter matches. A job has no search by words: with one it cannot be sent, and says why. */
export function SendLink({
  procedure: { shortId },
  search: { where, search },
}: {
  procedure: Procedure
  search: ListSearch
}) {
  const may = useMay()
  const plugins = useConfig()?.plugins ?? []
  if (!may('message:send') || plugins.length === 0) return null
  if (search !== undefined)
    return (
      <Button
        icon="send"
        disabled
        title="Messages go to what a filter finds, not to what a search finds: clear the search"
      >
        <span className="max-sm:sr-only">Send a message …</span>
      </Button>
    )
  return (
    <LinkButton
      icon="send"
      to="/procedure/$procedureShortId/send"
      params={{ procedureShortId: shortId }}
      search={where === undefined ? {} : { where }}
    >
      <span className="max-sm:sr-only">Send a message …</span>
    </LinkButton>
  )
}
