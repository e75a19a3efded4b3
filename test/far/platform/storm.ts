import type { Random } from '../../support/random.ts'
import type { CallNamed, Fault, Kind } from './faults.ts'

const HOUR_MS = 3_600_000
const SKEW_MS_MAX = 2_000

/** The probabilities of a storm. Cloudflare publishes no figures: these are far above what anybody has seen. */
interface Chances {
  /** The probability that a call fails. */
  calls: Record<Kind, number>
  /** The probability that an invocation ends between two lines, at each of its calls. */
  death: number
  /** The probability that an object is reset midway, at each call of it. */
  reset: number
  /** The probability that an invocation meets isolates that remember nothing. */
  vanishing: number
  late: number
  twice: number
  never: number
}

const CHANCES: Chances = {
  calls: { database: 0.02, replica: 0.02, object: 0.02, queue: 0.02, provider: 0.01, media: 0.05 },
  death: 0.004,
  reset: 0.004,
  vanishing: 0.05,
  late: 0.2,
  twice: 0.3,
  never: 0.05,
}

const FAULTS: Record<Kind, readonly Fault[]> = {
  database: ['lost before', 'lost after', 'reset before', 'reset after', 'overloaded', 'unreachable', 'hangs after'],
  replica: ['lost before', 'unreachable'],
  object: ['lost before', 'lost after', 'reset before', 'overloaded'],
  queue: ['lost before', 'lost after', 'overloaded'],
  provider: ['lost before', 'lost after'],
  media: ['lost before', 'lost after'],
}

/** These only say that there may be work; the cron says it, too. What another queue carries stands nowhere else. */
const SAYS_ONLY_THAT = /^jobs(-small)?$/

/** Everything that can go wrong, by chance: the same seed makes the same choices. */
export class Storm {
  readonly #random: Random
  readonly #chances: Chances
  /** The number of times that each fault has happened. */
  readonly happened = new Map<string, number>()

  constructor(random: Random, chances: Partial<Chances> = {}) {
    this.#random = random
    this.#chances = { ...CHANCES, ...chances }
  }

  findFault({ kind }: CallNamed): Fault | undefined {
    return this.#happens(this.#chances.calls[kind], kind) ? this.#random.pick(FAULTS[kind]) : undefined
  }

  kills = (): boolean => this.#happens(this.#chances.death, 'death')
  resets = (): boolean => this.#happens(this.#chances.reset, 'reset')
  vanishes = (): boolean => this.#happens(this.#chances.vanishing, 'vanishing')
  repeats = (): boolean => this.#happens(this.#chances.twice, 'twice')
  loses = (queue: string): boolean => SAYS_ONLY_THAT.test(queue) && this.#happens(this.#chances.never, 'never')

  /** Returns the difference of an isolate's clock from the others. */
  skewMs = (): number => this.#random.whole(-SKEW_MS_MAX, SKEW_MS_MAX)

  delayMs(): number {
    return this.#happens(this.#chances.late, 'late') ? this.#random.whole(1, 2 * HOUR_MS) : 0
  }

  #happens(chance: number, what: string): boolean {
    if (!this.#random.chance(chance)) return false
    this.happened.set(what, (this.happened.get(what) ?? 0) + 1)
    return true
  }
}
