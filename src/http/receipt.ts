import { type Statement, statement } from '../db/statement.ts'

/** Where the outcome comes from: known beforehand, or read back by SQL after the change, in the same transaction. */
export type OutcomeSource = { json: string } | Statement

/**
 * What must be written together with a change, so that nobody can see the one without the other. An HTTP request with
 * an idempotency key keeps its outcome that way; one without a key writes nothing more.
 */
export interface Receipt {
  /** To follow the change in its batch. `whenChanged`: only if the statement before it changed something. */
  of: (outcome: OutcomeSource, whenChanged?: boolean) => Statement[]
}

export const noReceipt: Receipt = { of: () => [] }

const IDEMPOTENCY_KEPT_MS = 24 * 60 * 60 * 1000

/** Who asked, under which key, and a digest of what was asked. */
export interface Claim {
  no: number
  lookup: string
  fingerprint: string
  now: number
}

export const receiptFor = ({ no, lookup, fingerprint, now }: Claim): Receipt => ({
  of(outcome, whenChanged = false) {
    const source =
      'json' in outcome ? '?5' : `(${outcome.sql.replace(/\?(\d+)/g, (_, n: string) => `?${Number(n) + 5}`)})`
    const params = 'json' in outcome ? [outcome.json] : [null, ...outcome.params]
    const condition = whenChanged ? ' WHERE changes() > 0' : ''
    return [
      statement(
        `INSERT INTO idempotency (no, lookup, fingerprint, expires_at, outcome) SELECT ?1, ?2, ?3, ?4, jsonb(${source})${condition}`,
        no,
        lookup,
        fingerprint,
        now + IDEMPOTENCY_KEPT_MS,
        ...params,
      ),
    ]
  },
})
