import { listPlugins } from '../plugin/operations.ts'
import type { Cipher } from '../plugin/secret/cipher.ts'
import { listProcedures } from '../procedure/operations.ts'
import type { Scope } from '../scope.ts'
import { listUsers } from '../user/operations.ts'

export type TeamConfig = Awaited<ReturnType<typeof getConfig>>

export async function getConfig(scope: Scope, cipher: Cipher) {
  const [procedures, users, plugins] = await Promise.all([
    listProcedures(scope),
    listUsers(scope),
    listPlugins(scope, cipher),
  ])
  return { procedures, users, plugins }
}
