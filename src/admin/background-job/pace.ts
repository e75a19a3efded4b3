import { useRef } from 'react'

interface Look {
  at: number
  done: number
}

/** Over at least this long, so that a step of some hundred entries is not taken for the pace. */
const OVER_MS = 4_000
const LOOKS_MAX = 60

/** How many entries a second are done, by what was seen of late; and when the rest will be, at that pace. */
export function usePace(
  done: number,
  total: number,
  isLive: boolean,
): { perSecond: number; leftMs: number } | undefined {
  const looks = useRef<Look[]>([])
  const now = Date.now()
  const last = looks.current.at(-1)
  if (isLive && last?.done !== done) looks.current = [...looks.current.slice(1 - LOOKS_MAX), { at: now, done }]
  const first = looks.current[0]
  if (!isLive || !first || now - first.at < OVER_MS || done === first.done) return undefined
  const perSecond = ((done - first.done) * 1_000) / (now - first.at)
  return { perSecond, leftMs: ((total - done) * 1_000) / perSecond }
}
