/** The first millisecond that a `rid` can represent: 2024-01-01. */
export const RID_EPOCH_MS = 1_704_067_200_000
/** The number of row numbers of a millisecond: a `rid` has the 12 bits of a UUIDv7's `rand_a` after its time. */
export const RID_TAIL = 4096

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
/** The random bytes of an id. */
const RANDOM_BYTES = 8
/** Random bytes for many ids. A job makes hundreds at once, so the bytes are requested together. */
const random = new Uint8Array(RANDOM_BYTES * 128)
let randomUsed = random.length

/** Returns the last 16 digits of a UUID: its variant, and 62 random bits. */
function randomDigits(): string {
  if (randomUsed === random.length) {
    crypto.getRandomValues(random)
    randomUsed = 0
  }
  let digits = HEX[0x80 | ((random[randomUsed] ?? 0) & 0x3f)] ?? ''
  for (let nth = 1; nth < RANDOM_BYTES; nth++) digits += HEX[random[randomUsed + nth] ?? 0] ?? ''
  randomUsed += RANDOM_BYTES
  return digits
}

/** Returns the beginning of the ids of a millisecond. No earlier id sorts after it. */
export function getFirstId(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}`
}

/** Makes a UUIDv7. Ids are in the order of creation, and the head of one is the number under which its row is stored. */
export function newId(now: number, tail = Math.floor(Math.random() * RID_TAIL)): string {
  const rest = randomDigits()
  return `${getFirstId(now)}-7${tail.toString(16).padStart(3, '0')}-${rest.slice(0, 4)}-${rest.slice(4)}`
}

/** Returns the row number of a UUID. Any UUID leads to a number, so the row must be checked for its whole id. */
export function toRowNo(id: string): number {
  const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  return (time - RID_EPOCH_MS) * RID_TAIL + Number.parseInt(id.slice(15, 18), 16)
}

export const readCreatedAt = (rid: number): number => Math.floor(rid / RID_TAIL) + RID_EPOCH_MS

/** Returns the smallest row number of a millisecond. Those of the same millisecond are below the next one's. */
export const getFirstRid = (ms: number): number => (ms - RID_EPOCH_MS) * RID_TAIL
