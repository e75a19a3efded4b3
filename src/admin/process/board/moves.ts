import type { Process } from 'caseworker'
import { useCallback, useState } from 'react'

/** A process that the reader has moved since the board was read, and where it was then. */
interface Move {
  from: string
  process: Process
}

export type Moves = Readonly<Record<string, Move>>

/** The moves that are not yet in what was read: shown at once, put back if they are refused. */
export function useMoves() {
  const [moves, setMoves] = useState<Moves>({})
  const show = useCallback(
    (process: Process) =>
      setMoves(now => ({ ...now, [process.id]: { from: now[process.id]?.from ?? process.state, process } })),
    [],
  )
  /** Stores the column in which a card was read, before it is shown in another one. */
  const hold = useCallback(
    (process: Process) =>
      setMoves(now => (now[process.id] ? now : { ...now, [process.id]: { from: process.state, process } })),
    [],
  )
  const forget = useCallback(() => setMoves({}), [])
  return { moves, show, hold, forget }
}

/** The cards of a state: what was moved into it, then what was read, without what was moved away. */
export function listCards(state: string, read: readonly Process[], moves: Moves): Process[] {
  const movedIn = Object.values(moves).filter(({ from, process }) => from !== state && process.state === state)
  const stayed = read.map(each => moves[each.id]?.process ?? each).filter(each => each.state === state)
  const shown = new Set(stayed.map(({ id }) => id))
  return [...movedIn.map(({ process }) => process).filter(({ id }) => !shown.has(id)), ...stayed]
}

/** Returns the number of processes in a state after the moves. */
export const countAfter = (state: string, counted: number, moves: Moves): number =>
  Object.values(moves).reduce(
    (sum, { from, process }) => sum + Number(process.state === state) - Number(from === state),
    counted,
  )
