import type { Route } from '../../http/route.ts'
import { TAGS } from '../about.ts'
import type { MenuGroup } from '../layout/menu.ts'
import { addressOf } from './operation.ts'
import { WEBHOOK_REQUESTS } from './webhook-requests.ts'

/** The folders of the menu, made from the routes alone: the document is only made when a page needs it. */
export const menuLinks = (routes: readonly Route[]): MenuGroup[] =>
  TAGS.map(({ name }) => ({
    title: name,
    links: [
      ...routes.flatMap(({ docs, summary, method }) =>
        docs?.tag === name ? [{ href: addressOf(docs.id), title: summary, method }] : [],
      ),
      ...(name === 'Webhooks' ? [WEBHOOK_REQUESTS] : []),
    ],
  })).filter(({ links }) => links.length > 0)
