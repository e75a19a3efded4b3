import { BASE62, readHome, toHome } from './home.ts'

/** The prefix of each kind of token, by which a token is recognised wherever it is found. */
const PREFIX = { key: 'cw_', session: 'cws_', link: 'cwl_' } as const
type TokenKind = keyof typeof PREFIX
const RANDOM_LENGTH = 36
const CHECKSUM_LENGTH = 6
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const SHAPE = new RegExp(`^([0-9A-Za-z]{2,9})_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/**
 * Creates a token: `cw_<home>_<secret><checksum>`. The checksum covers all that precedes it, so that a mistyped token is
 * refused without asking the database.
 */
export function createToken(team: number, kind: TokenKind = 'key'): string {
  let random = ''
  while (random.length < RANDOM_LENGTH) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    // 248 is the largest multiple of 62 in a byte: accepting more would favour some characters.
    if (byte < 248) random += BASE62.charAt(byte % 62)
  }
  const text = `${PREFIX[kind]}${toHome(team)}_${random}`
  return text + checksum(text)
}

/** Reads the number of the team that a token names; undefined if it is not one of our tokens, or is mistyped. */
export function readTeam(token: string, kind: TokenKind = 'key'): number | undefined {
  if (!token.startsWith(PREFIX[kind])) return undefined
  const home = SHAPE.exec(token.slice(PREFIX[kind].length))?.[1]
  if (home === undefined || !token.endsWith(checksum(token.slice(0, -CHECKSUM_LENGTH)))) return undefined
  return readHome(home)
}

/** The stored part of a token. Both members together find its row. */
export interface StoredToken {
  team: number
  hash: string
}

/** Reads a token; undefined if it is not one of ours, or is mistyped. */
export async function readToken(token: string, kind: TokenKind = 'key'): Promise<StoredToken | undefined> {
  const team = readTeam(token, kind)
  return team === undefined ? undefined : { team, hash: await hashToken(token) }
}

/** Hashes a token for storage. A fast hash is right for a secret with more than 200 random bits. */
export async function hashToken(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return Array.from(new Uint8Array(hash), byte => HEX[byte]).join('')
}

const RANDOM_SHOWN = 4
export const getLastFour = (token: string): string => token.slice(-4)
/** Returns the part by which people recognise a key: its kind, its home and the beginning of its secret. */
export const getTokenPrefix = (token: string): string => token.slice(0, token.lastIndexOf('_') + 1 + RANDOM_SHOWN)

function checksum(text: string): string {
  let crc = 0xffffffff
  for (const char of text) {
    crc ^= char.charCodeAt(0)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let digits = ''
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
