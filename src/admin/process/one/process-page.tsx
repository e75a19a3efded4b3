import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Blame, Procedure, Process } from 'caseworker'
import { useState } from 'react'
import { formatCurl } from '../../api/curl.ts'
import { useConfig, useMay } from '../../api/me.ts'
import { formatProcessTitle, getStateName } from '../../api/procedure.ts'
import { read } from '../../api/read.ts'
import { Author } from '../../parts/author/author.tsx'
import { Badge, Status } from '../../parts/badge.tsx'
import { Code, Json } from '../../parts/code.tsx'
import { CustomerValue } from '../../parts/customer/customer-value.tsx'
import { isCode } from '../../parts/failure.ts'
import { Go } from '../../parts/go.tsx'
import { Card, Facts, Page, Tabs } from '../../parts/page.tsx'
import { CustomerProcesses } from '../../parts/process/customer-processes.tsx'
import { FailureNote, Loading } from '../../parts/states.tsx'
import { OfProcedure } from '../list/of-procedure.tsx'
import { toListLink } from '../process-link.tsx'
import { NextStates, ProcessActions } from './actions.tsx'
import { Fields } from './field/fields-card.tsx'
import type { ReadProcess } from './field/update.ts'
import { ProcessMessages } from './message/messages.tsx'
import { AsOfBar } from './past/as-of.tsx'
import { useBlame } from './past/blame.ts'
import { DeletedProcess } from './past/deleted.tsx'
import { RevertDialog } from './past/revert.tsx'
import { ProcessTimeline } from './past/timeline.tsx'

const ADDRESS = '/procedure/$procedureShortId/process/$id' as const

/** A process: its fields, what happened to it, its messages, its customer. */
export function ProcessPage() {
  const { procedureShortId, id } = useParams({ from: `/frame${ADDRESS}` })
  const { asOf } = useSearch({ from: `/frame${ADDRESS}` })
  return (
    <OfProcedure shortId={procedureShortId}>
      {procedure => <OneProcess key={id} procedure={procedure} id={id} asOf={asOf} />}
    </OfProcedure>
  )
}

function OneProcess({ procedure, id, asOf }: { procedure: Procedure; id: string; asOf: string | undefined }) {
  const path = { procedureShortId: procedure.shortId, processId: id }
  const now = useQuery(read('getProcessById', { path }))
  const then = useQuery({ ...read('getProcessById', { path, query: { asOf } }), enabled: asOf !== undefined })
  const shown = asOf === undefined ? now : then
  if (shown.error && isCode(now.error, 'not_found') && asOf === undefined)
    return <DeletedProcess procedure={procedure} id={id} />
  return (
    <ProcessView
      procedure={procedure}
      id={id}
      now={now.data && { process: now.data.data, etag: now.data.headers.get('etag') ?? '' }}
      shown={shown.data && { process: shown.data.data, etag: shown.data.headers.get('etag') ?? '' }}
      error={shown.data ? undefined : shown.error}
      onRetry={() => void shown.refetch()}
    />
  )
}

interface ProcessViewProps {
  procedure: Procedure
  id: string
  now: ReadProcess | undefined
  /** The shown process: the present one, or an earlier version. */
  shown: ReadProcess | undefined
  error: unknown
  onRetry: () => void
}

