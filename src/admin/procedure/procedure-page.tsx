import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Procedure } from 'caseworker'
import { formatCurl } from '../api/curl.ts'
import { useMay } from '../api/me.ts'
import { getStateName, type ProcedureAttribute } from '../api/procedure.ts'
import { read } from '../api/read.ts'
import { Badge } from '../parts/badge.tsx'
import { LinkButton } from '../parts/button.tsx'
import { Code, Copyable, Json } from '../parts/code.tsx'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { definitionBody } from './definition.ts'
import { ProcessTotal } from './process-total.tsx'
import { StateGraph } from './state-graph.tsx'

const route = getRouteApi('/frame/procedure/$procedureShortId')
const WITHIN = [{ label: 'Procedures', to: '/procedure' as const }]
/** The interval of reading while an index is being built. */
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
  const getAttributeName = (attribute: string | null) =>
    attributes.find(each => each.shortId === attribute)?.name ?? attribute
  const address = `/v1/ext/procedure/${encodeURIComponent(shortId)}`
  return (
    <>
      <Card title="About it">
        <Facts
          facts={[
            ['Short id', <Copyable key="shortId" text={shortId} />],
            ['Id', <Copyable key="id" text={id} />],
            ['Processes', may('process:read') ? <ProcessTotal key="processes" of={shortId} /> : null],
            ['Primary key', getAttributeName(primaryKey) ?? 'None'],
            ['Phone number', getAttributeName(phoneAttribute) ?? 'That of the customer'],
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
          <Code label="Fetch with curl" text={formatCurl('GET', address)} />
          <details>
            <summary className="text-[13px] text-ink-2">As JSON, and as a request that sets it</summary>
            <div className="mt-3 flex flex-col gap-3">
              <Json label="JSON" value={procedure} />
              <Code label="Set with curl" text={formatCurl('PUT', address, { body: definitionBody(procedure) })} />
            </div>
          </details>
        </div>
      </Card>
    </>
  )
}

/** The states as a drawing, and as a list for those who do not see it. */
function StatesCard({ procedure }: { procedure: Procedure }) {
  const { states, startState, completedState } = procedure
  return (
    <Card title="States">
      <div className="grid grid-cols-1 gap-6 md:grid-cols-[minmax(0,auto)_minmax(0,1fr)]">
        <figure className="min-w-0">
          <StateGraph procedure={procedure} />
          <figcaption className="mt-3 text-center text-[13px] text-ink-2">
            Round: start. Double line: completed.
          </figcaption>
        </figure>
        <ol aria-label="States" className="min-w-0">
          {states.map(({ shortId, name, next, status, startsHere }) => (
            <li key={shortId} className="border-b border-line py-2 first:pt-0 last:border-0">
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="font-medium">{name}</span>
                <code className="text-xs break-all text-ink-2">{shortId}</code>
                {shortId === startState && <Badge tone="info">Start</Badge>}
                {(shortId === completedState || status === 'COMPLETED') && <Badge tone="good">Completed</Badge>}
                {status === 'CANCELLED' && <Badge>Cancelled</Badge>}
              </div>
              <p className="mt-0.5 text-[13px] break-words text-ink-2">
                {followers(procedure, next)}
                {startsHere === false && '. No process is created here'}
              </p>
            </li>
          ))}
        </ol>
      </div>
    </Card>
  )
}

function followers(procedure: Procedure, next: string[] | undefined): string {
  if (next === undefined) return 'Then any state'
  if (next.length === 0) return 'The last one: nothing follows'
  return `Then ${next.map(each => getStateName(procedure, each)).join(', ')}`
}

const VALUES_SHOWN = 12
const CELL = 'px-4 py-2 text-left align-top'

function AttributesCard({ procedure }: { procedure: Procedure }) {
  const { attributes, strict } = procedure
  return (
    <Card title="Attributes" isBare>
      {attributes.length === 0 ? (
        <p className="p-4 text-ink-2">
          {strict
            ? 'None, and undeclared ones are refused.'
            : 'None is declared. Processes keep undeclared ones as they are.'}
        </p>
      ) : (
        <table className="w-full border-collapse text-[13px]">
          <caption className="sr-only">Attributes</caption>
          <thead>
            <tr className="border-b border-line text-ink-2">
              <th scope="col" className={`${CELL} font-medium`}>
                Name
              </th>
              <th scope="col" className={`${CELL} font-medium`}>
                Type
              </th>
              <th scope="col" className={`${CELL} font-medium max-sm:hidden`}>
                Rules
              </th>
            </tr>
          </thead>
          <tbody>
            {attributes.map(attribute => (
              <tr key={attribute.shortId} className="border-b border-line last:border-0">
                <td className={CELL}>
                  <div className="font-medium break-words">{attribute.name}</div>
                  <code className="text-xs break-all text-ink-2">{attribute.shortId}</code>
                  <div className="mt-1 sm:hidden">
                    <Rules attribute={attribute} procedure={procedure} />
                  </div>
                </td>
                <td className={CELL}>
                  <code className="text-xs">{attribute.type}</code>
                  {attribute.values && <AllowedValues values={attribute.values} />}
                </td>
                <td className={`${CELL} max-sm:hidden`}>
                  <Rules attribute={attribute} procedure={procedure} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}

function AllowedValues({ values }: { values: NonNullable<ProcedureAttribute['values']> }) {
  const more = values.length - VALUES_SHOWN
  const written = (some: typeof values) => some.map(String).join(', ')
  if (more <= 0) return <div className="mt-1 max-w-md break-words text-ink-2">{written(values)}</div>
  return (
    <details className="mt-1 max-w-md break-words text-ink-2">
      <summary>{`${written(values.slice(0, VALUES_SHOWN))} and ${more.toLocaleString()} more`}</summary>
      {written(values.slice(VALUES_SHOWN))}
    </details>
  )
}

function Rules({ attribute, procedure }: { attribute: ProcedureAttribute; procedure: Procedure }) {
  const { shortId, required, indexed, indexReady, searchable, searchReady, personal } = attribute
  return (
    <div className="flex flex-wrap gap-1">
      {shortId === procedure.primaryKey && <Badge tone="info">Primary key</Badge>}
      {shortId === procedure.phoneAttribute && <Badge tone="info">Phone number</Badge>}
      {required && <Badge>Required</Badge>}
      {indexed &&
        (indexReady === false ? <Badge tone="warn">Index not ready</Badge> : <Badge tone="good">Indexed</Badge>)}
      {searchable &&
        (searchReady === false ? <Badge tone="warn">Search not ready</Badge> : <Badge tone="good">Searchable</Badge>)}
      {personal && <Badge>Personal</Badge>}
    </div>
  )
}
