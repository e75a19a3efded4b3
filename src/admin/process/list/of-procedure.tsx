import { useQuery } from '@tanstack/react-query'
import type { Procedure } from 'caseworker'
import type { ReactNode } from 'react'
import { config } from '../../api/me.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'

interface OfProcedureProps {
  shortId: string
  /** What the address says of the processes that the page is about. */
  search?: { hasBrokenFilter?: true | undefined }
  children: (procedure: Procedure) => ReactNode
}

/** A page of one procedure, or why there is none. */
export function OfProcedure({ shortId, search = {}, children }: OfProcedureProps) {
  const read = useQuery(config)
  return (
    <Loaded query={read}>
      {({ data: { procedures } }) => {
        const procedure = procedures.find(each => each.shortId === shortId || each.id === shortId)
        if (procedure && search.hasBrokenFilter)
          return (
            <Page title="Processes">
              <Empty
                icon="alert"
                title="The filter of this address can’t be read"
                action={
                  <LinkButton
                    to="/procedure/$procedureShortId/process"
                    params={{ procedureShortId: procedure.shortId }}
                    search={{}}
                  >
                    {`See all processes of ${procedure.name}`}
                  </LinkButton>
                }
              >
                A long address may have been cut where it was copied or sent. Nothing is shown of it.
              </Empty>
            </Page>
          )
        if (procedure) return children(procedure)
        return (
          <Page title="Processes">
            <Empty
              icon="procedure"
              title={`There is no procedure ${shortId}`}
              action={<LinkButton to="/process">See another procedure</LinkButton>}
            >
              It may have another short id, or the address is mistyped.
            </Empty>
          </Page>
        )
      }}
    </Loaded>
  )
}
