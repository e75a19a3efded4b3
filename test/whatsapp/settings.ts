import { z } from 'zod'
import { DELAYS_MS, LIMITS, LOCAL_ACCOUNT, WEBHOOK_MODES } from './defaults.ts'
import { faultRule } from './faults.ts'

const count = z.int().min(0)
const STATUSES = ['sent', 'delivered', 'read'] as const

export const settings = z.strictObject({
  limits: z.strictObject({ throughputPerSecond: count, pairBurst: count, pairIntervalMs: count }),
  delays: z.strictObject({ sent: count, delivered: count, read: count }),
  webhooks: z.strictObject({
    duplicates: count,
    shuffle: z.boolean(),
    loseEvery: count,
    batch: z.int().min(1),
    hold: z.boolean(),
    retryDelaysMs: z.array(count),
    timeoutMs: z.int().min(1),
    /** Statuses that are never reported, as `delivered` is not when the user has the chat open. */
    omit: z.array(z.enum(STATUSES)),
  }),
  faults: z.array(faultRule),
  /** True if messages other than templates need a message from the user in the last 24 hours. */
  serviceWindow: z.boolean(),
})
export type Settings = z.infer<typeof settings>

export const DEFAULT_SETTINGS: Settings = {
  limits: LIMITS,
  delays: DELAYS_MS,
  webhooks: { ...WEBHOOK_MODES, omit: [] },
  faults: [],
  serviceWindow: false,
}

/** A change names only what changes; a list is replaced as a whole. */
export const settingsChange = z.strictObject({
  limits: settings.shape.limits.partial().optional(),
  delays: settings.shape.delays.partial().optional(),
  webhooks: settings.shape.webhooks.partial().optional(),
  faults: settings.shape.faults.optional(),
  serviceWindow: z.boolean().optional(),
})

export const changed = (now: Settings, change: z.infer<typeof settingsChange>): Settings =>
  settings.parse({
    limits: { ...now.limits, ...change.limits },
    delays: { ...now.delays, ...change.delays },
    webhooks: { ...now.webhooks, ...change.webhooks },
    faults: change.faults ?? now.faults,
    serviceWindow: change.serviceWindow ?? now.serviceWindow,
  })

const DIGITS = /^\d+$/

export const account = z.strictObject({
  accessToken: z.string().default(LOCAL_ACCOUNT.accessToken),
  appSecret: z.string().default(LOCAL_ACCOUNT.appSecret),
  verifyToken: z.string().default(LOCAL_ACCOUNT.verifyToken),
  callbackUrl: z.url().nullable().default(null),
  phoneNumbers: z
    .array(z.strictObject({ id: z.string().regex(DIGITS), displayNumber: z.string().regex(DIGITS) }))
    .min(1),
})
export type AccountDetails = z.infer<typeof account> & { id: string }

export const accountChange = account.partial().extend({
  accessToken: z.string().optional(),
  appSecret: z.string().optional(),
  verifyToken: z.string().optional(),
  callbackUrl: z.url().nullable().optional(),
})
