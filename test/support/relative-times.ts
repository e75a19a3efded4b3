import fc from 'fast-check'

// Times relative to the one of a request, and what they mean: found by looking at clocks, without a line of the code that
// calculates it.

/** The kind of the compared value: with a time, or a day. */
export type TimeForm = 'day' | 'time'

export interface RelativeTime {
  now?: string
  today?: string
  timeZone?: string
}

/** Zones with half and quarter hours, both sides of the date line, summer time of half an hour, and none at all. */
export const ZONES = [
  ...['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia'],
  ...['Australia/Lord_Howe', 'America/Sao_Paulo', 'Africa/Casablanca'],
]

const count = (most: number, letter: string) =>
  fc.option(fc.nat({ max: most }), { freq: 1 }).map(each => (each === null ? '' : `${each}${letter}`))
const days = fc.tuple(count(2, 'Y'), count(14, 'M'), count(5, 'W'), count(40, 'D')).map(parts => parts.join(''))
const hours = fc.tuple(count(50, 'H'), count(90, 'M'), count(100, 'S')).map(parts => parts.join(''))
const sign = fc.constantFrom('', '-', '-', '+')
const duration = (mayBeExact: boolean): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom('P0D', '-P1D', 'P1D', '-P1M') },
    {
      weight: 2,
      arbitrary: fc.tuple(sign, days, mayBeExact ? hours : fc.constant('')).map(([minus, date, time]) => {
        const written = date + (time === '' ? '' : `T${time}`)
        return `${minus}P${written === '' ? '0D' : written}`
      }),
    },
  )

/** A day has no hours, so it is relative to today. */
export const relativeTime = (form: TimeForm): fc.Arbitrary<RelativeTime> => {
  const zone = fc.option(fc.constantFrom(...ZONES), { nil: undefined, freq: 2 })
  const today = fc.record({ today: duration(false), timeZone: zone })
  const now = fc.record({ now: duration(true), timeZone: zone })
  return (form === 'day' ? today : fc.oneof(today, now)).map(
    each => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)) as RelativeTime,
  )
}

export const isRelative = (value: unknown): value is RelativeTime =>
  typeof value === 'object' && value !== null && ('now' in value || 'today' in value)

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Returns the clock time of the zone, as epoch milliseconds of a clock in UTC that shows the same. */
function shown(zone: string, ms: number): number {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  clocks.set(zone, clock)
  const parts = Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((ms % 1_000) + 1_000) % 1_000)
}

const QUARTER_MS = 900_000
const HALF_DAY_QUARTERS = 60

/** The first moment at which clocks show a time; of a time that no clock shows, the one that is as long after the gap. */
function firstShown(zone: string, wall: number): number {
  const candidates = Array.from(
    { length: 2 * HALF_DAY_QUARTERS + 1 },
    (_, nth) => wall + (nth - HALF_DAY_QUARTERS) * QUARTER_MS,
  )
  const [first] = candidates.filter(each => shown(zone, each) === wall)
  return first ?? wall - (shown(zone, wall - 86_400_000) - (wall - 86_400_000))
}

/** The moment that is meant. */
function toMoment(relative: RelativeTime, asked: number): number {
  const zone = relative.timeZone ?? 'UTC'
  const text = relative.now ?? relative.today ?? ''
  const [date = '', time = ''] = text.replace(/^[+-]?P/, '').split('T')
  const back = text.startsWith('-') ? -1 : 1
  const amount = (of: string, letter: string) => back * Number(new RegExp(`(\\d+)${letter}`).exec(of)?.[1] ?? 0)
  const [months, moved] = [12 * amount(date, 'Y') + amount(date, 'M'), 7 * amount(date, 'W') + amount(date, 'D')]
  const exact = 3_600_000 * amount(time, 'H') + 60_000 * amount(time, 'M') + 1_000 * amount(time, 'S')
  if (relative.today === undefined && months === 0 && moved === 0) return asked + exact
  const wall = new Date(shown(zone, asked))
  if (relative.today !== undefined) wall.setUTCHours(0, 0, 0, 0)
  const [year, month] = [wall.getUTCFullYear(), wall.getUTCMonth() + months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const day = Math.min(wall.getUTCDate(), lastDay) + moved
  const clockTime = wall.getTime() % 86_400_000
  return firstShown(zone, Date.UTC(year, month, day) + ((clockTime + 86_400_000) % 86_400_000)) + exact
}

const meant = new WeakMap<RelativeTime, string | number>()

/** The same, looked up once: a filter is asked of many processes, all at the same time. */
export function comparedAtOnce(relative: RelativeTime, type: string | undefined, asked: number): string | number {
  const value = meant.get(relative) ?? comparedWith(relative, type, asked)
  meant.set(relative, value)
  return value
}

/** Converts a relative time for comparison with values of the type; a time of a process is epoch milliseconds, too. */
export function comparedWith(relative: RelativeTime, type: string | undefined, asked: number): string | number {
  const ms = toMoment(relative, asked)
  if (type !== 'date' && type !== 'datetimeISO8601') return ms
  const zone = relative.timeZone ?? 'UTC'
  const wall = shown(zone, ms)
  const text = new Date(wall).toISOString()
  if (type === 'date') return text.slice(0, 10)
  const ahead = Math.round((wall - ms) / 60_000)
  const two = (number: number) => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60]
  return text.slice(0, 19) + (ahead === 0 ? 'Z' : `${ahead < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`)
}
