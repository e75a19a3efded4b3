import { describe, expect, it } from 'vitest'
import { fetchWorker, newTeam } from '../support/api.ts'
import { misfits, operations } from '../support/document.ts'
import { newProcedure } from '../support/procedures.ts'

interface Described {
  properties?: Record<string, Described>
  description?: string
}
const JSON_TYPE = 'application/json'
const operationNamed = (name: string) => {
  const found = operations.find(({ operation }) => operation.operationId === name)
  if (found === undefined) throw new Error(`there is no operation ${name}`)
  return found.operation
}
const inBody = operationNamed('listProcesses').requestBody?.content[JSON_TYPE]?.schema as Described

describe('a list that is asked for some fields', () => {
  it.each(['listProcesses', 'listNewestProcesses'])(
    'has for %s the other schema of the document, not the usual one',
    async name => {
      const team = await newTeam()
      const { create, path } = await newProcedure(team)
      const headers = { authorization: `Bearer ${team.token}` }
      const record = { data: { phone_number: '919448300007' } }
      await create({ data: { lead_id: 'L1', city: 'Pune' }, record })
      const { content, 'x-other-content': other } = operationNamed(name).responses[200] ?? {}
      for (const fields of [
        'city',
        'id,state',
        'record.phone,record.email',
        'data,record.data.phone_number',
        'unset',
      ]) {
        const reply = await (name === 'listProcesses'
          ? fetchWorker(`${path}/list`, {
              method: 'POST',
              headers: { ...headers, 'content-type': JSON_TYPE },
              body: JSON.stringify({ fields: fields.split(',') }),
            })
          : fetchWorker(`${path}?fields=${fields}`, { headers }))
        expect(reply.status).toBe(200)
        const answer = await reply.json()
        expect(misfits(`${name} with fields`, other?.[JSON_TYPE]?.schema, answer), fields).toEqual([])
        expect(misfits(`${name} without fields`, content?.[JSON_TYPE]?.schema, answer), fields).not.toEqual([])
      }
    },
  )

  it('is described with `fields`, in the body and in the query', () => {
    const inQuery = ['listProcesses', 'listNewestProcesses'].map(
      name =>
        operationNamed(name).parameters?.find(each => each.name === 'fields') as { description?: string } | undefined,
    )
    for (const described of [inBody.properties?.fields, ...inQuery])
      expect(described?.description).toContain('`x-other-content`')
  })
})
