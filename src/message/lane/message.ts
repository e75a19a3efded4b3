import type { Settlement } from '../ledger/settle.ts'
import type { ProviderCall } from '../send/call-provider.ts'
import type { ProviderResult } from '../send/provider-result.ts'

/** Connections that an invocation may have open at once. Calls of other lanes are counted as well. */
export const CONNECTIONS_MAX = 6

/** A claimed message, with what calling the provider and settling the result take. */
export interface LaneMessage {
  call: ProviderCall
  team: number
  settlement: Omit<Settlement, 'result' | 'at'>
  /** Its place in the pace of its number, and the last moment at which it may be sent. */
  startAt: number
  lastStart: number
  /** How long its result is waited for. */
  answerMs: number
}

/** Null: the provider has not answered yet; the lane writes the result itself. */
export type LaneResult = ProviderResult | null

export interface Handover {
  name: string
  /** The instance of the lane that is meant: its memory tells what it has sent. */
  instance: string
  messages: LaneMessage[]
  /** It comes from a runner, not from another lane: the runner says when the results are written down. */
  isOfRunner: boolean
}

export interface LaneReply {
  instance: string
  /** In the order of the messages. Null: another instance was meant, and nothing was sent. */
  results: LaneResult[] | null
}
