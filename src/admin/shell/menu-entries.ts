import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../parts/icon.tsx'

interface MenuEntry {
  label: string
  icon: IconName
  to: NonNullable<LinkProps['to']>
  /** The permission without which the entry is hidden. */
  needs: string
  /** Other addresses of which it is the entry. */
  covers?: RegExp
}

/** The pages of the menu, in its order. The palette (Ctrl-K) offers the same. */
export const MENU: readonly { title: string; entries: readonly MenuEntry[] }[] = [
  {
    title: 'Work',
    entries: [
      { label: 'Overview', icon: 'home', to: '/', needs: 'process:read' },
      {
        label: 'Processes',
        icon: 'list',
        to: '/process',
        needs: 'process:read',
        covers: /^\/procedure\/[^/]+\/(process|board|new|import|send|trash)/,
      },
      { label: 'Customers', icon: 'people', to: '/customer', needs: 'process:read' },
      { label: 'Messages', icon: 'message', to: '/message', needs: 'message:read', covers: /^\/opt-out/ },
      { label: 'Jobs', icon: 'job', to: '/background-job', needs: 'job:read' },
    ],
  },
  {
    title: 'Set up',
    entries: [
      {
        label: 'Procedures',
        icon: 'procedure',
        to: '/procedure',
        needs: 'config:read',
        covers: /^\/procedure\/([^/]+(\/edit)?)?$/,
      },
      { label: 'Plugins', icon: 'plugin', to: '/plugin', needs: 'config:read' },
      { label: 'Users', icon: 'people', to: '/user', needs: 'user:read' },
      { label: 'API keys', icon: 'key', to: '/api-key', needs: 'key:read' },
      { label: 'Webhooks', icon: 'webhook', to: '/webhook', needs: 'webhook:read' },
    ],
  },
  {
    title: 'Operate',
    entries: [
      { label: 'Event log', icon: 'event', to: '/event', needs: 'process:read' },
      { label: 'Requests', icon: 'request', to: '/request', needs: 'key:read' },
      { label: 'Usage', icon: 'usage', to: '/usage', needs: 'key:read' },
      { label: 'Sessions', icon: 'session', to: '/session', needs: 'key:read' },
    ],
  },
]
