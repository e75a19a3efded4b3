/** The addresses to which webhooks may be sent. */
export interface AddressPolicy {
  ports: readonly number[]
  /** Whether http, any port, and hosts that are not public are allowed, for local runs. */
  allowsLocal: boolean
}

/** A parsed address, or what is wrong with it. */
type CheckedAddress = { url: URL } | { message: string; hint?: string }

export const ADDRESS_LENGTH_MAX = 2_000

const HTTPS_PORT = 443

/** A space, a control character or a backslash: the parser of addresses drops or replaces them, so they are not what was meant. */
const NEVER_MEANT = /[\s\\\p{Cc}]/u
/** The parser has brought every notation of IPv4 (decimal, octal, hex, fewer parts) into this one, and IPv6 into brackets. */
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/
/** The last label of a public name: letters, or the punycode of letters. */
const TOP_LABEL = /^(?=.*[a-z])[a-z0-9-]+$/

/** A user name or a password, also an empty one, which the parser drops: `https://:@host/`. */
const CREDENTIALS = /^[a-z]+:\/*[^/?#]*@/i

/** Names that private networks use, and that mean nothing in public: RFC 6761, 6762, 7686, 8375, 9476, those that ICANN keeps free, and those of Kubernetes and Consul. */
const PRIVATE_NAMES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'arpa',
  'onion',
  'test',
  'invalid',
  'alt',
  'workgroup',
  'svc',
  'consul',
]

/**
 * Decides by the address alone: a name that leads to a private network can't be seen before the connection, and what it
 * leads to may change until then. A request of Cloudflare's network reaches no private network of ours.
 */
export function checkAddress(address: string, { ports, allowsLocal }: AddressPolicy): CheckedAddress {
  if (address.length > ADDRESS_LENGTH_MAX) return { message: `must have at most ${ADDRESS_LENGTH_MAX} characters` }
  if (NEVER_MEANT.test(address)) return { message: 'must have no spaces, control characters or backslashes' }
  if (!URL.canParse(address))
    return { message: 'must be a web address', hint: 'such as https://www.example.com/webhooks' }
  const url = new URL(address)
  const isHttp = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !(isHttp && allowsLocal))
    return { message: 'must begin with https://', ...(isHttp ? { hint: `https${address.slice('http'.length)}` } : {}) }
  if (CREDENTIALS.test(address))
    return { message: 'must have no user name or password; verify the signature of each request instead' }
  if (address.includes('#')) return { message: 'must have no fragment (#): it would not be sent' }
  if (allowsLocal) return { url }
  const port = url.port === '' ? HTTPS_PORT : Number(url.port)
  if (!ports.includes(port)) return { message: `must have one of the ports ${ports.join(', ')}, not ${port}` }
  const message = refusedHost(url.hostname)
  return message === undefined ? { url } : { message }
}

function refusedHost(hostname: string): string | undefined {
  if (hostname.startsWith('[') || IPV4.test(hostname))
    return 'must have the name of a public host, not the number of one'
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  const labels = name.split('.')
  const top = labels.at(-1) ?? ''
  if (PRIVATE_NAMES.includes(top)) return `must be public: no name that ends in ${top} is`
  if (labels.length < 2 || labels.includes('') || !TOP_LABEL.test(top))
    return 'must have the full name of a public host, such as www.example.com'
  return undefined
}
