import type { Procedure } from 'caseworker'
import { useConfig, useMay } from '../../api/me.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Popover } from '../../parts/choice/popover.tsx'
import type { ListSearch } from './list-search.ts'

/** A template to all that the filter matches. A job has no search by words: with one it cannot be sent, and the button says why. */
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
      <Popover
        label="Why no message can be sent"
        align="end"
        trigger={
          <Button icon="send" className="opacity-50">
            <span className="max-sm:sr-only">Send a message …</span>
          </Button>
        }
      >
        <p className="max-w-64 p-1">
          Messages go to what a filter finds, not to what a search finds. Clear the search to send one.
        </p>
      </Popover>
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
