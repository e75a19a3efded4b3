import { WorkbookError } from './zip.ts'

/** What an XML text consists of, as far as workbooks use it: names are without their prefixes. */
type XmlToken =
  | { type: 'open'; name: string; attributes: string }
  | { type: 'close'; name: string }
  | { type: 'text'; text: string }

/**
 * A tag, comment, section or instruction. A quoted value may have `>` in it, and none has `<`. A name ends where something else
 * begins: without that, one without end is tried at each of its characters.
 */
const MARKUP =
  /<(?:!--[\s\S]*?-->|!\[CDATA\[([\s\S]*?)\]\]>|(!--|!\[CDATA\[)|[?!][^>]*>|(\/?)(?:[\w.-]+:)?([\w.-]+)(?=[\s/>])((?:[^<>"'/]|\/(?!>)|"[^"<]*"|'[^'<]*')*)(\/?)>)/g
/** The longest text of a cell is a part of that. */
const TOKEN_CHARACTERS_MAX = 1_000_000

/** Reads XML from pieces of any size. It knows no entities but those of XML itself, so nothing grows by reading it. */
export async function* readXml(pieces: AsyncIterable<string>): AsyncGenerator<XmlToken, void, undefined> {
  let rest = ''
  for await (const piece of pieces) {
    const text = rest + piece
    let end = 0
    MARKUP.lastIndex = 0
    for (let found = MARKUP.exec(text); found; found = MARKUP.exec(text)) {
      const [markup, section, unclosed, closing, name, attributes = '', selfClosing] = found
      // The end of a comment or section is in a later piece.
      if (unclosed !== undefined) break
      const after = found.index + markup.length
      if (found.index > end) yield { type: 'text', text: decodeEntities(text.slice(end, found.index)) }
      if (section !== undefined) yield { type: 'text', text: section }
      if (name !== undefined && closing !== '/') yield { type: 'open', name, attributes }
      if (name !== undefined && (closing === '/' || selfClosing === '/')) yield { type: 'close', name }
      end = after
      MARKUP.lastIndex = after
    }
    rest = text.slice(end)
    if (rest.length > TOKEN_CHARACTERS_MAX) throw new WorkbookError('it has a part that is no XML')
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const CODE_POINT_MAX = 0x10_ffff

const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
        if (name !== undefined) return ENTITIES[name] ?? whole
        const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
        return point <= CODE_POINT_MAX ? String.fromCodePoint(point) : whole
      })
    : text

/** The value of an attribute, whatever prefix its name has. */
export function getAttribute(attributes: string, name: string): string | undefined {
  const [, double, single] =
    new RegExp(`(?:^|\\s)(?:[\\w.-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? []
  const value = double ?? single
  return value === undefined ? undefined : decodeEntities(value)
}
