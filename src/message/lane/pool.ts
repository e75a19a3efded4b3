/** So many lanes take turns: one that still waits for slow answers is not the next one. */
const LANES = 8

/** The lanes that one sender hands messages to itself, by number. Each is used for one handover at a time. */
export type LanePool = <T>(act: (lane: number) => Promise<T>) => Promise<T>

export function newLanePool(): LanePool {
  const busy = new Set<number>()
  let last = -1
  return async act => {
    const inTurn = Array.from({ length: LANES }, (_, nth) => (last + 1 + nth) % LANES)
    const lane = inTurn.find(each => !busy.has(each)) ?? (last + 1) % LANES
    last = lane
    busy.add(lane)
    try {
      return await act(lane)
    } finally {
      busy.delete(lane)
    }
  }
}
