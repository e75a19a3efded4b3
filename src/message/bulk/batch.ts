import type { Entry, Outcome } from '../../background-job/entry.ts'
import type { StepEntry } from '../../background-job/kind.ts'
import type { PlannedStep } from '../../background-job/run/step.ts'
import type { Provider } from '../../plugin/provider.ts'
import type { Cipher } from '../../plugin/secret/cipher.ts'
import type { Scope } from '../../scope.ts'
import type { SettlementQueue } from '../ledger/settle.ts'
import type { NumberRateLimiter } from '../send/rate-limiter.ts'
import type { SenderPool } from '../sender/dispatch.ts'

/** What sending needs besides the database. */
export interface BulkSender {
  provider: Provider
  cipher: Cipher
  limiters: RateLimiters
  queue: SettlementQueue
  pool: SenderPool
  /** How long messages are kept. */
  retentionMs: number
}

export interface RateLimiters {
  get: (
    team: number,
    number: string,
  ) => Pick<DurableObjectStub<NumberRateLimiter>, 'reserve' | 'release' | 'delay' | 'block'>
  /** The limit of a number that has none of its own. */
  perSecond: number
}

/** Where the entries of a batch come from: the cursor, those in flight or delayed, or those that a number was skipped for. */
type BatchSource = 'cursor' | 'outstanding' | 'skipped'

/** Entries of a job that are run together. */
export interface Batch extends PlannedStep {
  source: BatchSource
  /** The number that they were skipped for; then `next` is where those that were skipped go on, not the cursor. */
  number?: string
  /** Those that are in flight by now; the others of the batch were skipped then. */
  inFlight?: ReadonlySet<number>
}

/** What is decided of an entry; `background-job/unfinished.ts` draws the modes. */
export type EntryDecision =
  | { mode: 'ended'; outcome: Outcome }
  /** Its message is to be sent, or was. */
  | { mode: 'inFlight' }
  | { mode: 'delayed'; at: number }
  /** It was not attempted, nor can any entry behind it be that is sent from the same number. */
  | { mode: 'skipped'; at: number; isStopped?: true }
  /** It was never attempted, and never will be: the job was cancelled. */
  | { mode: 'cancelled' }

/** A batch with what it takes to decide about its entries. */
export interface SendStep {
  sender: BulkSender
  scope: Scope
  jobId: string
  procedure: string
  entries: StepEntry[]
  source: BatchSource
  /** The job was cancelled: only what was sent before is to be settled. */
  isCancelled: boolean
  /** Other entries remain that may be run before these: there is no need to wait for these. */
  othersRemain: boolean
  /** True if the row of the job can hold more delayed entries. */
  mayDelay: boolean
  /** Those of the same chunk that come after them at the cursor. */
  entriesAfter: readonly Entry[]
}

export const MESSAGE_TYPE = 'TEMPLATE_MESSAGE'

/** The number that an entry is sent from, which it waits for with others; undefined: it is no message. */
export const getNumber = ({ apiType, apiData }: Entry): string | undefined =>
  apiType === MESSAGE_TYPE ? `${String(apiData.pluginId).toLowerCase()}/${apiData.whatsappPhoneNumberId}` : undefined
