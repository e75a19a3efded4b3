import type { Procedure, Process, UpdateProcessByIdBody } from 'caseworker'
import { statesAfter } from '../../api/procedure.ts'
import { isCode } from '../../parts/failure.ts'
import { isSame } from '../../parts/form/same.ts'
import { valueAt } from '../../parts/process/fields.ts'

/** One field of a change: `state`, or `data.city`. */
interface FieldValue {
  name: string
  value: unknown
}

export function fieldsIn({ data, ...root }: UpdateProcessByIdBody): FieldValue[] {
  const ofRoot = Object.entries(root).map(([name, value]) => ({ name, value }))
  return [...ofRoot, ...Object.entries(data ?? {}).map(([name, value]) => ({ name: `data.${name}`, value }))]
}

const DATA = 'data.'

/** Returns the process as it will be after the change. */
export const applyChange = (process: Process, { data, ...root }: UpdateProcessByIdBody): Process => ({
  ...process,
  ...(root as Partial<Process>),
  data: { ...process.data, ...data },
})

/** Returns whether somebody has changed a field that the reader is about to change, since the process was shown. */
export const hasMoved = (shown: Process, now: Process, change: UpdateProcessByIdBody): boolean =>
  fieldsIn(change).some(({ name }) => !isSame(valueAt(shown, name), valueAt(now, name)))

/** Somebody was faster: the change would have replaced a value that the reader never saw. */
export class ProcessMoved extends Error {
  override readonly name = 'ProcessMoved'
  readonly now: Process
  constructor(now: Process) {
    super('the process was changed meanwhile')
    this.now = now
  }
}

interface ProcessCalls {
  read: () => Promise<{ process: Process; tag: string | undefined }>
  update: (tag: string | undefined) => Promise<Process>
}

const ATTEMPTS_MAX = 3

/**
 * A list has no versions: the process is read first, and changed only if its fields still are what was shown, and stay so.
 * Who has changed others meanwhile, which may be the reader in the next cell, was not faster: it is read again.
 */
export async function changeIfUnmoved(
  shown: Process,
  change: UpdateProcessByIdBody,
  { read, update }: ProcessCalls,
): Promise<Process> {
  let refusal: unknown
  for (let attempts = 0; ; attempts++) {
    const { process, tag } = await read()
    if (hasMoved(shown, process, change)) throw new ProcessMoved(process)
    if (attempts === ATTEMPTS_MAX) throw refusal
    try {
      return await update(tag)
    } catch (error) {
      if (!isCode(error, 'precondition_failed', 'conflict')) throw error
      refusal = error
    }
  }
}

/** Returns whether another change can undo a change: not where the earlier state may not follow. */
export const mayPutBack = (procedure: Procedure, before: Process, after: Process): boolean =>
  before.state === after.state || statesAfter(procedure, after.state).includes(before.state)

/** The change that gives the fields of another their values of before. A status brings its state along. */
export function invertChange(change: UpdateProcessByIdBody, before: Process, after: Process): UpdateProcessByIdBody {
  const named = fieldsIn(change).map(({ name }) => name)
  const names = new Set([
    ...named,
    ...['status', 'state'].filter(each => !isSame(valueAt(before, each), valueAt(after, each))),
  ])
  const values = [...names].map(name => [name, valueAt(before, name)] as const)
  const ofData = values
    .filter(([name]) => name.startsWith(DATA))
    .map(([name, value]) => [name.slice(DATA.length), value])
  return {
    ...Object.fromEntries(values.filter(([name]) => !name.startsWith(DATA))),
    ...(ofData.length === 0 ? {} : { data: Object.fromEntries(ofData) }),
  }
}
