import { Link, type LinkProps } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Tone = 'main' | 'plain' | 'quiet' | 'danger'

const SHAPE =
  'inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 text-[13px] font-medium whitespace-nowrap select-none transition-colors disabled:opacity-50 aria-disabled:opacity-50'
const TONES: Record<Tone, string> = {
  main: 'bg-accent text-accent-ink hover:opacity-90',
  plain: 'border border-line-strong bg-surface text-ink hover:bg-hover',
  quiet: 'text-ink-2 hover:bg-hover hover:text-ink',
  danger: 'bg-bad text-surface hover:opacity-90',
}

interface ButtonStyle {
  tone?: Tone
  icon?: IconName
  children?: ReactNode
}

interface ButtonProps extends ButtonStyle, Omit<ComponentProps<'button'>, 'children'> {
  /** Something is under way: a second click does nothing. It stays enabled, since a disabled button loses the focus. */
  isPending?: boolean
}

export function Button({ tone = 'plain', icon, isPending = false, children, className = '', ...rest }: ButtonProps) {
  const press: typeof rest.onClick = event => (isPending ? event.preventDefault() : rest.onClick?.(event))
  return (
    <button
      type="button"
      {...rest}
      onClick={press}
      disabled={rest.disabled && !isPending}
      aria-disabled={isPending || undefined}
      aria-busy={isPending || undefined}
      className={`${SHAPE} ${TONES[tone]} ${className}`}
    >
      {isPending ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** A button of which only the icon is seen; `label` is its name, and shown on hover. */
export function IconButton({
  label,
  icon,
  className = '',
  ...rest
}: { label: string; icon: IconName } & Omit<ComponentProps<'button'>, 'children'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink disabled:opacity-40 ${className}`}
    >
      <Icon name={icon} />
    </button>
  )
}

/** Goes to a page of the admin area. */
export function LinkButton({ tone = 'plain', icon, children, ...link }: ButtonStyle & LinkProps) {
  return (
    <Link {...link} className={`${SHAPE} ${TONES[tone]}`}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}

export const Spinner = () => (
  <span
    aria-hidden="true"
    className="inline-block size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
  />
)
