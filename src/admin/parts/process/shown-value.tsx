import { useQuery } from '@tanstack/react-query'
import type { Procedure } from 'caseworker'
import { getStateName } from '../../api/procedure.ts'
import { read } from '../../api/read.ts'
import { AttributeValue } from '../attribute/attribute-value.tsx'
import { Status } from '../badge.tsx'
import { Go } from '../go.tsx'
import { fieldNamed } from './fields.ts'

interface ShownValueProps {
  procedure: Procedure
  /** The field, as the history names it. */
  path: string
  value: unknown
}

/** The value of a field for people: names of users and states, times, and links. */
export function ShownValue({ procedure, path, value }: ShownValueProps) {
  if (value === null || value === undefined) return <span className="text-ink-3">–</span>
  const { attribute } = fieldNamed(procedure, path)
  const text = String(value)
  if (path === 'status') return <Status of={text} />
  if (path === 'state') return getStateName(procedure, text)
  if (path === 'record') return <CustomerLink id={text} />
  // A key is a name, also where it is a number.
  if (path === `data.${procedure.primaryKey}` && typeof value === 'number') return text
  return <AttributeValue value={value} attribute={attribute} />
}

/** The customer by name; an erased one by its id. */
function CustomerLink({ id }: { id: string }) {
  const { data } = useQuery({ ...read('getRecord', { path: { recordId: id } }), staleTime: Number.POSITIVE_INFINITY })
  const name = data?.data.data.name
  return <Go to={`/customer/${id}`}>{typeof name === 'string' && name !== '' ? name : `…${id.slice(-8)}`}</Go>
}
