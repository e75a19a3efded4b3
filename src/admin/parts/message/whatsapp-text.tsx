import { Fragment, type ReactNode } from 'react'

/** A placeholder, or a text between the marks that WhatsApp formats by; marks within a word are letters. */
const MARKED =
  /\{\{\s*([^{}]+?)\s*\}\}|```([^`]+)```|(?<!\w)\*(?=\S)([^*\n]+)(?<=\S)\*(?!\w)|(?<!\w)_(?=\S)([^_\n]+)(?<=\S)_(?!\w)|(?<!\w)~(?=\S)([^~\n]+)(?<=\S)~(?!\w)/

interface WhatsappTextProps {
  text: string
  /** Returns the value of a placeholder; undefined shows its name. */
  valueAt?: (name: string) => string | undefined
}

/** A text as WhatsApp shows it: bold, italic, struck out, code; its placeholders are marked. */
export const WhatsappText = ({ text, valueAt = () => undefined }: WhatsappTextProps) => <>{runs(text, valueAt)}</>

function runs(text: string, valueAt: (name: string) => string | undefined): ReactNode {
  const found = MARKED.exec(text)
  if (!found) return text
  const [whole, name, code, bold, italic, struck] = found
  const inner = (part: string) => runs(part, valueAt)
  return (
    <Fragment>
      {text.slice(0, found.index)}
      {name !== undefined && <Placeholder name={name} value={valueAt(name)} />}
      {code !== undefined && <code className="font-mono">{code}</code>}
      {bold !== undefined && <b>{inner(bold)}</b>}
      {italic !== undefined && <i>{inner(italic)}</i>}
      {struck !== undefined && <s>{inner(struck)}</s>}
      {runs(text.slice(found.index + whole.length), valueAt)}
    </Fragment>
  )
}

const Placeholder = ({ name, value }: { name: string; value: string | undefined }) =>
  value ? (
    <mark title={`{{${name}}}`} className="rounded bg-transparent text-ink underline decoration-dotted">
      {value}
    </mark>
  ) : (
    <mark className="rounded bg-info-soft px-1 font-mono text-[12px] text-info">{`{{${name}}}`}</mark>
  )
