type Statements = readonly { sql: string; params: readonly unknown[] }[]

interface Commit {
  no: number
  at: number
  statements: Statements
}

const BOOKMARK = /^(\d{8})-00000000-00000000-0{32}$/

export const bookmarkOf = (commits: number): string =>
  `${String(commits).padStart(8, '0')}-00000000-00000000-${'0'.repeat(32)}`

/** How many commits someone has seen who has this bookmark. */
export function commitsOf(bookmark: string): number {
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
  #applying: Promise<unknown> = Promise.resolve()

  /** How many commits the primary has made. */
  get commits(): number {
    return this.#commits
  }

  commit(statements: Statements): void {
    this.#commits += 1
    this.#waiting.push({ no: this.#commits, at: Date.now(), statements })
  }

  /** The database was restored, and its copies with it: what was on its way to them does not arrive. */
  restored(): void {
    this.#waiting = []
  }

  /** Waits for what a reader must see, and brings the copy up to date. Returns the commits that it has then. */
  async catchUp(
    apply: (statements: Statements) => Promise<unknown>,
    { mustSee, lagMs }: { mustSee: number; lagMs: number },
  ): Promise<number> {
    const needed = this.#waiting.find(({ no }) => no === mustSee)
    if (needed && needed.at + lagMs > Date.now())
      await new Promise(resolve => setTimeout(resolve, needed.at + lagMs - Date.now()))
    const hasArrived = ({ at }: Commit) => at + lagMs <= Date.now()
    const arrived = this.#waiting.filter(hasArrived)
    this.#waiting = this.#waiting.filter(each => !hasArrived(each))
    const applied = this.#commits - this.#waiting.length
    // One after the other, whoever of the readers brings them.
    const own = this.#applying.then(async () => {
      for (const { statements } of arrived) await apply(statements)
    })
    this.#applying = own.catch(() => {})
    await own
    return applied
  }
}
