import type { Documented } from '../reference/operation.ts'
import type { Schema } from '../reference/schema.ts'

/** Which ids of responses later requests need, by the component that has them. */
const HOLDERS: Record<string, string> = {
  Customer: 'recordId',
  Process: 'processId',
  BackgroundJob: 'backgroundJobId',
  Plugin: 'pluginId',
  StoredMessage: 'messageId',
  Message: 'messageId',
  UserV1: 'userId',
  SingleUserV1: 'userId',
  UserV2: 'userId',
  SingleUserV2: 'userId',
  ApiKey: 'keyId',
  IssuedApiKey: 'keyId',
  Session: 'sessionId',
  Passkey: 'passkeyId',
  Webhook: 'webhookId',
  IssuedWebhook: 'webhookId',
  SavedView: 'savedViewId',
  LoggedRequest: 'requestId',
}
const NAMES = new Set(Object.values(HOLDERS))

/** Path parameters that are variables of the collection. All others keep the value of their example. */
export const isVariable = (name: string): boolean => NAMES.has(name)

const nameOf = (schema: Schema | undefined): string | undefined => schema?.$ref?.split('/').at(-1)

/** The component that `_data` is, or a list of; undefined if it is neither. */
function dataOf({ responses }: Documented): string | undefined {
  const success = responses.find(([status]) => status < '300')?.[1]
  const data = success?.content?.['application/json']?.schema?.properties?._data
  return nameOf(data) ?? nameOf(data?.items)
}

/** The script that keeps the id of what was created; of a list, the first, if no id is known yet. */
export function scriptOf(documented: Documented): string[] {
  const variable = HOLDERS[dataOf(documented) ?? '']
  if (variable === undefined) return []
  return [
    'const { _data } = pm.response.code < 300 ? pm.response.json() : {}',
    `const isKnown = pm.collectionVariables.get('${variable}') !== ''`,
    'const found = Array.isArray(_data) ? (isKnown ? undefined : _data[0]) : _data',
    `if (found) pm.collectionVariables.set('${variable}', found.id)`,
  ]
}
