/** The length of a name in a fault. Names of declared attributes are shorter. */
const SHOWN_NAME_LENGTH_MAX = 200

/** Shortens a name of a request for a fault: each of a hundred faults would repeat a long one. */
export const shortenName = (name: string): string =>
  name.length > SHOWN_NAME_LENGTH_MAX ? `${name.slice(0, SHOWN_NAME_LENGTH_MAX)}…` : name
