const FROM_CHARACTERS_MAX = 8_000
/** Of any host: only what the path becomes is looked at. */
const ANY_HOST = 'https://own.example'

/** Back to a page of the admin area only: an address in a link must not lead elsewhere, and `..` not out of it. The API looks at it, too (`BeginOpenId`). */
export const isOwnPage = (from: unknown): from is string =>
  typeof from === 'string' &&
  from.length <= FROM_CHARACTERS_MAX &&
  /^\/admin\/(?![/\\])[^\s\\]*$/.test(from) &&
  new URL(from, ANY_HOST).pathname.startsWith('/admin/')
