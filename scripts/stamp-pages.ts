import { stampPages } from './fresh-pages.ts'

// The last step of `npm run build`: `npm start` builds again only what has changed since.
stampPages()
