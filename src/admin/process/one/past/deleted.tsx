import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Procedure, ProcessHistoryEntry } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../../../api/change.ts'
import { useMay } from '../../../api/me.ts'
import { formatProcessTitle } from '../../../api/procedure.ts'
import { listRows, read, readPages } from '../../../api/read.ts'
import { createFaultText } from '../../../parts/attribute/fault-text.ts'
import { Author } from '../../../parts/author/author.tsx'
import { Badge } from '../../../parts/badge.tsx'
import { Button, LinkButton } from '../../../parts/button.tsx'
import { Card, Page } from '../../../parts/page.tsx'
import { dataFields, rootFields, valueAt } from '../../../parts/process/fields.ts'
import { ShownValue } from '../../../parts/process/shown-value.tsx'
import { Empty, FailureNote, Loading } from '../../../parts/states.tsx'
import { toListLink } from '../../process-link.tsx'
import { PROCESS_READS } from '../../process-reads.ts'
import { PurgeQuestion } from '../../purge.tsx'
import { ProcessTimeline } from './timeline.tsx'

/** A process that is not there: deleted, so it may be restored, or never there. */
export function DeletedProcess({ procedure, id }: { procedure: Procedure; id: string }) {
  const path = { procedureShortId: procedure.shortId, processId: id }
  const history = useInfiniteQuery(readPages('listHistoryById', cursor => ({ path, query: { cursor } })))
  const within = [toListLink(procedure)]
  const last = listRows(history.data)[0]
  if (history.isPending) return <Loading />
  if (last?.type !== 'process.deleted')
    return (
      <Page title="No such process" within={within}>
        <Empty
          icon="search"
          title={`${procedure.name} has no process ${id}`}
          action={
            <LinkButton
              icon="list"
              to="/procedure/$procedureShortId/process"
              params={{ procedureShortId: procedure.shortId }}
            >
              {`See the processes of ${procedure.name}`}
            </LinkButton>
          }
        >
          The address may be mistyped, or the process was deleted so long ago that nothing of it is kept.
        </Empty>
      </Page>
    )
  return <Removed procedure={procedure} id={id} last={last} />
}

interface RemovedProps {
  procedure: Procedure
  id: string
  last: ProcessHistoryEntry
}

function Removed({ procedure, id, last }: RemovedProps) {
  const may = useMay()
  const navigate = useNavigate()
  const [isPurging, setPurging] = useState(false)
  const path = { procedureShortId: procedure.shortId, processId: id }
  const then = useQuery(read('getProcessById', { path, query: { asOf: String(last.version) } })).data?.data
  const restore = useChange('restoreProcess', { rereads: PROCESS_READS, done: 'It is restored', showsFailure: true })
  return (
    <Page
      title={formatProcessTitle(procedure, then ?? { id, data: {} })}
      within={[toListLink(procedure)]}
      mark={<Badge tone="bad">Deleted</Badge>}
      actions={
        <>
          {may('process:delete') && may('process:purge') && (
            <Button tone="quiet" icon="trash" onClick={() => setPurging(true)}>
              Purge …
            </Button>
          )}
          {may('process:write') && (
            <Button tone="main" icon="undo" isPending={restore.isPending} onClick={() => restore.mutate({ path })}>
              Restore
            </Button>
          )}
        </>
      }
    >
      <p className="text-ink-2">
        Deleted by <Author by={last.by} at={last.at} />
      </p>
      {isPurging && (
        <PurgeQuestion
          procedure={procedure}
          process={then ?? { id, data: {} }}
          onClose={() => setPurging(false)}
          onDone={() =>
            void navigate({ to: '/procedure/$procedureShortId/trash', params: { procedureShortId: procedure.shortId } })
          }
        />
      )}
      {restore.error && <FailureNote error={restore.error} words={createFaultText(procedure)} />}
      {then && (
        <Card title="As it was last" isBare>
          <dl>
            {[...rootFields(procedure), ...dataFields(procedure, then.data)].map(({ path: field, label }) => (
              <div
                key={field}
                className="grid grid-cols-[minmax(0,12rem)_minmax(0,1fr)] gap-x-4 border-b border-line px-4 py-2 last:border-0"
              >
                <dt className="text-[13px] break-words text-ink-2">{label}</dt>
                <dd className="min-w-0 break-words">
                  <ShownValue procedure={procedure} path={field} value={valueAt(then, field)} />
                </dd>
              </div>
            ))}
          </dl>
        </Card>
      )}
      <Card title="Timeline" isBare>
        <ProcessTimeline procedure={procedure} processId={id} now={undefined} />
      </Card>
    </Page>
  )
}
