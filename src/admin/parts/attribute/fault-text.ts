import type { Fault, Procedure } from 'caseworker'

export type FaultText = (fault: Pick<Fault, 'message' | 'path'>) => string

/** A message about an attribute begins with its short id as JSON. About one of a customer, a colon follows. */
const BEGINNING = /^"(?:[^"\\]|\\.)*"(?=[ ,])/

/**
 * Pointers of attributes have this depth, such as `/body/data/score`; `/body/all` is a member of the request itself.
 */
const DEPTH_MIN = 4

function isOfAttribute(path: string | undefined, shortId: string): boolean {
  if (path === undefined) return true
  const parts = path.split('/')
  return parts.length >= DEPTH_MIN && parts.at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~') === shortId
}

/**
 * Formats a fault with the name of its attribute before the short id. A fault that is not certainly about one stays as
 * it is.
 */
export const createFaultText =
  ({ attributes, primaryKey }: Pick<Procedure, 'attributes' | 'primaryKey'>): FaultText =>
  ({ message, path }) => {
    const [quoted] = BEGINNING.exec(message) ?? []
    for (const { name, shortId } of attributes) {
      if (name === shortId) continue
      if (quoted === JSON.stringify(shortId) && isOfAttribute(path, shortId))
        return `${name} (${quoted})${message.slice(quoted.length)}`
      // This fault comes from reading a file, before anything is sent.
      if (message === `${shortId} is missing`) return `${name} (${message.replace(' is missing', ') is missing')}`
      const taken = `a process with ${shortId} `
      if (shortId === primaryKey && message.startsWith(taken))
        return `a process with ${name} (${shortId}) ${message.slice(taken.length)}`
    }
    return message
  }
