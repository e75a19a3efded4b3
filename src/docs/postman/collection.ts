import type { About } from '../../http/openapi/document.ts'
import type { Documented } from '../reference/operation.ts'
import { itemOf } from './item.ts'
import { isVariable } from './variables.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

const FILLED = 'Filled in by the requests that create or list it.'

/** A Postman collection of all operations, with the examples of the document. An id that a response has is kept for the next request. */
export function postmanCollection(
  all: Iterable<Documented>,
  { title, description, version, tags }: About,
  origin: string,
) {
  const operations = [...all].sort((a, b) => turnOf(a) - turnOf(b))
  const ids = new Map(
    operations
      .flatMap(({ parameters }) => parameters)
      .filter(each => each.in === 'path' && isVariable(each.name))
      .map(each => [each.name, { key: each.name, value: '', description: `${each.description} ${FILLED}` }]),
  )
  return {
    info: { name: title, description, version, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: origin, description: 'The address of the installation.' },
      { key: 'token', value: '', description: 'An API key: `cw_…`' },
      ...ids.values(),
    ],
    item: tags.map(tag => ({
      name: tag.name,
      description: tag.description,
      item: operations.filter(({ operation }) => operation.tags.includes(tag.name)).map(each => itemOf(each, origin)),
    })),
  }
}

const FIRST = [/^(create|put|upload|schedule|bulk|send|find)/, /^(list|get|count|aggregate)/]
const LAST = [/^(delete|revoke|remove|erase)/, /^restore/]

/** Something is created before it is read, then changed and deleted; what was deleted is restored. */
function turnOf({ operation: { operationId } }: Documented): number {
  const first = FIRST.findIndex(turn => turn.test(operationId))
  const last = LAST.findIndex(turn => turn.test(operationId))
  if (last >= 0) return FIRST.length + 1 + last
  return first >= 0 ? first : FIRST.length
}
