import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

// Makes the changes of "Where to change what" in ARCHITECTURE.md in a copy of the source: the files of a row are enough
// for the compiler, and with the first edit alone it asks for the others. So nothing can be forgotten silently.

interface Edit {
  file: string
  /** A text that the file has once, and what replaces it. */
  find: string
  replace: string
}

interface Change {
  /** How the row begins. */
  row: string
  edits: [Edit, ...Edit[]]
}

const CHANGES: Change[] = [
  {
    row: 'add an error code',
    edits: [
      {
        file: 'src/errors.ts',
        find: 'export const ERROR_CODES = [',
        replace: "export const ERROR_CODES = [\n  'example_code',",
      },
      {
        file: 'src/http/status.ts',
        find: '  internal_error: 500,',
        replace: '  internal_error: 500,\n  example_code: 400,',
      },
      {
        file: 'src/docs/errors.ts',
        find: '  internal_error: {',
        replace:
          "  example_code: { title: 'An example', cause: 'None.', remedy: 'None.', retry: 'no', example: { message: 'an example' } },\n  internal_error: {",
      },
    ],
  },
  {
    row: 'add a kind of entry',
    edits: [
      {
        file: 'src/kinds.ts',
        find: 'export const API_TYPES = [',
        replace: "export const API_TYPES = ['EXAMPLE_KIND', ",
      },
      {
        file: 'src/kinds.ts',
        find: '  TEMPLATE_MESSAGE: messageKind(',
        replace: '  EXAMPLE_KIND: PROCESS_KINDS.PROCESS_UPDATE,\n  TEMPLATE_MESSAGE: messageKind(',
      },
    ],
  },
  {
    row: 'add a root field to a process',
    edits: [
      {
        file: 'src/process/table.ts',
        find: '    nextActionAt: integer(),',
        replace: '    nextActionAt: integer(),\n    example: integer(),',
      },
      {
        file: 'src/process/fields.ts',
        find: '  createdBy: { column: process.createdBy,',
        replace:
          "  example: { column: process.example, kind: 'number', writable: true, shown: true, queried: true },\n  createdBy: { column: process.createdBy,",
      },
      {
        file: 'src/procedure/model.ts',
        find: 'export const ROOT_FIELDS = [',
        replace: "export const ROOT_FIELDS = ['example', ",
      },
      {
        file: 'src/process/operations.ts',
        find: '    nextActionAt: change.nextActionAt ?? null,',
        replace: '    nextActionAt: change.nextActionAt ?? null,\n    example: change.example ?? null,',
      },
      {
        file: 'src/process/schema.ts',
        find: '  nextActionAt: EpochMs.nullable().exactOptional(),',
        replace: '  nextActionAt: EpochMs.nullable().exactOptional(),\n  example: z.int().nullable().exactOptional(),',
      },
      {
        file: 'src/process/schema.ts',
        find: '  nextActionAt: Time.nullable(),',
        replace: '  nextActionAt: Time.nullable(),\n  example: z.int().nullable(),',
      },
      {
        file: 'src/process/docs.ts',
        find: '  completedAt: 0,',
        replace: '  completedAt: 0,\n  example: null,',
      },
      {
        file: 'src/process/view.ts',
        find: '  nextActionAt: row.nextActionAt,',
        replace: '  nextActionAt: row.nextActionAt,\n  example: row.example,',
      },
    ],
  },
]

const COPIED = ['package.json', 'tsconfig.json', 'src']
const copy = mkdtempSync(path.join(tmpdir(), 'caseworker-changes-'))
const failures: string[] = []
try {
  for (const name of COPIED) cpSync(name, path.join(copy, name), { recursive: true })
  symlinkSync(path.resolve('node_modules'), path.join(copy, 'node_modules'))
  const config = { extends: './tsconfig.json', include: ['src'], exclude: ['src/client'] }
  writeFileSync(path.join(copy, 'tsconfig.check.json'), JSON.stringify(config))
  if (filesWithErrors().length > 0) throw new Error(`types fail before any change: ${filesWithErrors()}`)
  for (const change of CHANGES) check(change)
} finally {
  rmSync(copy, { recursive: true, force: true })
}
for (const failure of failures) console.error(failure)
console.log(`${CHANGES.length} changes of "Where to change what" checked with the compiler`)
process.exitCode = failures.length === 0 ? 0 : 1

function check({ row, edits }: Change): void {
  const files = [...new Set(edits.map(({ file }) => file))]
  const before = files.map(file => [file, readFileSync(path.join(copy, file), 'utf8')] as const)
  const [first, ...others] = edits
  apply(row, first)
  if (filesWithErrors().length === 0) failures.push(`${row}: the compiler asks for nothing after ${first.file}`)
  for (const edit of others) apply(row, edit)
  const wrong = filesWithErrors()
  if (wrong.length > 0) failures.push(`${row}: the files of the row are not enough: ${wrong.join(', ')}`)
  const named = filesOfRow(row)
  if (named.join() !== [...files].sort().join())
    failures.push(`${row}: the row names ${named.join(', ')}, the change is in ${files.join(', ')}`)
  for (const [file, text] of before) writeFileSync(path.join(copy, file), text)
}

function apply(row: string, { file, find, replace }: Edit): void {
  const target = path.join(copy, file)
  const text = readFileSync(target, 'utf8')
  if (text.split(find).length !== 2) throw new Error(`${row}: ${file} does not have once: ${find}`)
  writeFileSync(target, text.replace(find, replace))
}

function filesOfRow(row: string): string[] {
  const line = readFileSync('ARCHITECTURE.md', 'utf8')
    .split('\n')
    .find(each => each.startsWith(`| ${row} |`))
  if (line === undefined) throw new Error(`ARCHITECTURE.md has no row "${row}"`)
  return [...line.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file).sort()
}

function filesWithErrors(): string[] {
  const { stdout } = spawnSync('npx', ['tsc', '--noEmit', '-p', 'tsconfig.check.json'], { cwd: copy, encoding: 'utf8' })
  return [...new Set([...stdout.matchAll(/^([\w./-]+)\(\d+,\d+\): error/gm)].map(([, file = '']) => file))].sort()
}
