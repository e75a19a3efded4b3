import { randomBytes } from 'node:crypto'
import { selectKeyCounts } from '../../src/maintenance/key-counts.ts'
import { getKeyId, KEY_BYTES } from '../../src/plugin/secret/key-id.ts'
import { type Installation, UsageError } from './options.ts'
import { getSecretsFile, readJsonFile } from './record.ts'
import { readRows } from './rows.ts'

export interface SecretsToSet {
  values: Record<string, string>
  /** Made here: nobody else has it yet. */
  isNew: boolean
}

/**
 * The secrets that this deployment sets. A key that the Worker has is never replaced: what is stored under it could not be
 * decrypted any more. One before it only reads, and is set where there is none.
 */
export function secretsToSet(name: string, there: readonly string[], given: Record<string, string>): SecretsToSet {
  if (given.SECRETS_KEY !== undefined && there.includes('SECRETS_KEY'))
    throw new UsageError(
      `${name} has a SECRETS_KEY: another one could not decrypt what is stored, so setup does not set that of the --env-file. Nothing was migrated or deployed. Take it out of the file. A key is changed by:  npm run admin -- rotate-key --installation ${name}`,
    )
  if (given.SECRETS_KEY_PREVIOUS !== undefined && there.includes('SECRETS_KEY_PREVIOUS'))
    throw new UsageError(
      `${name} has a SECRETS_KEY_PREVIOUS: something may still be stored under it, so setup does not set that of the --env-file. Nothing was migrated or deployed. Take it out of the file. If the key is being changed, finish it with:  npm run admin -- rotate-key --installation ${name}  and remove-previous-key`,
    )
  if (given.SECRETS_KEY !== undefined || there.includes('SECRETS_KEY')) return { values: given, isNew: false }
  // An earlier run may have made one, and not come as far as deploying it.
  const made = readJsonFile<{ SECRETS_KEY: string }>(getSecretsFile(name)) ?? {
    SECRETS_KEY: randomBytes(KEY_BYTES).toString('base64'),
  }
  return { values: { ...made, ...given }, isNew: true }
}

/** Says what is stored and cannot be read by these keys; undefined if all can. */
export async function findUnreadable(
  installation: Pick<Installation, 'config' | 'run'>,
  { SECRETS_KEY, SECRETS_KEY_PREVIOUS }: Record<string, string>,
): Promise<string | undefined> {
  const keys = [SECRETS_KEY, SECRETS_KEY_PREVIOUS].filter(key => key !== undefined)
  const ids = await Promise.all(keys.map(getId))
  const others = readKeyCounts(installation).filter(({ id }) => !ids.includes(id))
  return others.length === 0 ? undefined : others.map(({ id, count }) => `${count} under ${id}`).join(', ')
}

/** What is stored, by the id of the key that it is encrypted under. */
export const readKeyCounts = (installation: Pick<Installation, 'config' | 'run'>) =>
  (readRows(installation, [selectKeyCounts()]) as { id: string; count: number }[][])[0] ?? []

export const getId = (key: string): Promise<string> => getKeyId(new Uint8Array(Buffer.from(key, 'base64')))
