import { env } from 'cloudflare:workers'

/** The size of a table, of a bucket, or of the whole database. */
export interface Size {
  name: string
  rows: number
  bytes: number
}

const octets = (columns: string[]) => columns.map(name => `coalesce(octet_length("${name}"), 0)`).join(' + ')

/** Measures every table by its values, the buckets, and the size that D1 reports. */
export async function measureTables(): Promise<Size[]> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
  ).all<{ name: string }>()
  const own = tables.map(({ name }) => name).filter(name => !/^(sqlite_|d1_|_cf_)/.test(name))
  const sizes: Size[] = []
  let database = 0
  for (const name of own) {
    const { results: columns } = await env.DB.prepare(`PRAGMA table_info("${name}")`).all<{ name: string }>()
    const sum = octets(columns.map(each => each.name))
    const { results, meta } = await env.DB.prepare(
      `SELECT count(*) AS rows, coalesce(sum(${sum}), 0) AS bytes FROM "${name}"`,
    ).all<{ rows: number; bytes: number }>()
    const [size = { rows: 0, bytes: 0 }] = results
    sizes.push({ name, ...size })
    database = meta.size_after
  }
  for (const [name, bucket] of Object.entries({ 'R2 archive': env.ARCHIVE, 'R2 media': env.MEDIA }))
    sizes.push({ name, ...(await sizeOfBucket(bucket)) })
  return [...sizes, { name: 'database', rows: sizes.reduce((sum, { rows }) => sum + rows, 0), bytes: database }]
}

async function sizeOfBucket(bucket: R2Bucket): Promise<Omit<Size, 'name'>> {
  let [rows, bytes] = [0, 0]
  let cursor: string | undefined
  do {
    const listed = await bucket.list(cursor === undefined ? {} : { cursor })
    rows += listed.objects.length
    bytes += listed.objects.reduce((sum, { size }) => sum + size, 0)
    cursor = listed.truncated ? listed.cursor : undefined
  } while (cursor !== undefined)
  return { rows, bytes }
}

const listNames = (months: readonly Size[][]): string[] => (months.at(-1) ?? []).map(({ name }) => name)
const sizeIn = (month: readonly Size[], name: string): Size =>
  month.find(each => each.name === name) ?? { name, rows: 0, bytes: 0 }

/** A table may be so much larger in the last quarter of the time than in the one before. */
const GROWTH_MAX = 1.1
const ROWS_SLACK = 5

/** Lists what was larger in the last quarter than in the one before it. */
export function listGrown(months: readonly Size[][]): string[] {
  const quarter = Math.floor(months.length / 4)
  const largest = (name: string, some: readonly Size[][]) => Math.max(...some.map(month => sizeIn(month, name).rows))
  const [before, last] = [months.slice(-2 * quarter, -quarter), months.slice(-quarter)]
  return listNames(months).flatMap(name => {
    const [one, other] = [largest(name, before), largest(name, last)]
    return other > one * GROWTH_MAX + ROWS_SLACK ? [`${name}: ${one} rows, then ${other}`] : []
  })
}

const shown = ({ rows, bytes }: Size) => `${rows} / ${Math.round(bytes / 1000)}`

/** Rows and thousands of bytes, some of the months. */
export function table(months: readonly Size[][]): string {
  const step = Math.max(1, Math.floor(months.length / 8))
  const nths = months.map((_, nth) => nth).filter(nth => (nth + 1) % step === 0)
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [
    line(['rows / kB after month', ...nths.map(nth => String(nth + 1))]),
    line(['---', ...nths.map(() => '---:')]),
    ...listNames(months).map(name => line([name, ...nths.map(nth => shown(sizeIn(months[nth] ?? [], name)))])),
  ].join('\n')
}
