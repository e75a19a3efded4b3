/** So many lanes take turns: one that still waits for slow answers is not the next one. */
const NAMES = 8

/** The names of the lanes that one sender hands messages to itself. Each is used for one handover at a time. */
export class LanePool {
  readonly #busy = new Set<number>()
  #last = -1

  async use<T>(act: (name: number) => Promise<T>): Promise<T> {
    const name = this.#next()
    this.#busy.add(name)
    try {
      return await act(name)
    } finally {
      this.#busy.delete(name)
    }
  }

  #next(): number {
    const names = Array.from({ length: NAMES }, (_, nth) => (this.#last + 1 + nth) % NAMES)
    this.#last = names.find(name => !this.#busy.has(name)) ?? names[0] ?? 0
    return this.#last
  }
}
