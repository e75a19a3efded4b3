import { useNavigate } from '@tanstack/react-router'
import type { Procedure, Process } from 'caseworker'
import { Button } from '../../../parts/button.tsx'
import { Copyable } from '../../../parts/code.tsx'
import { Card, Facts } from '../../../parts/page.tsx'
import { dataFields, rootFields } from '../../../parts/process/fields.ts'
import { FailureNote } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import { useBlame } from '../past/blame.ts'
import { FieldRow } from './field-row.tsx'
import { NewAttribute } from './new-attribute.tsx'
import type { ReadProcess } from './update.ts'

interface FieldsProps {
  procedure: Procedure
  read: ReadProcess
  canEdit: boolean
  /** The present process, where `read` is the past. */
  now?: Process | undefined
}

/** Shows all fields of a process, declared and undeclared, each edited in its place. */
export function Fields({ procedure, read, canEdit, now }: FieldsProps) {
  const navigate = useNavigate({ from: '/procedure/$procedureShortId/process/$id' })
  const { process } = read
  const { isAsked: blame, query: blamed, authors } = useBlame(process)
  const toggle = () =>
    void navigate({ search: ({ blame: _, ...before }) => (blame ? before : { ...before, blame: true }) })
  const row = (field: ReturnType<typeof rootFields>[number]) => (
    <FieldRow
      key={field.path}
      procedure={procedure}
      read={read}
      field={field}
      canEdit={canEdit}
      now={now}
      blame={authors?.[field.path]}
    />
  )
  return (
    <Card
      title="Fields"
      isBare
      actions={
        <Button tone="quiet" icon="user" aria-pressed={blame} isPending={blame && blamed.isPending} onClick={toggle}>
          {blame ? 'Hide who set them' : 'Who set them?'}
        </Button>
      }
    >
      {blame && blamed.error && (
        <div className="p-4">
          <FailureNote error={blamed.error} onRetry={() => void blamed.refetch()} />
        </div>
      )}
      {rootFields(procedure).map(row)}
      {dataFields(procedure, { ...process.data, ...now?.data }).map(row)}
      {canEdit && !procedure.strict && <NewAttribute procedure={procedure} read={read} />}
      <div className="border-t border-line bg-sunken px-4 py-3">
        <Facts
          facts={[
            ['Id', <Copyable key="id" text={process.id} />],
            ['Created', <Time key="created" at={process.createdAt} />],
            ['Changed', <Time key="updated" at={process.updatedAt} />],
            ['Completed', process.completedAt === 0 ? null : <Time key="completed" at={process.completedAt} />],
          ]}
        />
      </div>
    </Card>
  )
}
