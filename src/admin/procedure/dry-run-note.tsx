import type { ProcedureDryRun } from 'caseworker'
import type { ReactNode } from 'react'
import { Go } from '../parts/go.tsx'
import { howMany } from '../parts/text/number-text.ts'

const FIELD_WORDS: Record<string, string> = {
  next: 'next states',
  startsHere: 'processes can start here',
  startState: 'start state',
  completedState: 'completed state',
  primaryKey: 'primary key',
  phoneAttribute: 'phone number',
  strict: 'refuses undeclared attributes',
  states: 'order of states',
  attributes: 'order of attributes',
}
const SUBJECTS = { procedure: 'Procedure', state: 'State', attribute: 'Attribute' }

const SWITCHES = ['required', 'indexed', 'searchable', 'personal', 'strict']

function inWords(field: string, value: unknown): string {
  if (field === 'startsHere') return value === false ? 'no' : 'yes'
  if (SWITCHES.includes(field)) return value === true ? 'yes' : 'no'
  if (value === null || value === undefined) return field === 'next' ? 'any' : 'none'
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}

interface DryRunNoteProps {
  outlook: ProcedureDryRun
  procedureShortId: string
}

/** Shows what saving a definition would do. */
export function DryRunNote({ outlook, procedureShortId }: DryRunNoteProps) {
  const { changes, refusals, processes, indexes, search, values } = outlook
  const count = processes.isMore
    ? `${processes.count.toLocaleString()} and more processes`
    : howMany(processes.count, 'process', 'processes')
  const unfit = values.filter(each => each.unfit > 0 || each.preventIndex > 0 || (!each.isDeclared && each.stored > 0))
  return (
    <div className="flex flex-col gap-4">
      {refusals.length > 0 && (
        <div role="alert" className="rounded-card border border-bad/40 bg-bad-soft p-3">
          <Part title="Refused, so nothing can be saved">
            {refusals.map(({ message, code }) => (
              <li key={message}>
                {message} <code className="text-xs text-ink-2">{code}</code>
              </li>
            ))}
          </Part>
        </div>
      )}
      {changes.length === 0 && <p>Nothing differs from what is saved.</p>}
      <Part title="What changes">
        {changes.map(({ subject, shortId, change, fields }) => (
          <li key={`${subject} ${shortId}`} className="break-words">
            {SUBJECTS[subject]} <code className="text-xs">{shortId}</code>
            {change === 'changed'
              ? `: ${fields.map(({ field, from, to }) => `${FIELD_WORDS[field] ?? field} from ${inWords(field, from)} to ${inWords(field, to)}`).join('; ')}`
              : ` is ${change}`}
          </li>
        ))}
      </Part>
      <Part title="Indexes">
        {indexes.map(({ attribute, change }) => (
          <li key={attribute}>
            {change === 'build'
              ? `${attribute}: its index is built over ${count}; filters work meanwhile, and are slower`
              : `${attribute}: its index is removed; filters are slower`}
          </li>
        ))}
        {search && (
          <li>
            {search.change === 'build'
              ? `Words of ${search.attributes.join(', ')} are indexed anew over ${count}; search waits for it`
              : 'The words are no longer searched'}
          </li>
        )}
      </Part>
      <Part title={`Stored values, in the newest ${processes.sampled.toLocaleString()} of ${count}`}>
        {unfit.map(value => (
          <li key={value.attribute} className="break-words">
            {valueWords(value)}
            <ul className="ml-4 list-disc text-[13px] text-ink-2">
              {value.examples.map(({ process, message }) => (
                <li key={process}>
                  <Go
                    to={`/procedure/${encodeURIComponent(procedureShortId)}/process/${process}`}
                    className="text-accent hover:underline"
                  >
                    A process
                  </Go>
                  {`: ${message}`}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </Part>
    </div>
  )
}

function valueWords({ attribute, isDeclared, stored, unfit, preventIndex }: ProcedureDryRun['values'][number]): string {
  if (!isDeclared) return `${attribute}: ${stored.toLocaleString()} have a value; it stays stored, undeclared`
  const unfitWords = `${attribute}: ${unfit.toLocaleString()} of ${stored.toLocaleString()} values do not fit; they stay until they are written again`
  return preventIndex > 0
    ? `${unfitWords}; ${preventIndex.toLocaleString()} of them keep the index from being ready`
    : unfitWords
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  if (![children].flat(2).some(Boolean)) return null
  return (
    <section>
      <h3 className="mb-1 font-semibold">{title}</h3>
      <ul className="ml-4 list-disc space-y-1">{children}</ul>
    </section>
  )
}
