import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AddressPolicy, checkAddress } from '../../src/webhook/address-rules.ts'

const PUBLIC: AddressPolicy = { ports: [443, 8443], allowsLocal: false }
const LOCAL: AddressPolicy = { ports: [443], allowsLocal: true }

const getFault = (address: string, policy = PUBLIC): string | undefined => {
  const checked = checkAddress(address, policy)
  return 'url' in checked ? undefined : checked.message
}

const byte = fc.nat(255)
const octets = fc.tuple(byte, byte, byte, byte)
/** Returns one part of an IPv4 address in each notation that some parser of addresses accepts. */
const part = (value: number) =>
  fc.constantFrom(String(value), `0x${value.toString(16)}`, `0X${value.toString(16)}`, `0${value.toString(8)}`)

/** 127.0.0.1 as 127.0.0.1, 0x7f.0.0.1, 0177.1, 2130706433, １２７.0.0.1, 127.0.0.1. and so on. */
const ipv4 = octets.chain(([a, b, c, d]) =>
  fc
    .oneof(
      fc.tuple(part(a), part(b), part(c), part(d)),
      fc.tuple(part(a), part(b), part(c * 256 + d)),
      fc.tuple(part(a), part(b * 65_536 + c * 256 + d)),
      fc.tuple(part(a * 16_777_216 + b * 65_536 + c * 256 + d)),
    )
    .chain(parts => {
      const text = parts.join('.')
      const wide = text.replace(/[0-9]/g, digit => String.fromCodePoint(0xff10 + Number(digit)))
      const encoded = text.replace(/[0-9]/g, digit => `%3${digit}`)
      return fc.constantFrom(text, `${text}.`, wide, encoded, text.replaceAll('.', '。'))
    }),
)

const group = fc.nat(0xffff).map(value => value.toString(16))
const toHex = ([a, b, c, d]: readonly number[]) =>
  `${(((a ?? 0) << 8) | (b ?? 0)).toString(16)}:${(((c ?? 0) << 8) | (d ?? 0)).toString(16)}`
const ipv6 = fc.oneof(
  fc.array(group, { minLength: 8, maxLength: 8 }).map(groups => groups.join(':')),
  octets.map(each => `::ffff:${each.join('.')}`),
  octets.map(each => `::${each.join('.')}`),
  octets.map(each => `64:ff9b::${toHex(each)}`),
  octets.map(each => `2002:${toHex(each)}::1`),
  fc.constantFrom('::1', '::', 'fe80::1', 'fc00::1', 'ff02::1', '2001:db8::1', '100::1'),
)

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/)
const top = fc.constantFrom('com', 'org', 'in', 'dev', 'example', 'xn--p1ai', 'co')
const publicName = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), top)
  .map(([names, last]) => [...names, last].join('.'))
const privateTop = fc.constantFrom(
  'localhost',
  'local',
  'internal',
  'lan',
  'home',
  'corp',
  'private',
  'intranet',
  'arpa',
  'home.arpa',
  'onion',
  ...['test', 'invalid', 'alt', 'localdomain', 'workgroup'],
  ...['svc', 'default.svc', 'svc.cluster.local', 'consul', 'node.consul', 'service.consul'],
)
const anyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map(ups => [...text].map((char, at) => (ups[at] ? char.toUpperCase() : char)).join(''))

