import { useQuery } from '@tanstack/react-query'
import type { Procedure, Process } from 'caseworker'
import { read } from '../../../api/read.ts'
import { createFaultText } from '../../../parts/attribute/fault-text.ts'
import { ConflictDialog } from '../../../parts/conflict-dialog.tsx'
import { isSame } from '../../../parts/form/same.ts'
import { differences, fieldNamed, valueAt } from '../../../parts/process/fields.ts'
import { ShownValue } from '../../../parts/process/shown-value.tsx'
import { PROCESS_READS } from '../../process-reads.ts'
import type { Conflict } from './update.ts'

interface ProcessConflictProps {
  procedure: Procedure
  conflict: Conflict
  onClose: () => void
  onDone: () => void
}

const AS_THEIRS = <span className="font-normal text-ink-3">as theirs</span>

/** Somebody else has changed the process in between. */
export function ProcessConflict({ procedure, conflict: { base, body }, onClose, onDone }: ProcessConflictProps) {
  const path = { procedureShortId: base.procedureShortId, processId: base.id }
  const fresh = useQuery({ ...read('getProcessById', { path }), refetchOnMount: 'always' })
  const { data = {}, ...fields } = body
  const mine: Record<string, unknown> = { ...fields }
  for (const [name, value] of Object.entries(data)) mine[`data.${name}`] = value
  const formatVersions = (path: string, now: Process) => {
    const shown = (value: unknown) => <ShownValue procedure={procedure} path={path} value={value} />
    const [before, after] = [valueAt(base, path), valueAt(now, path)]
    const theirs = isSame(before, after) ? shown(after) : <b className="font-medium text-warn">{shown(after)}</b>
    if (!(path in mine)) return [shown(before), theirs, AS_THEIRS]
    const yours = <span className="text-accent">{shown(mine[path])}</span>
    return [shown(before), theirs, yours]
  }
  return (
    <ConflictDialog
      noun="process"
      fresh={fresh}
      change={{ operation: 'updateProcessById', input: { path, body }, rereads: PROCESS_READS }}
      column="Field"
      listRows={now => {
        const paths = new Set([...Object.keys(mine), ...differences(base, now).map(each => each.path)])
        return [...paths].map(path => ({
          key: path,
          name: fieldNamed(procedure, path).label,
          versions: formatVersions(path, now),
        }))
      }}
      words={createFaultText(procedure)}
      onClose={onClose}
      onDone={onDone}
    >
      <p className="mb-3 text-ink-2">
        It was changed after you opened it. Nothing of yours is saved yet. “Keep mine” sets only the fields that you
        changed; the others stay as they are now. “Take theirs” gives up what you typed; close this to go on with it.
      </p>
    </ConflictDialog>
  )
}
