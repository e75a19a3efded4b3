/** The first millisecond that a `rid` can stand for: 2024-01-01. */
const EPOCH_MS = 1_704_067_200_000
/** What of a UUIDv7 follows its millisecond in the `rid`: the 12 bits of `rand_a`. */
export const RID_TAIL = 4096

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
/** An id has so many random bytes. */
const RANDOM_BYTES = 8
/** A job makes hundreds of ids at once: their random bytes are asked for together. */
const random = new Uint8Array(RANDOM_BYTES * 128)
let randomUsed = random.length

/** The last 16 digits of a UUID: its variant, and 62 random bits. */
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

/** The beginning of the ids of a millisecond: no id of before comes after it in their order. */
export function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}`
}

/** A UUIDv7: in the order of creation, and its head is the number under which the row is stored. */
export function newId(now: number, tail = Math.floor(Math.random() * RID_TAIL)): string {
  const rest = randomDigits()
  return `${firstIdAt(now)}-7${tail.toString(16).padStart(3, '0')}-${rest.slice(0, 4)}-${rest.slice(4)}`
}

/** The row number that a UUID leads to. Any UUID leads somewhere: the row found must still be asked for its whole id. */
export function toRowNo(id: string): number {
  const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  return (time - EPOCH_MS) * RID_TAIL + Number.parseInt(id.slice(15, 18), 16)
}

export const readCreatedAt = (rid: number): number => Math.floor(rid / RID_TAIL) + EPOCH_MS

/** The smallest row number of a millisecond; those of the same millisecond end below the next one's. */
export const firstRidAt = (ms: number): number => (ms - EPOCH_MS) * RID_TAIL
