import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Procedure } from 'caseworker'
import { curlOf } from '../api/curl.ts'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { LinkButton } from '../parts/button.tsx'
import { Code, Copyable, Json } from '../parts/code.tsx'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time/time.tsx'
import { AttributesCard } from './attributes-card.tsx'
import { definitionBody } from './definition-body.ts'
import { StatesCard } from './graph/states-card.tsx'
import { ProcessTotal } from './process-total.tsx'

const route = getRouteApi('/frame/procedure/$procedureShortId')
const WITHIN = [{ label: 'Procedures', to: '/procedure' as const }]
/** While an index is being built. */
const AGAIN_MS = 10_000

const isBuilding = ({ attributes }: Procedure): boolean =>
  attributes.some(({ indexReady, searchReady }) => indexReady === false || searchReady === false)

export function ProcedurePage() {
  const { procedureShortId } = route.useParams()
  const procedure = useQuery({
    ...read('getProcedure', { path: { procedureShortId } }),
    refetchInterval: ({ state }) => (state.data && isBuilding(state.data.data) ? AGAIN_MS : false),
  })
  const found = procedure.data?.data
  return (
    <Page title={found?.name ?? 'Procedure'} within={WITHIN} actions={found && <DefinitionActions procedure={found} />}>
      <Loaded query={procedure}>{({ data }) => <Definition procedure={data} />}</Loaded>
    </Page>
  )
}

function DefinitionActions({ procedure: { shortId } }: { procedure: Procedure }) {
  const may = useMay()
  const params = { procedureShortId: shortId }
  return (
    <>
      {may('process:read') && (
        <>
          <LinkButton icon="list" to="/procedure/$procedureShortId/process" params={params}>
            Processes
          </LinkButton>
          <LinkButton icon="board" to="/procedure/$procedureShortId/board" params={params}>
            Board
          </LinkButton>
        </>
      )}
      {may('config:write') && (
        <LinkButton icon="edit" to="/procedure/$procedureShortId/edit" params={params}>
          Change
        </LinkButton>
      )}
    </>
  )
}

function Definition({ procedure }: { procedure: Procedure }) {
  const may = useMay()
  const { id, shortId, primaryKey, phoneAttribute, strict, createdAt, updatedAt, attributes } = procedure
  const nameOf = (attribute: string | null) => attributes.find(each => each.shortId === attribute)?.name ?? attribute
  const address = `/v1/ext/procedure/${encodeURIComponent(shortId)}`
  return (
    <>
      <Card title="About it">
        <Facts
          facts={[
            ['Short id', <Copyable key="shortId" text={shortId} />],
            ['Id', <Copyable key="id" text={id} />],
            ['Processes', may('process:read') ? <ProcessTotal key="processes" of={shortId} /> : null],
            ['Primary key', nameOf(primaryKey) ?? 'None'],
            ['Phone number', nameOf(phoneAttribute) ?? 'That of the customer'],
            ['Undeclared attributes', strict ? 'Refused' : 'Kept as they are'],
            ['Created', <Time key="created" at={createdAt} />],
            ['Changed', <Time key="changed" at={updatedAt} />],
          ]}
        />
      </Card>
      <StatesCard procedure={procedure} />
      <AttributesCard procedure={procedure} />
      {isBuilding(procedure) && (
        <p className="text-[13px] text-ink-2">
          Not ready: the values of existing processes are being indexed, or a stored value does not fit the index.
          Filters work in any case; search by words waits.
        </p>
      )}
      <Card title="The same by the API">
        <div className="flex flex-col gap-3">
          <Code label="Fetch with curl" text={curlOf('GET', address)} />
          <details>
            <summary className="text-[13px] text-ink-2">As JSON, and as a request that sets it</summary>
            <div className="mt-3 flex flex-col gap-3">
              <Json label="JSON" value={procedure} />
              <Code label="Set with curl" text={curlOf('PUT', address, { body: definitionBody(procedure) })} />
            </div>
          </details>
        </div>
      </Card>
    </>
  )
}
