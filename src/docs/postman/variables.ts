import { dataOf, type Operation } from './operation.ts'

/** Which ids of responses later requests need, by the component that has them. */
const HOLDERS: Record<string, string> = {
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
}
const NAMES = new Set(Object.values(HOLDERS))

/** Path parameters that are variables of the collection. All others keep the value of their example. */
export const isVariable = (name: string): boolean => NAMES.has(name)

/** The script that keeps the id of what was created; of a list, the first, if no id is known yet. */
export function scriptOf(operation: Operation): string[] {
  const variable = HOLDERS[dataOf(operation) ?? '']
  if (variable === undefined) return []
  return [
    'const { _data } = pm.response.code < 300 ? pm.response.json() : {}',
    `const isKnown = pm.collectionVariables.get('${variable}') !== ''`,
    'const found = Array.isArray(_data) ? (isKnown ? undefined : _data[0]) : _data',
    `if (found) pm.collectionVariables.set('${variable}', found.id)`,
  ]
}
