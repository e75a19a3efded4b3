import type { Context } from 'hono'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../../http/context.ts'
import { areSameSecrets } from '../../http/digest.ts'
import { lookUpUnauthenticated } from '../../http/request/unauthenticated.ts'
import { readBearerToken } from '../credential.ts'

const TOKEN_LENGTH_MIN = 32

interface OperatorSecret {
  OPERATOR_TOKEN?: string
}

export function checkOperatorToken({ OPERATOR_TOKEN }: OperatorSecret): void {
  if (OPERATOR_TOKEN !== undefined && OPERATOR_TOKEN.length < TOKEN_LENGTH_MIN)
    throw new Error(`the secret OPERATOR_TOKEN must have at least ${TOKEN_LENGTH_MIN} characters, or not be set`)
}

/** Requires the operator's token: no role of a team has rights over the installation. */
export async function requireOperator(c: Context<AppEnv>): Promise<void> {
  const { OPERATOR_TOKEN } = c.env
  if (!OPERATOR_TOKEN)
    throw operatorRefusedError(
      'this installation has no operator',
      'set the secret OPERATOR_TOKEN: /docs/running#health',
    )
  const sent = readBearerToken(c.req.header('authorization'))
  const find = async () => (await areSameSecrets(OPERATOR_TOKEN, sent)) || undefined
  if (!(await lookUpUnauthenticated(c, { kind: 'operator' }, find)))
    throw operatorRefusedError(
      'this is not the token of the operator',
      'it is the secret OPERATOR_TOKEN, not an API key',
    )
  c.set('isOperator', true)
}

const operatorRefusedError = (message: string, hint: string): AppError =>
  new AppError('unauthenticated', [{ message, hint, path: '/header/authorization' }])
