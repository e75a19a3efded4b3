import { z } from 'zod'
import { HANG_MS } from './defaults.ts'
import { isKnownCode } from './errors.ts'

/** A fault. `accepted` says on which side of acceptance: only there do fault and effect differ. */
export const fault = z.discriminatedUnion('kind', [
  /** A Graph error of this code. */
  z.strictObject({ kind: z.literal('error'), code: z.int(), accepted: z.boolean().default(false) }),
  /** A bare HTTP failure, as a proxy answers it. */
  z.strictObject({
    kind: z.literal('http'),
    status: z.int().min(300).max(599).default(500),
    accepted: z.boolean().default(false),
  }),
  /** The connection breaks before any answer. */
  z.strictObject({ kind: z.literal('drop'), accepted: z.boolean().default(true) }),
  /** Status 200, and the connection breaks in the body. */
  z.strictObject({ kind: z.literal('cut'), accepted: z.boolean().default(true) }),
  /** No answer until the caller gives up. */
  z.strictObject({ kind: z.literal('hang'), ms: z.int().default(HANG_MS), accepted: z.boolean().default(true) }),
  /** Status 200 with a body that is not an answer. */
  z.strictObject({
    kind: z.literal('garbage'),
    body: z.string().default('<!DOCTYPE html><title>Please wait</title>'),
    accepted: z.boolean().default(true),
  }),
  /** The right answer, late. */
  z.strictObject({ kind: z.literal('slow'), ms: z.int().min(0) }),
  /** Accepted; then the status webhook says failed. */
  z.strictObject({ kind: z.literal('failed'), code: z.int() }),
  /** Accepted, and held back until Meta has judged the template. */
  z.strictObject({ kind: z.literal('held') }),
])
export type Fault = z.infer<typeof fault>

export const digits = (number: string): string => number.replace(/\D/g, '')

/** A fault for the requests that match; of those, the first `skip` pass and the next `times` are hit. */
export const faultRule = z.strictObject({
  phoneNumberId: z.string().optional(),
  to: z.string().transform(digits).optional(),
  template: z.string().optional(),
  callbackData: z.string().optional(),
  skip: z.int().min(0).default(0),
  times: z.int().min(1).optional(),
  fault,
})
export type FaultRule = z.infer<typeof faultRule>

export interface Attempt {
  phoneNumberId: string
  to: string
  template: string | null
  callbackData: string | null
}

const MAGIC_ERROR = /^1555\d*9(\d{6})$/
const MAGIC_FAILED = /^1555\d*8(\d{6})$/
const MAGIC_SLOW = /^1555\d*77700(\d\d)$/
const MAGIC_KIND = /^1555\d*79000(\d\d)$/
const SLOW_STEP_MS = 100
const KINDS: Record<string, z.input<typeof fault>> = {
  '01': { kind: 'drop' },
  '02': { kind: 'cut' },
  '03': { kind: 'hang' },
  '04': { kind: 'http', accepted: true },
  '05': { kind: 'garbage' },
  '06': { kind: 'error', code: 131000, accepted: true },
  '07': { kind: 'held' },
  '11': { kind: 'drop', accepted: false },
  '12': { kind: 'cut', accepted: false },
  '13': { kind: 'hang', accepted: false },
  '14': { kind: 'http', accepted: false },
  '15': { kind: 'garbage', accepted: false },
}

/** The fault that a recipient's number asks for. Such numbers begin with 1555, which nobody's telephone does. */
export function magicFault(to: string): Fault | null {
  const error = MAGIC_ERROR.exec(to)
  if (error && isKnownCode(Number(error[1]))) return { kind: 'error', code: Number(error[1]), accepted: false }
  const failed = MAGIC_FAILED.exec(to)
  if (failed && isKnownCode(Number(failed[1]))) return { kind: 'failed', code: Number(failed[1]) }
  const slow = MAGIC_SLOW.exec(to)
  if (slow) return { kind: 'slow', ms: Number(slow[1]) * SLOW_STEP_MS }
  const kind = KINDS[MAGIC_KIND.exec(to)?.[1] ?? '']
  return kind ? fault.parse(kind) : null
}

/** The fault of the first rule that hits, and the rules as they stand after this request. */
export function ruleFault(rules: FaultRule[], attempt: Attempt): { fault: Fault | null; rules: FaultRule[] } {
  let hit: Fault | null = null
  const left = rules.flatMap((rule): FaultRule[] => {
    if (hit || !matches(rule, attempt)) return [rule]
    if (rule.skip > 0) return [{ ...rule, skip: rule.skip - 1 }]
    hit = rule.fault
    if (rule.times === undefined) return [rule]
    return rule.times > 1 ? [{ ...rule, times: rule.times - 1 }] : []
  })
  return { fault: hit, rules: left }
}

const matches = (rule: FaultRule, attempt: Attempt): boolean =>
  (rule.phoneNumberId ?? attempt.phoneNumberId) === attempt.phoneNumberId &&
  (rule.to ?? attempt.to) === attempt.to &&
  (rule.template ?? attempt.template) === attempt.template &&
  (rule.callbackData ?? attempt.callbackData) === attempt.callbackData

/** Returns whether the message counts as accepted under this fault. */
export const accepts = (hit: Fault | null): boolean => hit === null || !('accepted' in hit) || hit.accepted
