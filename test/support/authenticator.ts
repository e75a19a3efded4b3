import { ORIGIN } from './origin.ts'

// A software authenticator: makes ES256 passkeys and signs with them, as a device does, or as an attacker would.

const encoder = new TextEncoder()
type Bytes = Uint8Array<ArrayBuffer>

const joined = (...parts: (Uint8Array | number[])[]): Bytes => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const toBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

const sha256 = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

const big = (value: number, length: number): number[] =>
  Array.from({ length }, (_, nth) => Math.floor(value / 256 ** (length - 1 - nth)) % 256)

const head = (major: number, value: number): number[] =>
  value < 24 ? [(major << 5) | value] : value < 256 ? [(major << 5) | 24, value] : [(major << 5) | 25, ...big(value, 2)]

/** Encodes as much of CBOR as a passkey needs: integers, texts, bytes, maps. */
function cbor(value: number | string | Uint8Array | Map<number | string, unknown>): Bytes {
  if (typeof value === 'number') return joined(value < 0 ? head(1, -1 - value) : head(0, value))
  if (typeof value === 'string') return joined(head(3, encoder.encode(value).length), encoder.encode(value))
  if (value instanceof Uint8Array) return joined(head(2, value.length), value)
  const pairs = [...value].flatMap(([key, each]) => [cbor(key), cbor(each as string)])
  return joined(head(5, value.size), ...pairs)
}

/** ECDSA signatures of WebAuthn are two integers in DER. */
function der(raw: Bytes): Bytes {
  const integer = (part: Bytes) => {
    const trimmed = part.slice(part.findIndex((byte, nth) => byte !== 0 || nth === part.length - 1))
    const positive = (trimmed[0] ?? 0) > 127 ? joined([0], trimmed) : trimmed
    return joined([2, positive.length], positive)
  }
  const body = joined(integer(raw.slice(0, 32)), integer(raw.slice(32)))
  return joined([0x30, body.length], body)
}

const PRESENT = 1
const VERIFIED = 4
const WITH_KEY = 64

/** The claims of an authenticator's response. A test that attacks changes them. */
export interface Claims {
  origin?: string
  rpId?: string
  type?: string
  counter?: number
  flags?: number
  userHandle?: string
  /** Signs with the key of another. */
  signer?: CryptoKey
}

type Credential = {
  id: string
  rawId: string
  type: 'public-key'
  clientExtensionResults: Record<string, never>
}
type Registration = Credential & {
  authenticatorAttachment: string
  response: { clientDataJSON: string; attestationObject: string; transports: string[] }
}
type Assertion = Credential & {
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string }
}

export interface SoftPasskey {
  id: string
  key: CryptoKey
  /** The answer of `navigator.credentials.create`. */
  registration: Registration
  /** The answer of `navigator.credentials.get`; counts by one each time. */
  answer: (challenge: string, claims?: Claims) => Promise<Assertion>
}

const clientData = (type: string, challenge: string, origin: string): Bytes =>
  joined(encoder.encode(JSON.stringify({ type, challenge, origin, crossOrigin: false })))

export async function newSoftPasskey(challenge: string, userHandle: string, claims: Claims = {}): Promise<SoftPasskey> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('no pair of keys')
  const point = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer)
  const cose = cbor(
    new Map<number, unknown>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as [number, number][]),
      [-2, point.slice(1, 33)],
      [-3, point.slice(33)],
    ]),
  )
  const rawId = crypto.getRandomValues(new Uint8Array(32))
  const id = toBase64url(rawId)
  let counter = claims.counter ?? 0
  const authenticatorData = async (said: Claims, rest: Bytes, flags: number) =>
    joined(
      await sha256(joined(encoder.encode(said.rpId ?? new URL(ORIGIN).hostname))),
      [said.flags ?? flags],
      big(said.counter ?? counter, 4),
      rest,
    )
  const made = joined(new Uint8Array(16), big(rawId.length, 2), rawId, cose)
  const attestationObject = cbor(
    new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', await authenticatorData(claims, made, PRESENT | VERIFIED | WITH_KEY)],
    ]),
  )
  const registered = clientData(claims.type ?? 'webauthn.create', challenge, claims.origin ?? ORIGIN)
  return {
    id,
    key: pair.privateKey,
    registration: {
      id,
      rawId: id,
      type: 'public-key' as const,
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: {
        clientDataJSON: toBase64url(registered),
        attestationObject: toBase64url(attestationObject),
        transports: ['internal'],
      },
    },
    async answer(asked, said = {}) {
      counter += 1
      const data = clientData(said.type ?? 'webauthn.get', asked, said.origin ?? ORIGIN)
      const authenticator = await authenticatorData(said, new Uint8Array(), PRESENT | VERIFIED)
      const signed = joined(authenticator, await sha256(data))
      const signature = await crypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        said.signer ?? pair.privateKey,
        signed,
      )
      return {
        id,
        rawId: id,
        type: 'public-key' as const,
        clientExtensionResults: {},
        response: {
          clientDataJSON: toBase64url(data),
          authenticatorData: toBase64url(authenticator),
          signature: toBase64url(der(new Uint8Array(signature))),
          userHandle: said.userHandle ?? userHandle,
        },
      }
    },
  }
}
