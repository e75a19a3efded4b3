import { DurableObject } from 'cloudflare:workers'
import { openDatabase } from '../../db/databases.ts'
import { selectFeedTeams } from '../../event/feed-rows.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import { providerOf } from '../../plugin/provider.ts'
import { settlementQueueOf } from '../ledger/queue.ts'
import { settleMessages } from '../ledger/settle.ts'
import type { Lanes } from './handover.ts'
import { type LaneContext, newLane } from './lane.ts'
import type { Handover, LaneReply } from './message.ts'

/** A lane as a Durable Object: an invocation of its own. It stores nothing; what it has sent it remembers for a minute. */
export class SendLane extends DurableObject<Env> {
  readonly #lane = newLane(laneContextOf(this.env, work => this.ctx.waitUntil(work)))

  open(): string {
    return this.#lane.open()
  }

  send(handover: Handover): Promise<LaneReply> {
    return this.#lane.send(handover)
  }

  release(id: string): void {
    this.#lane.release(id)
  }
}

export const lanesOf = ({ SEND_LANE }: Pick<Env, 'SEND_LANE'>): Lanes => ({
  of: name => SEND_LANE.get(SEND_LANE.idFromName(name)),
  instances: new Map(),
})

export const laneContextOf = (env: Env, keepAlive: LaneContext['keepAlive']): LaneContext => ({
  provider: providerOf(env),
  lanes: lanesOf(env),
  async settle(message) {
    const context = { db: openDatabase(env), queue: settlementQueueOf(env) }
    for (const team of await settleMessages(context, message, [selectFeedTeams([message.team])]))
      await signalCommit(env, team)
  },
  keepAlive,
  after: (ms, act) => {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
})
