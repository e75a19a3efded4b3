import { Link, type LinkProps, useRouterState } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { Icon } from './icon.tsx'

interface PageProps {
  title: string
  /** The pages above it, shown before the title. */
  within?: readonly (LinkProps & { label: string })[]
  /** A badge beside the title. */
  mark?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** True for a page that fills the window and whose table scrolls; other pages scroll themselves. */
  isFull?: boolean
  /** True for a page whose columns use the whole width of the window. */
  isWide?: boolean
}

export function Page({ title, within = [], mark, actions, children, isFull = false, isWide = false }: PageProps) {
  const places = within.map(({ label }) => label).reverse()
  const documentTitle = [title, ...places, 'Caseworker'].join(' · ')
  useEffect(() => {
    document.title = documentTitle
  }, [documentTitle])
  const heading = useRef<HTMLHeadingElement>(null)
  useHeadingFocus(heading)
  return (
    <div
      className={
        isFull
          ? 'flex h-full min-h-0 flex-col gap-3 p-4 md:p-5'
          : `mx-auto flex flex-col gap-4 p-4 md:p-5 ${isWide ? 'max-w-[2400px]' : 'max-w-[1500px]'}`
      }
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-[1_1_14rem]">
          {within.length > 0 && (
            <nav aria-label="Where this is" className="flex items-center gap-1 text-[13px] text-ink-2">
              {within.map(({ label, ...link }) => (
                <span key={label} className="inline-flex items-center gap-1">
                  <Link {...link} activeOptions={{ exact: true }} className="hover:text-ink hover:underline">
                    {label}
                  </Link>
                  <Icon name="right" className="size-3 text-ink-3" />
                </span>
              ))}
            </nav>
          )}
          <div className="flex flex-wrap items-center gap-2">
            <h1
              ref={heading}
              tabIndex={-1}
              dir="auto"
              title={title}
              className="line-clamp-3 min-w-0 text-lg font-semibold break-words outline-none"
            >
              {title}
            </h1>
            {mark}
          </div>
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface CardProps {
  title?: string
  actions?: ReactNode
  children: ReactNode
  /** True for contents that reach the edges, such as a table. */
  isBare?: boolean
}

export function Card({ title, actions, children, isBare = false }: CardProps) {
  return (
    <section className="min-w-0 rounded-card border border-line bg-surface">
      {title !== undefined && (
        <div className="flex min-h-11 items-center justify-between gap-2 border-b border-line px-4 py-1.5">
          <h2 className="font-semibold">{title}</h2>
          {actions && <div className="flex items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={isBare ? 'overflow-x-auto' : 'p-4'}>{children}</div>
    </section>
  )
}

/** Names and values, as a list of terms. What has no value is left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-4 gap-y-1.5 text-[13px]">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  )
}

interface TabsProps {
  label: string
  tabs: readonly (LinkProps & { label: string; count?: number | undefined })[]
}

/** Tabs that are addresses, so that back works. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ label: name, count, ...link }) => (
        <Link
          key={name}
          {...link}
          className="border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-ink-2 hover:text-ink"
          activeProps={{ className: 'border-accent! text-ink! font-medium', 'aria-current': 'page' }}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {name} {count !== undefined && <span className="ml-0.5 text-ink-3">{count.toLocaleString()}</span>}
        </Link>
      ))}
    </nav>
  )
}

/** The address whose heading had its turn, and that heading. */
let arrivedAt: string | undefined
let reached: HTMLElement | null = null

/** Returns whether the focused element is on the present page, or in a dialog above it. */
const isInUse = (element: Element | null): boolean =>
  element !== null && element.closest('main *, [role="dialog"], [role="alertdialog"]') !== null

/**
 * Moves focus and announcements to the heading of a new page, because the link that led there is gone, or in the menu.
 * An element that took the focus itself, such as the first field of a form, keeps it. The first page begins as any
 * other.
 */
function useHeadingFocus(heading: RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  useEffect(() => {
    if (path === undefined) return
    const isLoaded = arrivedAt === undefined
    // Headings that were there during loading are replaced once the page is read.
    const wasRedrawn = reached !== null && !reached.isConnected
    if (path === arrivedAt && !wasRedrawn) return
    arrivedAt = path
    if (isLoaded || isInUse(document.activeElement)) return
    reached = heading.current
    reached?.focus({ preventScroll: true })
  }, [path, heading])
}
