import type { Fault } from '../errors.ts'
import { MINUTE_MS } from '../time-units.ts'

interface Names {
  firstName?: string | undefined
  lastName?: string | undefined
}

export const formatDisplayName = ({ firstName = '', lastName = '' }: Names): string => `${firstName} ${lastName}`.trim()

/** Formats a time as local time at the offset `+0530`, such as `2021-09-17T00:04:58.108+05:30`. */
export function formatLocalTime(ms: number, offset: string): string {
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3, 5))
  const shifted = new Date(ms + (offset.startsWith('-') ? -minutes : minutes) * MINUTE_MS)
  return `${shifted.toISOString().slice(0, -1)}${offset.slice(0, 3)}:${offset.slice(3)}`
}

export const noSuchUser = (reference: string, path?: string): Fault => ({
  message: `no user ${JSON.stringify(reference)}`,
  ...(path === undefined ? {} : { path }),
  hint: "a user's id, username or e-mail address",
})
