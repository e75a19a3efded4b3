import { type ReactNode, useEffect, useRef } from 'react'
import { IconButton } from '../parts/button.tsx'
import { Field, TextInput } from '../parts/field.tsx'

interface PartRowProps {
  /** "State Done". */
  label: string
  isFirst: boolean
  isLast: boolean
  canGo?: boolean
  /** True if the part was just added: its name gets the focus. */
  isAdded?: boolean
  onMove: (by: 1 | -1) => void
  onRemove: () => void
  children: ReactNode
}

/** A state or an attribute of the form, which can be moved and removed. */
export function PartRow({
  label,
  isFirst,
  isLast,
  canGo = true,
  isAdded = false,
  onMove,
  onRemove,
  children,
}: PartRowProps) {
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isAdded) row.current?.querySelector('input')?.focus()
  }, [isAdded])
  // A button that can't be pressed any more, or is gone, has lost the focus.
  const focusNext = (find: () => HTMLElement | null | undefined) => requestAnimationFrame(() => find()?.focus())
  const move = (by: 1 | -1) => {
    onMove(by)
    const [wanted, other] = by === 1 ? ['down', 'up'] : ['up', 'down']
    focusNext(
      () => ofRow(row.current, `[data-move="${wanted}"]:enabled`) ?? ofRow(row.current, `[data-move="${other}"]`),
    )
  }
  const remove = () => {
    const list = row.current?.parentElement
    const place = list && row.current ? [...list.children].indexOf(row.current) : 0
    onRemove()
    focusNext(() => ofRow(list?.children[place] ?? list?.lastElementChild, 'input') ?? findAddButton(list))
  }
  return (
    <li ref={row} className="border-b border-line py-3 first:pt-0 last:border-0">
      <fieldset className="flex min-w-0 flex-col gap-2 lg:flex-row">
        <legend className="sr-only">{label}</legend>
        <div className="flex min-w-0 flex-1 flex-col gap-2">{children}</div>
        <div className="flex lg:pt-7">
          <IconButton label={`Move ${label} up`} icon="up" data-move="up" disabled={isFirst} onClick={() => move(-1)} />
          <IconButton
            label={`Move ${label} down`}
            icon="down"
            data-move="down"
            disabled={isLast}
            onClick={() => move(1)}
          />
          <IconButton label={`Remove ${label}`} icon="trash" disabled={!canGo} onClick={remove} />
        </div>
      </fieldset>
    </li>
  )
}

const ofRow = (row: Element | null | undefined, selector: string) => row?.querySelector<HTMLElement>(selector)

/** The button below the list. */
const findAddButton = (list: Element | null | undefined) =>
  list?.nextElementSibling instanceof HTMLElement ? list.nextElementSibling : null

interface NameFieldsProps {
  part: { name: string; shortId: string; isSaved: boolean }
  faults: { name: string | undefined; shortId: string | undefined }
  onName: (name: string) => void
  onShortId: (shortId: string) => void
}

/** The name for people, and the short id, which stays once it is saved. */
export function NameFields({ part: { name, shortId, isSaved }, faults, onName, onShortId }: NameFieldsProps) {
  return (
    <>
      <Field label="Name" error={faults.name}>
        {field => (
          <TextInput
            {...field}
            value={name}
            placeholder={shortId}
            required={shortId === ''}
            onChange={({ target }) => onName(target.value)}
          />
        )}
      </Field>
      {isSaved ? (
        <div className="min-w-0">
          <div className="mb-1 font-medium">Short id</div>
          <code className="block py-1.5 text-xs break-all">{shortId}</code>
          {faults.shortId && <p className="text-[13px] text-bad">{faults.shortId}</p>}
        </div>
      ) : (
        <Field label="Short id" error={faults.shortId}>
          {field => (
            <TextInput {...field} required value={shortId} onChange={({ target }) => onShortId(target.value)} />
          )}
        </Field>
      )}
    </>
  )
}
