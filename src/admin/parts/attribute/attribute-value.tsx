import { useState } from 'react'
import type { ProcedureAttribute } from '../../api/procedure.ts'
import { useUserName } from '../../api/users.ts'
import { formatPhone } from '../message/phone-number.ts'
import { formatNumber } from '../text/number-text.ts'
import { Time } from '../time.tsx'
import { formatDay } from '../times.ts'
import { type DisplayKind, getTypeRules } from './types.ts'

interface AttributeValueProps {
  /** The value as the API returned it. */
  value: unknown
  /** The definition of the attribute; without it the value is shown by its JSON type. */
  attribute?: Pick<ProcedureAttribute, 'type'> | undefined
  /** No links, and on one line: within a table, whose first link is the row's. */
  isPlain?: boolean
}

/** A value of an attribute, by the type that the procedure declares. */
export function AttributeValue({ value, attribute, isPlain = false }: AttributeValueProps) {
  if (value === null || value === undefined || value === '') return <None />
  const shown = attribute && getTypeRules(attribute.type).shown
  if (shown === 'instant' && typeof value === 'number') return <Time at={value} />
  if (shown === 'day' || shown === 'instant') return <WrittenTime value={value} isDay={shown === 'day'} />
  if (shown === 'user' && typeof value === 'string') return <UserName id={value} />
  if (shown === 'place') return <span>{formatPlace(value)}</span>
  if (Array.isArray(value) && value.every(each => typeof each !== 'object')) return <Several values={value} />
  if (typeof value === 'boolean') return <span>{value ? 'Yes' : 'No'}</span>
  if (typeof value === 'number') return <span>{formatNumber(value)}</span>
  if (typeof value === 'object') return <Document value={value} isPlain={isPlain} />
  const text = shown === 'phone' ? formatPhone(String(value)) : String(value)
  const href = isPlain ? undefined : toHref(shown, text)
  if (href === undefined) return isPlain ? <span dir="auto">{text}</span> : <LongText text={text} />
  return (
    <a href={href} target="_blank" rel="noreferrer" className="text-accent underline">
      {text}
    </a>
  )
}

const None = () => <span className="text-ink-3">–</span>

/** The name of a user, beside whose id nothing has to be known; null is nobody. */
export function UserName({ id }: { id: string | null }) {
  const getUserName = useUserName()
  return id === null ? <None /> : <span title={id}>{getUserName(id)}</span>
}

function toHref(shown: DisplayKind | undefined, text: string): string | undefined {
  if (shown === 'email') return `mailto:${text}`
  if (shown === 'phone') return `tel:${/^[1-9]/.test(text) ? '+' : ''}${text}`
  if (shown === 'link' && /^https?:\/\//i.test(text)) return text
  return undefined
}

/** A day has no zone; a point in time that was written with one is shown in the reader's. What can't be read is shown as it is. */
function WrittenTime({ value, isDay }: { value: unknown; isDay: boolean }) {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) return <span>{String(value)}</span>
  if (!isDay) return <Time at={ms} />
  return <time dateTime={String(value)}>{formatDay(new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length))}</time>
}

function formatPlace(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'object' && value !== null)
    return [Reflect.get(value, 'latitude'), Reflect.get(value, 'longitude')].join(', ')
  return String(value)
}

function Several({ values }: { values: readonly unknown[] }) {
  if (values.length === 0) return <None />
  return (
    <span className="inline-flex flex-wrap gap-1">
      {[...new Set(values.map(String))].map(each => (
        <span key={each} className="rounded bg-hover px-1.5 py-px">
          {each}
        </span>
      ))}
    </span>
  )
}

function Document({ value, isPlain }: { value: unknown; isPlain: boolean }) {
  if (isPlain) return <code className="font-mono text-xs">{JSON.stringify(value)}</code>
  return (
    <div className="overflow-x-auto font-mono text-xs">
      <LongText text={JSON.stringify(value, null, 2)} />
    </div>
  )
}

/** A longer text is shown in part until the reader asks for the rest. */
const CHARACTERS_SHOWN = 600
const LINES_SHOWN = 12

/** Cuts a text to the lines and characters that are shown at first. */
function cutText(text: string): string {
  const lines = text.split('\n')
  const few = lines.length > LINES_SHOWN ? lines.slice(0, LINES_SHOWN).join('\n') : text
  // The cut must not separate the two halves of a character.
  return few.length > CHARACTERS_SHOWN ? few.slice(0, CHARACTERS_SHOWN).replace(/[\uD800-\uDBFF]$/, '') : few
}

/** Shows a text of any length and direction. A very long one does not push away the content below it. */
function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const beginning = cutText(text)
  return (
    <>
      <span dir="auto" className="break-words whitespace-pre-wrap">
        {isWhole ? text : beginning}
        {!isWhole && beginning !== text && '…'}
      </span>
      {beginning !== text && (
        <button
          type="button"
          className="block text-[13px] text-accent underline"
          aria-expanded={isWhole}
          onClick={() => setWhole(now => !now)}
        >
          {isWhole ? 'Show less' : `Show all ${text.length.toLocaleString()} characters`}
        </button>
      )}
    </>
  )
}
