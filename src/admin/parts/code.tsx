import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'

const SHOWN_MS = 1_500

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <>
      <IconButton
        label={label}
        icon={isCopied ? 'check' : 'copy'}
        className="size-6!"
        onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}
      />
      <span role="status" className="sr-only">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  )
}

/** A short text to copy, such as an id. */
export function Copyable({ text, shown = text }: { text: string; shown?: string }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-0.5">
      <code className="truncate font-mono text-[12.5px]" title={text}>
        {shown}
      </code>
      <CopyButton text={text} label={`Copy ${text}`} />
    </span>
  )
}

export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div className="flex items-start rounded-md border border-line bg-sunken">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        className="max-h-96 min-w-0 flex-1 overflow-auto rounded-md"
      >
        <pre className="p-3 font-mono text-[12.5px] leading-5 whitespace-pre">{text}</pre>
      </section>
      <div className="p-1">
        <CopyButton text={text} label={`Copy: ${label}`} />
      </div>
    </div>
  )
}

export const Json = ({ value, label }: { value: unknown; label: string }) => (
  <Code text={JSON.stringify(value, null, 2) ?? ''} label={label} />
)
