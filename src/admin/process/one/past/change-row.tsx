import { Link } from '@tanstack/react-router'
import type { Procedure, ProcessHistoryEntry } from 'caseworker'
import { Author } from '../../../parts/author/author.tsx'
import { Badge, type BadgeTone } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { fieldNamed } from '../../../parts/process/fields.ts'
import { ShownValue } from '../../../parts/process/shown-value.tsx'
import { ChangeList } from '../../../parts/timeline/change-list.tsx'
import { TimelineRow } from '../../../parts/timeline/timeline-list.tsx'

const KINDS: Record<ProcessHistoryEntry['type'], { label: string; tone: BadgeTone }> = {
  'process.created': { label: 'Created', tone: 'good' },
  'process.updated': { label: 'Changed', tone: 'info' },
  'process.deleted': { label: 'Deleted', tone: 'bad' },
  'process.restored': { label: 'Restored', tone: 'good' },
  'record.updated': { label: 'Customer changed', tone: 'plain' },
}

interface ChangeRowProps {
  procedure: Procedure
  entry: ProcessHistoryEntry
  /** True for the present version, which has no revert. */
  isNewest: boolean
  /** Reverts to the version; undefined if nothing can be reverted. */
  onRevert: ((version: number) => void) | undefined
}

/** A change of a process: who, what, and the way back to it. */
export function ChangeRow({ procedure, entry, isNewest, onRevert }: ChangeRowProps) {
  const { type, by, at, version, changes, forced } = entry
  return (
    <TimelineRow>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
        <Badge tone={KINDS[type].tone}>{KINDS[type].label}</Badge>
        {forced && <Badge tone="warn">Against the allowed moves</Badge>}
        <span className="text-ink-2">
          <Author by={by} at={at} version={version} />
        </span>
        {type !== 'process.deleted' && !isNewest && (
          <span className="ml-auto flex gap-1">
            <Link
              from="/procedure/$procedureShortId/process/$id"
              search={before => ({ ...before, asOf: String(version) })}
              className="inline-flex h-7 items-center rounded-md px-2 text-ink-2 hover:bg-hover hover:text-ink"
            >
              Show it as of then
            </Link>
            {onRevert && (
              <Button tone="quiet" icon="undo" className="h-7!" onClick={() => onRevert(version)}>
                Revert to this …
              </Button>
            )}
          </span>
        )}
      </div>
      {changes.length > 0 ? (
        <ChangeList
          changes={changes}
          getLabel={field => fieldNamed(procedure, field).label}
          shown={(field, value) => <ShownValue procedure={procedure} path={field} value={value} />}
          isCreation={type === 'process.created'}
        />
      ) : (
        type === 'process.updated' && <p className="mt-1.5 text-[13px] text-ink-2">Nothing had another value.</p>
      )}
    </TimelineRow>
  )
}
