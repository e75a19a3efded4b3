/** Random choices that can be repeated: the same seed makes the same ones. */
export interface Random {
  /** A number from 0 up to, and without, 1. */
  next(): number
  /** Returns true with this probability. */
  chance(probability: number): boolean
  whole(min: number, max: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    chance: probability => next() < probability,
    whole,
    pick: items => {
      if (items.length === 0) throw new Error('nothing to pick from')
      return items[whole(0, items.length - 1)] as (typeof items)[number]
    },
  }
}
