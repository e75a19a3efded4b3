import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Procedure } from 'caseworker'
import { useState } from 'react'
import { useConfig, useMay } from '../../api/me.ts'
import { formatProcessTitle, getStateName } from '../../api/procedure.ts'
import { read } from '../../api/read.ts'
import { Badge, Status } from '../../parts/badge.tsx'
import { isCode } from '../../parts/failure.ts'
import { Card, Page, Tabs } from '../../parts/page.tsx'
import { CustomerProcesses } from '../../parts/process/customer-processes.tsx'
import { FailureNote, Loading } from '../../parts/states.tsx'
import { OfProcedure } from '../list/of-procedure.tsx'
import { ProcessActions } from './actions.tsx'
import { CustomerCard } from './customer-card.tsx'
import { Fields } from './field/fields-card.tsx'
import type { ReadProcess } from './field/update.ts'
import { toListLink } from './list-link.ts'
import { ProcessMessages } from './message/messages.tsx'
import { NextStates } from './next-states.tsx'
import { AsOfBar } from './past/as-of.tsx'
import { DeletedProcess } from './past/deleted.tsx'
import { RevertDialog } from './past/revert.tsx'
import { ProcessTimeline } from './past/timeline.tsx'
import { Raw } from './raw.tsx'

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
    <Found
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

function Found({ procedure, id, now, shown, error, onRetry }: ProcessViewProps) {
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