describe('the address of a webhook', () => {
  it('is never the number of a host, in no notation', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          ipv4,
          ipv6.map(address => `[${address}]`),
        ),
        host => {
          expect(getFault(`https://${host}/hooks`), host).toBeDefined()
          expect(getFault(`https://user@${host}/hooks`), host).toBeDefined()
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('is never a name of a private network, in any case, with a dot at its end or without, and below any name', () => {
    fc.assert(
      fc.property(
        fc.array(label, { maxLength: 3 }),
        privateTop.chain(anyCase),
        fc.constantFrom('', '.'),
        (names, last, dot) => {
          expect(getFault(`https://${[...names, last].join('.')}${dot}/hooks`)).toMatch(/must be public/)
        },
      ),
    )
  })

  it('is any https address of a public name, at an allowed port, and is used as it was written', () => {
    fc.assert(
      fc.property(publicName, fc.constantFrom('', ':443', ':8443'), fc.webPath(), (name, port, path) => {
        const checked = checkAddress(`https://${name}${port}${path}`, PUBLIC)
        expect('url' in checked && checked.url.href).toBe(new URL(`https://${name}${port}${path}`).href)
      }),
    )
  })

  it('may have an @ behind its host', () => {
    for (const rest of ['/@me', '/?to=me@example.com', '?@'])
      expect(getFault(`https://www.example.com${rest}`), rest).toBeUndefined()
  })

  it('never leads to a host other than the checked one', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.constantFrom('https://', 'https:\\\\', 'https:', 'https:///', ''),
        (rest, start) => {
          const checked = checkAddress(start + rest, PUBLIC)
          if (!('url' in checked)) return
          expect(checked.url.protocol).toBe('https:')
          expect(new URL(checked.url.href).hostname).toBe(checked.url.hostname)
          expect(checked.url.hostname).toMatch(/^[^[\]]+\.[a-z0-9-]*[a-z][a-z0-9-]*\.?$/)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['http://www.example.com/hooks', 'must begin with https://'],
    ['ftp://www.example.com/hooks', 'must begin with https://'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['www.example.com/hooks', 'must be a web address'],
    ['https://', 'must be a web address'],
    ['https://[fe80::1%25eth0]/', 'must be a web address'],
    ['https://me:secret@www.example.com/', 'no user name or password'],
    ['https://me@www.example.com/', 'no user name or password'],
    ['https://:@www.example.com/', 'no user name or password'],
    ['https://@www.example.com/', 'no user name or password'],
    ['https://:secret@www.example.com/', 'no user name or password'],
    ['https:@www.example.com/', 'no user name or password'],
    ['https:///:@www.example.com?a', 'no user name or password'],
    ['https://@@www.example.com', 'no user name or password'],
    ['https://%40@www.example.com', 'no user name or password'],
    ['https://vault.service.consul/v1', 'must be public'],
    ['https://kubernetes.default.svc/', 'must be public'],
    ['https://printer.home.arpa/', 'must be public'],
    ['https://nas.local/', 'must be public'],
    ['https://receiver.test/', 'must be public'],
    ['https://www.example.com/hooks#part', 'no fragment'],
    ['https://www.example.com/hooks#', 'no fragment'],
    ['https://www.example.com:22/', 'one of the ports 443, 8443, not 22'],
    ['https://www.example.com:80/', 'one of the ports 443, 8443, not 80'],
    ['https://intranet/', 'must be public'],
    ['https://receiver/', 'the full name of a public host'],
    ['https://receiver./', 'the full name of a public host'],
    ['https://metadata.google.internal/computeMetadata/v1/', 'must be public'],
    ['https://169.254.169.254/latest/meta-data/', 'not the number of one'],
    ['https://ⓛocalhost/', 'must be public'],
    ['https://www.example.com /hooks', 'no spaces'],
    ['https://www.exam\tple.com/hooks', 'no spaces'],
    ['https:\\\\www.example.com\\hooks', 'no spaces'],
    [`https://www.example.com/${'a'.repeat(2_000)}`, 'at most 2000 characters'],
  ])('is refused with its reason: %s', (address, message) => {
    expect(getFault(address)).toContain(message)
  })

  it('is refused if it is of http, with the same one of https as a hint', () => {
    expect(checkAddress('http://www.example.com/a?b=http', PUBLIC)).toMatchObject({
      hint: 'https://www.example.com/a?b=http',
    })
  })

  it.each(['http://localhost:3000/hooks', 'http://127.0.0.1:8787/', 'https://[::1]:9/', 'https://receiver.local/'])(
    'may be %s in a local installation',
    address => expect(getFault(address, LOCAL)).toBeUndefined(),
  )

  it.each(['ftp://localhost/', 'http://me@localhost/', 'http://localhost/#a', 'localhost:3000'])(
    'may not be %s even in a local installation',
    address => expect(getFault(address, LOCAL)).toBeDefined(),
  )
})
