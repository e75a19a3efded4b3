/** Strokes on a ground of 16 by 16, drawn for this house; `currentColor`, hidden from screen readers. */
const PATHS = {
  home: 'M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5M6.5 13V9.5h3V13',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z',
  people:
    'M6 7.5a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5ZM2 13c0-2.2 1.8-3.5 4-3.5S10 10.8 10 13M10.5 7.2a2 2 0 0 0 0-3.9M11.7 9.8c1.4.4 2.3 1.5 2.3 3.2',
  message: 'M2.5 3.5h11v7.5H7L4 13.5V11H2.5z',
  job: 'M8 2.5v2M8 11.5v2M2.5 8h2M11.5 8h2M4.1 4.1l1.4 1.4M10.5 10.5l1.4 1.4M4.1 11.9l1.4-1.4M10.5 5.5l1.4-1.4',
  event: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 5v3.2l2 1.3',
  procedure: 'M2.5 3h4v3h-4zM9.5 10h4v3h-4zM4.5 6v5.5h5M6.5 4.5h5V10',
  plugin: 'M6 2.5v3M10 2.5v3M4.5 5.5h7V8a3.5 3.5 0 0 1-7 0zM8 11.5v2',
  webhook:
    'M6 6.2a2.2 2.2 0 1 1 3.2 1.9l2 3.4M9.8 12.2H6.3M6.4 8.3l-2 3.3M4.4 13.6a2 2 0 1 1 .1-3.9M12 9.6a2 2 0 1 1-1 3.6',
  key: 'M10 9.5a3.5 3.5 0 1 0-3.3-2.3L2.5 11.4v2.1h2.1v-1.6h1.6v-1.6h.9l.9-.9c.6.1 1.3.1 2 .1ZM11 5.5h.01',
  session: 'M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13',
  usage: 'M2.5 13.5h11M4 11V8M7 11V4.5M10 11V6.5M13 11V9',
  request: 'M3 5.5h9l-2-2M13 10.5H4l2 2',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.2 3.2',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.2 3.2L13 5',
  alert: 'M8 2.5 14 13H2zM8 6.5v3M8 11.3h.01',
  info: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 7.5V11M8 5.2h.01',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4 6 8l4 4',
  filter: 'M2.5 3.5h11l-4.2 5v4l-2.6 1v-5z',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6Z',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  again: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.2v3h-3',
  image: 'M2.5 3h11v10h-11zM2.5 11l3.2-3.2 2.6 2.6 2-2 3.2 3.1M10.3 6.2h.01',
  undo: 'M5.5 3 2.5 6l3 3M3 6h6a4 4 0 0 1 0 8H6.5',
  download: 'M8 2.5v7.5M5 7.5 8 10.5l3-3M3 13.5h10',
  upload: 'M8 10.5V3M5 5.5 8 2.5l3 3M3 13.5h10',
  edit: 'M3 13l.6-2.7L10.9 3l2.1 2.1-7.3 7.3zM9.5 4.4l2.1 2.1',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9M6.8 7v4M9.2 7v4',
  open: 'M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5v9l7-4.5z',
  bookmark: 'M4.5 2.5h7v11L8 10.8l-3.5 2.7z',
  sort: 'M5 3v10M5 13l-2-2M5 13l2-2M11 13V3M11 3 9 5M11 3l2 2',
  out: 'M6.5 3H3v10h3.5M7 8h6.5M11 5.5 13.5 8 11 10.5',
  user: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c.3-2.4 2.3-3.8 5-3.8s4.7 1.4 5 3.8',
  send: 'M13.5 2.5 7 9M13.5 2.5l-4 11L7 9 2.5 6.5z',
  link: 'M6.8 9.2a2.5 2.5 0 0 0 3.6 0l2-2a2.5 2.5 0 0 0-3.6-3.6L8 4.4M9.2 6.8a2.5 2.5 0 0 0-3.6 0l-2 2a2.5 2.5 0 0 0 3.6 3.6l.8-.8',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg
      className={`inline-block size-4 shrink-0 ${className}`}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
