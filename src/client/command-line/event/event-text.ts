import type { TeamEvent } from '../../client.ts'
import { cellText, isTimeField } from '../output/cell-text.ts'
import { hasColor } from '../output/terminal.ts'

const [BOLD, PLAIN] = ['\u001b[1m', '\u001b[22m']
const VALUE_CHARACTERS_MAX = 40

/** An event in one line: when, its number, what, about what, and what changed. */
export function eventText(event: TeamEvent): string {
  const type = hasColor() ? `${BOLD}${event.type}${PLAIN}` : event.type
  return inOneLine(
    [event.timestamp, event.sequence, type, subjectOf(event), changesOf(event)].filter(Boolean).join('  '),
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would change the terminal, save for the bold type
const CONTROL = /[\u0000-\u001a\u001c-\u001f\u007f-\u009f]+/g
const inOneLine = (text: string): string => text.replace(CONTROL, ' ')

type Named = Record<string, unknown>

/** What the event is about: its procedure, if it has one, and its id. */
function subjectOf({ data }: TeamEvent): string {
  const subject = Object.values(data as Named).find(value => typeof value === 'object' && value !== null)
  const { procedureShortId, id } = (Array.isArray(subject) ? data : (subject ?? data)) as Named
  return [procedureShortId, id].filter(each => each !== undefined).join(' ')
}

function changesOf({ data }: TeamEvent): string {
  const { changes } = data as { changes?: readonly Change[] }
  return changesText(changes ?? [])
}

interface Change {
  field: string
  from: unknown
  to: unknown
}

/** What changed: `state: NEW → CONTACTED, data.score: 80 → 85`. */
export const changesText = (changes: readonly Change[]): string =>
  changes.map(({ field, from, to }) => `${field}: ${shown(field, from)} → ${shown(field, to)}`).join(', ')

function shown(field: string, value: unknown): string {
  const text = value === null || value === undefined ? '–' : cellText(value, isTimeField(field))
  return text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX - 1)}…` : text
}
