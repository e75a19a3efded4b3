import { useQuery } from '@tanstack/react-query'
import type { CallResult, PutProcedureBody } from 'caseworker'
import type { ReactNode } from 'react'
import { read } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { isSame } from '../parts/form/same.ts'
import { Loaded } from '../parts/states.tsx'
import { VersionsTable } from '../parts/table/versions-table.tsx'
import { definitionBody } from './definition.ts'
import { asSent } from './draft.ts'
import { type DefinitionDrift, listDrifts } from './merge-rules.ts'

const NAMES: Record<string, string> = {
  name: 'Name',
  startState: 'Start state',
  completedState: 'Completed state',
  primaryKey: 'Primary key',
  phoneAttribute: 'Phone number',
  strict: 'Refuses undeclared attributes',
}
const formatSubject = ({ subject, name }: DefinitionDrift): string =>
  subject === 'procedure' ? (NAMES[name] ?? name) : `${subject === 'state' ? 'State' : 'Attribute'} ${name}`

interface DefinitionConflictProps {
  procedureShortId: string
  base: PutProcedureBody
  mine: PutProcedureBody
  onClose: () => void
  onTheirs: (now: CallResult<'getProcedure'>) => void
  onBoth: (now: CallResult<'getProcedure'>) => void
}

/** Somebody else has saved the definition in between: both versions, and what to go on with. Nothing is saved by the choice. */
export function DefinitionConflict(props: DefinitionConflictProps) {
  const { procedureShortId, base, mine, onClose, onTheirs, onBoth } = props
  const fresh = useQuery({ ...read('getProcedure', { path: { procedureShortId } }), refetchOnMount: 'always' })
  const now = fresh.isFetchedAfterMount ? fresh.data : undefined
  return (
    <Dialog
      title="Somebody else has changed this definition"
      size="large"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button disabled={!now} onClick={() => now && onTheirs(now)}>
            Take theirs
          </Button>
          <Button tone="main" disabled={!now} onClick={() => now && onBoth(now)}>
            Put mine on theirs
          </Button>
        </>
      }
    >
      <p className="mb-3 text-ink-2">
        It was saved after you began. Nothing of yours is saved yet. “Put mine on theirs” keeps what they did, and of
        what you both changed, yours; you see what saving would do before you save.
      </p>
      <Loaded query={{ data: now, error: fresh.error, refetch: fresh.refetch }}>
        {({ data }) => {
          const theirs = asSent(definitionBody(data))
          return (
            <VersionsTable
              columns={['What', 'When you began', 'Theirs, now', 'Yours']}
              rows={listDrifts({ base, theirs, mine }).map(each => ({
                key: `${each.subject} ${each.name}`,
                name: formatSubject(each),
                versions: [
                  showValue(each.base),
                  showValue(each.theirs, !isSame(each.theirs, each.base) && 'text-warn'),
                  isSame(each.mine, each.base) ? AS_THEIRS : showValue(each.mine, 'text-accent'),
                ],
              }))}
            />
          )
        }}
      </Loaded>
    </Dialog>
  )
}

const AS_THEIRS = <span className="font-normal text-ink-3">as theirs</span>

function showValue(value: unknown, color: string | false = false): ReactNode {
  const text = inText(value)
  return <span className={color ? `${color} font-medium` : 'font-normal'}>{text}</span>
}

/** Formats a state or an attribute as one line, without its short id, which is before it. */
function inText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .filter(([field, each]) => field !== 'shortId' && (each !== false || field === 'startsHere') && each !== undefined)
    .map(([field, each]) => partText(field, each))
    .join(', ')
}

function partText(field: string, value: unknown): string {
  if (field === 'startsHere') return 'no process starts here'
  if (value === true) return field
  return Array.isArray(value) ? `${field}: ${value.join(', ')}` : String(value)
}
