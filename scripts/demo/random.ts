/** Random numbers that are the same in each run. */
export interface Random {
  /** Returns a number from 0 up to 1. */
  fraction: () => number
  whole: (least: number, most: number) => number
  chance: (probability: number) => boolean
  pick: <T>(some: readonly T[]) => T
  /** Chooses one of some names, each as often as its number says. */
  weighted: <Name extends string>(weights: Readonly<Partial<Record<Name, number>>>) => Name
}

const STEP = 0x6d2b79f5
const RANGE = 2 ** 32

/** Mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed
  const fraction = (): number => {
    state = (state + STEP) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE
  }
  const whole = (least: number, most: number): number => least + Math.floor(fraction() * (most - least + 1))
  return {
    fraction,
    whole,
    chance: probability => fraction() < probability,
    pick: <T>(some: readonly T[]): T => {
      const picked = some[whole(0, some.length - 1)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
    weighted: <Name extends string>(weights: Readonly<Partial<Record<Name, number>>>): Name => {
      const entries = (Object.keys(weights) as Name[]).map(name => [name, weights[name] ?? 0] as const)
      let left = fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      const found =
        entries.find(([, weight]) => {
          left -= weight
          return left < 0
        }) ?? entries.at(-1)
      if (!found) throw new Error('nothing to weigh')
      return found[0]
    },
  }
}
