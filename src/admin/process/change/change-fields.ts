import type { Process, UpdateProcessByIdBody } from 'caseworker'
import { isSame } from '../../parts/form/same.ts'

/** One field that a change names: `state`, or `data.city`. */
interface NamedField {
  name: string
  value: unknown
}

export function fieldsIn({ data, ...root }: UpdateProcessByIdBody): NamedField[] {
  const ofRoot = Object.entries(root).map(([name, value]) => ({ name, value }))
  return [...ofRoot, ...Object.entries(data ?? {}).map(([name, value]) => ({ name: `data.${name}`, value }))]
}

const DATA = 'data.'

export const valueIn = (process: Process, name: string): unknown =>
  name.startsWith(DATA) ? process.data[name.slice(DATA.length)] : Reflect.get(process, name)

/** As it will be once the change has succeeded. */
export const changedBy = (process: Process, { data, ...root }: UpdateProcessByIdBody): Process => ({
  ...process,
  ...(root as Partial<Process>),
  data: { ...process.data, ...data },
})

/** Whether somebody has changed, since the process was shown, just what the reader is about to change. */
export const hasMoved = (shown: Process, now: Process, change: UpdateProcessByIdBody): boolean =>
  fieldsIn(change).some(({ name }) => !isSame(valueIn(shown, name), valueIn(now, name)))
