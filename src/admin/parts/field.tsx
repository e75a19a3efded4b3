import { type ComponentProps, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'

const BOX =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-ink placeholder:text-ink-3 focus:border-accent disabled:opacity-60 aria-invalid:border-bad'

export const TextInput = ({ className = '', ...rest }: ComponentProps<'input'>) => (
  <input dir="auto" {...rest} className={`${BOX} h-8 ${className}`} />
)

export const TextArea = ({ className = '', ...rest }: ComponentProps<'textarea'>) => (
  <textarea rows={4} dir="auto" {...rest} className={`${BOX} py-1.5 ${className}`} />
)

interface SelectProps extends Omit<ComponentProps<'select'>, 'children'> {
  options: readonly { value: string; label: string }[]
}

/** The platform's own: it is what phones and screen readers know best. */
export const Select = ({ options, className = '', ...rest }: SelectProps) => (
  <select {...rest} className={`${BOX} h-8 pr-7 ${className}`}>
    {options.map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </select>
)

export function Checkbox({ label, className = '', ...rest }: { label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className={`inline-flex items-center gap-2 ${className}`}>
      <input type="checkbox" {...rest} className="size-4 accent-accent" />
      <span>{label}</span>
    </label>
  )
}

interface FieldProps {
  label: string
  hint?: ReactNode
  /** The reason of the API for refusing the value, by the field's path. */
  error?: string | undefined
  children: (props: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean | undefined
  }) => ReactNode
}

/** A label, the input, and below it the hint, or why the value was refused. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const isDescribed = error !== undefined || hint !== undefined
  const box = useRef<HTMLDivElement>(null)
  useFirstFault(box, error)
  return (
    <div ref={box}>
      <label id={`${id}-label`} htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': isDescribed ? `${id}-more` : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {isDescribed && (
        <div id={`${id}-more`} className={`mt-1 text-[13px] ${error === undefined ? 'text-ink-2' : 'text-bad'}`}>
          {error ?? hint}
        </div>
      )}
    </div>
  )
}

/** The form that was sent last, until something is typed again. */
let sent: EventTarget | null = null
document.addEventListener('submit', ({ target }) => (sent = target), true)
document.addEventListener('input', () => (sent = null), true)

/** Moves the focus to the first field with a fault when a sent form comes back, which a screen reader then reads with its fault. */
function useFirstFault(field: RefObject<HTMLElement | null>, error: string | undefined): void {
  useEffect(() => {
    const form = field.current?.closest('form')
    if (error === undefined || !form || form !== sent) return
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [field, error])
}
