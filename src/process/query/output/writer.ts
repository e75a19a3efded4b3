import { successEnvelope } from '../../../http/response/envelope.ts'
import { toWarningsMeta, type Warning } from '../../../http/response/warnings.ts'
import type { ProcessOwner } from '../../rows/members.ts'
import type { Process } from '../../schema.ts'
import { viewListed } from '../../view.ts'
import type { PreparedList } from '../list.ts'
import { type Identities, pickFields } from './chosen.ts'
import { listDefaultFields } from './fields.ts'
import type { ListFormat } from './format.ts'
import { createTable } from './table-row.ts'

/** The cursor of a list in a response, and whether there is more. */
export interface NextPage {
  hasMore: boolean
  next: string | null
}

/** Converts the rows of a list, as `listedProcess` selects them, into the text of a response. */
export interface ListWriter {
  head: string
  rows: (rows: readonly string[], identities: Identities) => string
  /** Returns the text that tells how far the rows go that were written so far; empty if the format can't say it. */
  checkpoint: (onward: NextPage) => string
  tail: (onward: NextPage) => string
  /** Whether the text itself can say that more follows. If not, a stream that ends too early must break off. */
  saysMore: boolean
}

interface WriterOptions {
  format: ListFormat
  owner: ProcessOwner
  requestId: string
  /** Whether NDJSON has lines with cursors. */
  withCheckpoints: boolean
}

export function createWriter({ procedure, fields, warnings }: PreparedList, written: WriterOptions): ListWriter {
  const view = viewListed(written.owner)
  const parse = (row: string): Process => JSON.parse(view(row)) as Process
  const json =
    fields === null
      ? view
      : (row: string, identities: Identities) => JSON.stringify(pickFields(parse(row), fields, identities))
  if (written.format === 'json') return createJsonWriter(json, warnings, written.requestId)
  if (written.format === 'ndjson') return createLinesWriter(json, written.withCheckpoints)
  const table = createTable(procedure, fields ?? listDefaultFields(procedure), written.format === 'excel')
  return {
    head: table.head,
    rows: (rows, identities) => rows.map(row => table.row(parse(row), identities)).join(''),
    checkpoint: () => '',
    tail: () => '',
    saysMore: false,
  }
}

type ToText = (row: string, identities: Identities) => string

function createLinesWriter(line: ToText, withCheckpoints: boolean): ListWriter {
  const onwardLine = (onward: NextPage): string =>
    withCheckpoints ? `${JSON.stringify(successEnvelope([], onward))}\n` : ''
  return {
    head: '',
    rows: (rows, identities) => rows.map(row => `${line(row, identities)}\n`).join(''),
    checkpoint: onwardLine,
    tail: () => '',
    saysMore: withCheckpoints,
  }
}

/** Writes the envelope, and the rows into its empty list: `_data` comes first. */
function createJsonWriter(item: ToText, warnings: readonly Warning[], requestId: string): ListWriter {
  const envelope = (meta: object): [head: string, tail: string] => {
    const text = JSON.stringify(successEnvelope([], meta))
    const at = text.indexOf('[]') + 1
    return [text.slice(0, at), text.slice(at)]
  }
  let isFirst = true
  return {
    head: envelope({})[0],
    rows(rows, identities) {
      const text = rows.map(row => item(row, identities)).join(',')
      const separator = isFirst || text === '' ? '' : ','
      if (text !== '') isFirst = false
      return separator + text
    },
    checkpoint: () => '',
    tail: onward => envelope({ ...onward, ...toWarningsMeta(warnings), requestId })[1],
    saysMore: true,
  }
}
