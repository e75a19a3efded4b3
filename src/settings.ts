import { readBudgetLimits } from './auth/budget/settings.ts'
import { checkOperatorToken } from './auth/operator/middleware.ts'
import { readJobSettings } from './background-job/settings.ts'
import { checkLocation } from './durable-objects.ts'
import { AppError } from './errors.ts'
import { readLogRetention } from './event/settings.ts'
import { checkLogging } from './http/log-line.ts'
import { checkPaused } from './http/pause.ts'
import { checkPublicOrigin } from './http/public-origin.ts'
import { isWebAddress } from './http/web-address.ts'
import { readAlertUrl } from './maintenance/alerts.ts'
import { readMessagesPerSecond } from './plugin/settings.ts'
import { readRequestLogSettings } from './request-log/settings.ts'
import { readRetention } from './retention.ts'
import { ROLE_SHORT_IDS } from './roles.ts'
import { readAccessSettings } from './session/access/settings.ts'
import { readOpenIdSettings } from './session/openid/settings.ts'
import { readAddressPolicy, webhookTimeoutMs } from './webhook/settings.ts'

/** Readers of settings. Each throws if its setting is wrong. A new setting belongs here, too. */
const READERS: ((env: Env) => unknown)[] = [
  checkCallsPerMinute,
  env => readBudgetLimits(env),
  env => readJobSettings(env),
  env => readRetention(env),
  env => readLogRetention(env),
  env => readMessagesPerSecond(env),
  checkProviderAddress,
  env => readAddressPolicy(env),
  env => webhookTimeoutMs(env),
  checkPublicOrigin,
  env => readAccessSettings(env),
  env => readOpenIdSettings(env),
  checkOperatorToken,
  checkPaused,
  checkLocation,
  checkLogging,
  env => readRequestLogSettings(env),
]

/** Those of what tells of the service: where one is wrong, the deep health check fails, and the service does not. */
const READERS_ASIDE: typeof READERS = [readAlertUrl]

function checkCallsPerMinute({ CALLS_PER_MINUTE }: Env): void {
  const limits: Partial<Record<string, unknown>> = CALLS_PER_MINUTE
  const wrong = ROLE_SHORT_IDS.filter(role => !(Number.isInteger(limits?.[role]) && Number(limits?.[role]) > 0))
  if (wrong.length > 0)
    throw new Error(`the setting CALLS_PER_MINUTE must have a whole number above 0 for ${wrong.join(', ')}`)
}

function checkProviderAddress({ WHATSAPP_API_URL }: Env): void {
  if (!isWebAddress(WHATSAPP_API_URL)) throw new Error('the setting WHATSAPP_API_URL must be a web address')
}

interface Problems {
  /** Those with which the service refuses every request. */
  grave: string[]
  all: string[]
}

const problemsByEnv = new WeakMap<Env, Problems>()

/** Lists everything that is wrong with the settings of an installation. */
export const listSettingsProblems = (env: Env): string[] => findProblems(env).all

/** Read once in an isolate. */
function findProblems(env: Env): Problems {
  const cached = problemsByEnv.get(env)
  if (cached) return cached
  const grave = readAll(READERS, env)
  const all = [...grave, ...readAll(READERS_ASIDE, env)]
  problemsByEnv.set(env, { grave, all })
  if (all.length > 0) console.error(JSON.stringify({ settings: all }))
  return { grave, all }
}

const readAll = (readers: typeof READERS, env: Env): string[] =>
  readers.flatMap(read => {
    try {
      read(env)
      return []
    } catch (error) {
      return (error instanceof Error ? error.message : String(error)).split('; ')
    }
  })

/** Throws if a setting is wrong, before anything begins that could then fail half-way. */
export function requireSettings(env: Env): void {
  const problems = findProblems(env).grave
  if (problems.length === 0) return
  throw new AppError(
    'internal_error',
    problems.map(message => ({ message })),
  )
}
