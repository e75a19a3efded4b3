import type { Procedure } from 'caseworker'

/** The transitions from one state to those on one side of it, which share a line beside the column of states. */
export interface StateLane {
  from: number
  to: number[]
  /** The position beside the column; 0 is the nearest. */
  lane: number
}

interface StateWays {
  /** Transitions to the next state in order, drawn as straight arrows. */
  straight: number[]
  /** Transitions to later states, drawn at the right. */
  forward: StateLane[]
  /** Transitions to earlier states, drawn at the left. */
  back: StateLane[]
}

/** Plans the arrows between states that are drawn one below the other. A state without `next`, which any may follow, gets none. */
export function planStateWays(states: Procedure['states']): StateWays {
  const places = new Map(states.map(({ shortId }, place) => [shortId, place]))
  const targets = states.map(({ next = [] }) => next.flatMap(shortId => places.get(shortId) ?? []))
  const lanesTo = (isThere: (from: number, to: number) => boolean): StateLane[] =>
    withLanes(
      targets.flatMap((to, from) => {
        const there = to.filter(each => isThere(from, each))
        return there.length > 0 ? [{ from, to: there }] : []
      }),
    )
  return {
    straight: targets.flatMap((to, from) => (to.includes(from + 1) ? [from] : [])),
    forward: lanesTo((from, to) => to > from + 1),
    back: lanesTo((from, to) => to < from),
  }
}

const getEnds = ({ from, to }: Pick<StateLane, 'from' | 'to'>) =>
  [Math.min(from, ...to), Math.max(from, ...to)] as const

/** Short ways are the nearest; two that lie beside each other have different lanes. */
function withLanes(ways: readonly Pick<StateLane, 'from' | 'to'>[]): StateLane[] {
  const length = (way: Pick<StateLane, 'from' | 'to'>) => getEnds(way)[1] - getEnds(way)[0]
  const placed: StateLane[] = []
  for (const way of [...ways].sort((one, other) => length(one) - length(other))) {
    const [top, bottom] = getEnds(way)
    const taken = placed.filter(each => getEnds(each)[0] <= bottom && getEnds(each)[1] >= top).map(({ lane }) => lane)
    let lane = 0
    while (taken.includes(lane)) lane++
    placed.push({ ...way, lane })
  }
  return placed
}
