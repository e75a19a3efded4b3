import { useState } from 'react'

/** What is longer is shown in part until it is asked for. */
const CHARACTERS_SHOWN = 600
const LINES_SHOWN = 12

/** As many lines and characters of a text as are shown at first. */
function beginningOf(text: string): string {
  const lines = text.split('\n')
  const few = lines.length > LINES_SHOWN ? lines.slice(0, LINES_SHOWN).join('\n') : text
  // Not between the two halves of a character.
  return few.length > CHARACTERS_SHOWN ? few.slice(0, CHARACTERS_SHOWN).replace(/[\uD800-\uDBFF]$/, '') : few
}

/** A text of any length and direction. A very long one does not push away what stands below it. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const beginning = beginningOf(text)
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
