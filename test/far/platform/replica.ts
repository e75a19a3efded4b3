import { sleep } from '../../support/sleep.ts'
import { countBytes } from './bodies.ts'

type Statements = readonly { sql: string; params: readonly unknown[] }[]

/** From this size on the arrived commits are written to the copy, whether somebody reads it or not. */
const WAITING_BYTES_MAX = 8_000_000

interface Commit {
  no: number
  at: number
  statements: Statements
  bytes: number
}

const BOOKMARK = /^(\d{8})-00000000-00000000-0{32}$/

export const toBookmark = (commits: number): string =>
  `${String(commits).padStart(8, '0')}-00000000-00000000-${'0'.repeat(32)}`

/** Returns the number of commits that the bearer of this bookmark has seen. */
export function parseCommits(bookmark: string): number {
  const found = BOOKMARK.exec(bookmark)?.[1]
  if (found === undefined) throw new Error('D1_ERROR: Invalid bookmark')
  return Number(found)
}

/**
 * A copy of the database somewhere else, to which each commit comes some time after it was made. The commits are run
 * again there, so what writes to the primary without being told here is never seen by a reader of the replica.
 */
export class Replica {
  #commits = 0
  #waiting: Commit[] = []
  #waitingBytes = 0
  #applying: Promise<unknown> = Promise.resolve()

  /** Returns the number of commits of the primary. */
  get commits(): number {
    return this.#commits
  }

  commit(statements: Statements): void {
    this.#commits += 1
    const kept = statements.map(({ sql, params }) => ({ sql, params }))
    const bytes = kept.reduce((sum, { params }) => params.reduce<number>((all, each) => all + countBytes(each), sum), 0)
    this.#waiting.push({ no: this.#commits, at: Date.now(), statements: kept, bytes })
    this.#waitingBytes += bytes
  }

  get isFull(): boolean {
    return this.#waitingBytes > WAITING_BYTES_MAX
  }

  /** The database was restored, and its copies with it: what was on its way to them does not arrive. */
  restored(): void {
    this.#waiting = []
    this.#waitingBytes = 0
  }

  /** Waits for what a reader must see, and brings the copy up to date. Returns the commits that it has then. */
  async catchUp(
    apply: (statements: Statements) => Promise<unknown>,
    { mustSee, lagMs }: { mustSee: number; lagMs: number },
  ): Promise<number> {
    const needed = this.#waiting.find(({ no }) => no === mustSee)
    if (needed && needed.at + lagMs > Date.now()) await sleep(needed.at + lagMs - Date.now())
    const hasArrived = ({ at }: Commit) => at + lagMs <= Date.now()
    const arrived = this.#waiting.filter(hasArrived)
    this.#waiting = this.#waiting.filter(each => !hasArrived(each))
    this.#waitingBytes = this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0)
    const applied = this.#commits - this.#waiting.length
    // Commits are applied one after the other, whichever reader brings them.
    const own = this.#applying.then(async () => {
      // A row that a test wrote past the place is not here, so a commit that relies on it fails here, and is left out.
      for (const { statements } of arrived) await apply(statements).catch(() => {})
    })
    this.#applying = own.catch(() => {})
    await own
    return applied
  }
}
