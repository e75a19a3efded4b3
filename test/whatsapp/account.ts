import { DurableObject } from 'cloudflare:workers'
import { Hono } from 'hono'
import { control } from './control.ts'
import { LOCAL_ACCOUNT } from './defaults.ts'
import { post } from './delivery.ts'
import { nextDue, pendingUntil, stillPending, type Webhook } from './delivery-store.ts'
import { files } from './files.ts'
import { graph } from './graph.ts'
import { nothingSent, type Recent } from './limits.ts'
import { readWholeBody } from './network.ts'
import type { PhoneBook } from './phonebook.ts'
import { type AccountDetails, DEFAULT_SETTINGS, type Settings } from './settings.ts'
import { createTables, keep, kept } from './store.ts'

export interface Bindings {
  ACCOUNT: DurableObjectNamespace<Account>
  PHONE_BOOK: DurableObjectNamespace<PhoneBook>
  /** The Worker that webhooks go to. Where it is absent they go over the network. */
  API?: Fetcher
  /** The address of the local account's webhooks until it is changed. */
  CALLBACK_URL?: string
}

/** The environment of an account's routes. */
export interface AccountEnv {
  Bindings: { account: Account }
}

const CONCURRENT_POSTS = 6

const routes = new Hono<AccountEnv>().use(readWholeBody).route('/control', control).route('/', files).route('/', graph)
routes.onError(error => {
  throw error
})

/** A business account: its settings, what it received, and the webhooks it owes. */
export class Account extends DurableObject<Bindings> {
  readonly sql: SqlStorage
  /** The recent messages of each phone number. A restart forgets them. */
  readonly recent = new Map<string, Recent>()
  private delivering: Promise<void> = Promise.resolve()

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env)
    this.sql = ctx.storage.sql
    createTables(this.sql)
  }

  override fetch(request: Request): Response | Promise<Response> {
    return routes.fetch(request, { account: this })
  }

  override async alarm(): Promise<void> {
    if (!this.settings.webhooks.hold) await this.deliver(pendingUntil(this.sql, Date.now()))
  }

  get bindings(): Bindings {
    return this.env
  }

  /** Returns the account; null if nobody has set it up. */
  get details(): AccountDetails | null {
    const isLocal = this.ctx.id.equals(this.env.ACCOUNT.idFromName(LOCAL_ACCOUNT.id))
    const local = { ...LOCAL_ACCOUNT, callbackUrl: this.env.CALLBACK_URL || null }
    return kept<AccountDetails>(this.sql, 'account') ?? (isLocal ? local : null)
  }

  get settings(): Settings {
    return kept<Settings>(this.sql, 'settings') ?? DEFAULT_SETTINGS
  }

  set settings(settings: Settings) {
    keep(this.sql, 'settings', settings)
  }

  recentOf(phoneNumberId: string): Recent {
    const recent = this.recent.get(phoneNumberId) ?? nothingSent()
    this.recent.set(phoneNumberId, recent)
    return recent
  }

  /** Sets the clock to the next webhook. The alarm is what makes it go out when no request is running. */
  async arm(): Promise<void> {
    const due = this.settings.webhooks.hold || !this.details?.callbackUrl ? null : nextDue(this.sql)
    if (due === null) return
    const set = await this.ctx.storage.getAlarm()
    if (set === null || set > due) await this.ctx.storage.setAlarm(due)
  }

  /** Makes one delivery at a time, so that no webhook is in two of them; each is tried once. */
  async deliver(webhooks: Webhook[]): Promise<void> {
    const turn = this.delivering.then(() => this.run(webhooks.map(({ seq }) => seq)))
    this.delivering = turn
    await turn
    await this.arm()
  }

  private async run(seqs: number[]): Promise<void> {
    const { details, settings } = this
    if (!details?.callbackUrl) return
    const lanes = groupByLane(stillPending(this.sql, seqs), settings.webhooks.batch)
    const worker = async () => {
      for (let lane = lanes.shift(); lane; lane = lanes.shift())
        for (const batch of lane) await post(this, details, settings, batch)
    }
    await Promise.all(Array.from({ length: CONCURRENT_POSTS }, worker))
  }
}

/**
 * Groups the webhooks that may go out side by side: a message's statuses keep their order; batches keep that of all.
 */
function groupByLane(webhooks: Webhook[], batch: number): Webhook[][][] {
  const lanes = new Map<string, Webhook[]>()
  for (const webhook of webhooks) {
    const key = batch === 1 ? webhook.message_id : `${webhook.kind} ${webhook.phone_number_id}`
    const lane = lanes.get(key)
    if (lane) lane.push(webhook)
    else lanes.set(key, [webhook])
  }
  return [...lanes.values()].map(lane =>
    Array.from({ length: Math.ceil(lane.length / batch) }, (_, index) =>
      lane.slice(index * batch, (index + 1) * batch),
    ),
  )
}
