import { useQuery } from '@tanstack/react-query'
import type { Procedure } from 'caseworker'
import type { ReactNode } from 'react'
import { config } from '../../api/me.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'

interface OfProcedureProps {
  shortId: string
  children: (procedure: Procedure) => ReactNode
}

/** A page of one procedure, or why there is none. */
export function OfProcedure({ shortId, children }: OfProcedureProps) {
  const read = useQuery(config)
  return (
    <Loaded query={read}>
      {({ data: { procedures } }) => {
        const procedure = procedures.find(each => each.shortId === shortId || each.id === shortId)
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
