import { env } from 'cloudflare:workers'
import type { Statement } from '../../src/db/statement.ts'
import { resumeTeam, revokeCredentials, suspendByOperator } from '../../src/team/suspend.ts'

type TeamNumber = { no: number }

/** Runs the statements of `npm run team`, which goes to the database, and not through the Worker. */
async function run(statements: readonly Statement[]): Promise<void> {
  const compiled = statements.map(each => each.compile())
  await env.DB.batch(compiled.map(({ text, params }) => env.DB.prepare(text).bind(...params)))
}

export const suspend = ({ no }: TeamNumber): Promise<void> => run([suspendByOperator(no, Date.now())])
export const resume = ({ no }: TeamNumber): Promise<void> => run(resumeTeam(no, Date.now()))
export const resumeWithoutCredentials = ({ no }: TeamNumber): Promise<void> =>
  run([...revokeCredentials(no, Date.now()), ...resumeTeam(no, Date.now())])
