import type { Procedure } from 'caseworker'
import { useConfig, useMay } from '../../api/me.ts'
import { LinkButton } from '../../parts/button.tsx'
import type { ListSearch } from './list-search.ts'

/** A template to all that the filter matches. Not with a search by words: a job has none. */
export function SendLink({
  procedure: { shortId },
  search: { where, search },
}: {
  procedure: Procedure
  search: ListSearch
}) {
  const may = useMay()
  const plugins = useConfig()?.plugins ?? []
  if (!may('message:send') || plugins.length === 0 || search !== undefined) return null
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
