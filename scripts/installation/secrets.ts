import { randomBytes } from 'node:crypto'
import { getSecretsFile, readJsonFile } from './record.ts'

export const SECRETS_KEY_BYTES = 32

interface SecretsToSet {
  values: Record<string, string>
  /** Made here: nobody else has it yet. */
  isNew: boolean
}

/**
 * The secrets that this deployment sets. A key that the Worker has is never replaced by another one, unless that comes
 * with the key before it: with neither, the stored tokens of plugins could not be decrypted any more.
 */
export function secretsToSet(name: string, there: readonly string[], given: Record<string, string>): SecretsToSet {
  const hasKey = there.includes('SECRETS_KEY')
  if (given.SECRETS_KEY !== undefined && (!hasKey || given.SECRETS_KEY_PREVIOUS !== undefined))
    return { values: given, isNew: false }
  const { SECRETS_KEY: _, SECRETS_KEY_PREVIOUS: __, ...others } = given
  if (hasKey) return { values: others, isNew: false }
  // An earlier run may have made one, and not come as far as deploying it.
  const made = readJsonFile<{ SECRETS_KEY: string }>(getSecretsFile(name)) ?? {
    SECRETS_KEY: randomBytes(SECRETS_KEY_BYTES).toString('base64'),
  }
  return { values: { ...made, ...others }, isNew: true }
}
