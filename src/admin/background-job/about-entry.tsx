import type { BackgroundJobEntry, Config } from 'caseworker'
import type { ReactNode } from 'react'
import { useConfig } from '../api/me.ts'
import { Go } from '../parts/go.tsx'

const LINK = 'text-accent hover:underline'

const textIn = (object: unknown, name: string): string | undefined => {
  const value: unknown = typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

interface NamedProcess {
  name: string
  /** Below `/admin`: the page of the process, or where only its key is known, the list with it. */
  to: string
}

/** The process that an entry was about. One that was to be created and failed has none. */
function processOf(
  { data: { apiData }, completionResult, primaryKey }: BackgroundJobEntry,
  procedures: Config['procedures'],
): NamedProcess | undefined {
  const named = textIn(apiData, 'procedureId')
  const procedure = procedures.find(({ id, shortId }) => id === named || shortId === named)
  if (!procedure) return undefined
  const list = `/procedure/${encodeURIComponent(procedure.shortId)}/process`
  const key = primaryKey ?? undefined
  const id = textIn(completionResult, 'id') ?? textIn(apiData, 'processId')
  if (id !== undefined) return { name: key ?? id, to: `${list}/${id}` }
  if (key === undefined || procedure.primaryKey === null) return undefined
  const where = JSON.stringify({ [procedure.primaryKey]: Reflect.get(apiData, 'primaryKeyValue') ?? key })
  return { name: key, to: `${list}?where=${encodeURIComponent(where)}` }
}

/** A link to the process of an entry. */
export function ProcessOfEntry({ entry }: { entry: BackgroundJobEntry }): ReactNode {
  const process = processOf(entry, useConfig()?.procedures ?? [])
  return (
    process && (
      <Go to={process.to} className={LINK}>
        {process.name}
      </Go>
    )
  )
}

/** A link to the message that an entry sent. */
export function MessageOfEntry({ entry }: { entry: BackgroundJobEntry }): ReactNode {
  const id = textIn(entry.completionResult, 'messageId')
  return (
    id !== undefined && (
      <Go to={`/message/${id}`} className={LINK}>
        the message
      </Go>
    )
  )
}
