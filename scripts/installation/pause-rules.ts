// Which state an installation may pass to which other one, and by whom. It is read from the names of the secrets of the version
// that runs: everybody can see these in the account, and nobody can read a value. PAUSED is there in a pause and in a restore.
// RESTORE_<run> is there from before the database goes back until all that was taken away is taken away again.

const RUN = /^RESTORE_[0-9A-F]{8}$/
export const PAUSED = 'PAUSED'

interface PauseState {
  isPaused: boolean
  /** The restores that have not ended. More than one: two began in the same second, or one was taken over. */
  restores: readonly string[]
}

export const readPauseState = (secrets: readonly string[]): PauseState => ({
  isPaused: secrets.includes(PAUSED),
  restores: secrets.filter(name => RUN.test(name)),
})

/** Lists what the end of a pause or of a restore takes away, in this order: with PAUSED there, nothing is open. */
export const listPauseSecrets = ({ isPaused, restores }: PauseState): string[] => [
  ...restores,
  ...(isPaused ? [PAUSED] : []),
]

/** The secrets that say no more than this: a version that differs in them alone has the secrets of now. */
export const isOfPause = (secret: string): boolean => secret === PAUSED || RUN.test(secret)

export type Wish =
  | { verb: 'pause' | 'rollback' }
  | { verb: 'resume'; abandonsRestore: boolean }
  /** `own`: the restore that this machine has begun. */
  | { verb: 'restore'; own: string | undefined; takesOver: boolean }

/**
 * `stays`: it is closed, which is more than was asked for. `unfinished`: a restore has not ended, and to go on would open what it
 * has yet to take away. `of another`: a restore that this machine knows nothing of.
 */
type Decision = 'allowed' | 'stays' | 'unfinished' | 'of another'

export function decide({ restores }: PauseState, wish: Wish): Decision {
  if (wish.verb === 'restore')
    return wish.takesOver || restores.every(run => run === wish.own) ? 'allowed' : 'of another'
  if (restores.length === 0) return 'allowed'
  if (wish.verb === 'pause') return 'stays'
  return wish.verb === 'resume' && wish.abandonsRestore ? 'allowed' : 'unfinished'
}
