/** Declared attributes have shorter names. */
const SHOWN_NAME_LENGTH_MAX = 200

/** A name of a request for use in a fault: a long one would be repeated by each of a hundred faults. */
export const shortened = (name: string): string =>
  name.length > SHOWN_NAME_LENGTH_MAX ? `${name.slice(0, SHOWN_NAME_LENGTH_MAX)}…` : name