function ProcessView({ procedure, id, now, shown, error, onRetry }: ProcessViewProps) {
  const { asOf, tab = 'history', ...search } = useSearch({ from: `/frame${ADDRESS}` })
  const may = useMay()
  const procedures = useConfig()?.procedures ?? []
  const navigate = useNavigate({ from: ADDRESS })
  const [reverted, setReverted] = useState<number>()
  const { shortId, name } = procedure
  const canEdit = asOf === undefined && may('process:write')
  const to = (chosen?: 'messages' | 'customer' | 'json') => ({
    to: ADDRESS,
    params: { procedureShortId: shortId, id },
    search: { ...search, ...(asOf === undefined ? {} : { asOf }), ...(chosen ? { tab: chosen } : {}) },
  })
  const record = shown?.process.record
  return (
    <Page
      title={shown ? formatProcessTitle(procedure, shown.process) : name}
      within={[toListLink(procedure)]}
      isWide
      mark={
        shown && (
          <>
            <Status of={shown.process.status} />
            <Badge>{getStateName(procedure, shown.process.state)}</Badge>
            {shown.process.isDeleted && <Badge tone="bad">Deleted</Badge>}
          </>
        )
      }
      actions={
        asOf === undefined &&
        now && (
          <>
            <AsOfBar asOf={undefined} />
            <ProcessActions procedure={procedure} read={now} />
          </>
        )
      }
    >
      {asOf !== undefined && <AsOfBar asOf={asOf} onRevert={now && may('process:write') ? setReverted : undefined} />}
      {now && reverted !== undefined && (
        <RevertDialog
          procedure={procedure}
          now={now}
          version={reverted}
          onClose={() => setReverted(undefined)}
          onDone={() => void navigate({ search: ({ asOf: _, ...before }) => before })}
        />
      )}
      {error ? <FailureNote error={error} onRetry={onRetry} /> : null}
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 grid-cols-1 items-start gap-4 min-[1700px]:grid-cols-2">
          {shown ? (
            <Fields
              procedure={procedure}
              read={shown}
              canEdit={canEdit}
              now={asOf === undefined ? undefined : now?.process}
            />
          ) : (
            !error && <Loading />
          )}
          <div className="min-w-0">
            <Tabs
              label="More about it"
              tabs={[
                { label: 'Timeline', ...to() },
                ...(may('message:read') ? [{ label: 'Messages', ...to('messages') }] : []),
                ...(record ? [{ label: 'Customer’s processes', ...to('customer') }] : []),
                { label: 'JSON and curl', ...to('json') },
              ]}
            />
            <div className="mt-3">
              {tab === 'history' && (
                <Card isBare>
                  <ProcessTimeline procedure={procedure} processId={id} now={may('process:write') ? now : undefined} />
                </Card>
              )}
              {tab === 'messages' && may('message:read') && <ProcessMessages processId={id} process={now?.process} />}
              {tab === 'customer' && record && (
                <CustomerProcesses recordId={record.id} procedures={procedures} current={id} />
              )}
              {tab === 'json' && shown && (
                <Raw
                  address={`/procedure/${shortId}/process/${id}${asOf === undefined ? '' : `?asOf=${asOf}`}`}
                  value={shown.process}
                  etag={shown.etag}
                />
              )}
            </div>
          </div>
        </div>
        {shown && (
          <aside className="flex min-w-0 flex-col gap-4 max-lg:order-first">
            {canEdit && <NextStates procedure={procedure} read={shown} />}
            <CustomerCard process={shown.process} />
          </aside>
        )}
      </div>
    </Page>
  )
}

const LINK = 'text-[13px] text-accent hover:underline'

/** Shows the customer of a process. */
function CustomerCard({ process }: { process: Process }) {
  const { record } = process
  const { authors } = useBlame(process)
  if (record === null)
    return (
      <Card title="Customer">
        <p className="text-[13px] text-ink-2">Nobody: it was created without one, or the customer was erased.</p>
      </Card>
    )
  const entries = Object.entries(record.data)
  return (
    <Card
      title="Customer"
      actions={
        <Go to={`/customer/${record.id}`} className={LINK}>
          Open
        </Go>
      }
    >
      {entries.length === 0 ? (
        <p className="text-[13px] text-ink-2">Nothing is known of this customer.</p>
      ) : (
        <Facts
          facts={entries.map(([name, value]) => [
            name,
            <div key={name}>
              <CustomerValue name={name} value={value} />
              <SetBy blame={authors?.[`record.${name}`]} />
            </div>,
          ])}
        />
      )}
    </Card>
  )
}

function SetBy({ blame }: { blame: Blame | null | undefined }) {
  if (blame === undefined) return null
  return (
    <div className="text-xs text-ink-2">
      {blame ? <Author by={blame.by} at={blame.at} /> : 'Older than what is kept'}
    </div>
  )
}

const SAMPLE_CHANGE = { data: {} }

interface RawProps {
  /** The address below `/v1/ext`. */
  address: string
  value: unknown
  etag?: string | null | undefined
}

/** Shows the response of the API, and the request for it. */
function Raw({ address, value, etag }: RawProps) {
  const path = `/v1/ext${address}`
  return (
    <div className="flex flex-col gap-4">
      <Card title="The same by the API">
        <div className="flex flex-col gap-3">
          <p className="text-ink-2">
            Fetch it; <code>$TOKEN</code> is an API key.
          </p>
          <Code label="Fetch with curl" text={formatCurl('GET', path)} />
          {!address.includes('?') && (
            <>
              <p className="text-ink-2">Change it, if it is still as it is shown here:</p>
              <Code
                label="Change with curl"
                text={formatCurl('PUT', path, {
                  body: SAMPLE_CHANGE,
                  ...(etag ? { headers: { 'if-match': etag } } : {}),
                })}
              />
            </>
          )}
        </div>
      </Card>
      <Card title="JSON">
        <Json label="JSON" value={value} />
      </Card>
    </div>
  )
}
