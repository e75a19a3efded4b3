const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** What a token is for can be told by its beginning, wherever it is found. */
const PREFIX = { key: 'cw_', session: 'cws_', link: 'cwl_' } as const
export type TokenKind = keyof typeof PREFIX
const RANDOM_LENGTH = 36
const CHECKSUM_LENGTH = 6
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const SHAPE = new RegExp(`^[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/** A secret with a checksum at its end, so that a mistyped one is refused without asking the database. */
export function newToken(kind: TokenKind = 'key'): string {
  let random = ''
  while (random.length < RANDOM_LENGTH) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    // 248 is the largest multiple of 62 in a byte: taking more would favour some characters.
    if (byte < 248) random += BASE62.charAt(byte % 62)
  }
  return PREFIX[kind] + random + checksum(random)
}

export function isWellFormed(token: string, kind: TokenKind = 'key'): boolean {
  if (!token.startsWith(PREFIX[kind])) return false
  const secret = token.slice(PREFIX[kind].length)
  return SHAPE.test(secret) && token.endsWith(checksum(secret.slice(0, RANDOM_LENGTH)))
}

/** What is stored of a token. A fast hash is right for a secret with more than 200 random bits. */
export async function hashToken(token: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return Array.from(new Uint8Array(hash), byte => HEX[byte]).join('')
}

const PREFIX_SHOWN = PREFIX.key.length + 4
export const getLastFour = (token: string): string => token.slice(-4)
export const getTokenPrefix = (token: string): string => token.slice(0, PREFIX_SHOWN)

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
