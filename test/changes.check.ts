import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'

// Makes the changes of "Where to change what" in ARCHITECTURE.md in a copy of the source: the files of a row are enough
// for the compiler and for a small run of tests, and it does not compile where any one of the edits is left out. A compilation
// leaves out an edit of the longest row and one of another: each adds a name, by which the compiler's errors tell of it.
// With `--sample 3 --seed <text>`, as CI runs it, there are so many of these compilations, which the seed chooses.

interface Edit {
  file: string
  /** A text that the file has once, and what replaces it. */
  find: string
  replace: string
}

interface Change {
  /** How the row begins. */
  row: string
  /** What the change adds: an error that comes of an edit that is left out says it. */
  adds: string
  edits: [Edit, ...Edit[]]
  /** The client's types are generated from the document first. */
  generatesClient?: boolean
  /** A file that the change needs besides, and tests that must pass with it. */
  run?: { file?: { path: string; text: string }; test: string }
}

const CHANGES: Change[] = [
  {
    row: 'add an error code',
    adds: 'example_code',
    edits: [
      {
        file: 'src/errors.ts',
        find: 'export const ERROR_CODES = [',
        replace: "export const ERROR_CODES = [\n  'example_code',",
      },
      {
        file: 'src/http/response/status.ts',
        find: '  internal_error: 500,',
        replace: '  internal_error: 500,\n  example_code: 400,',
      },
      {
        file: 'src/docs/errors.ts',
        find: '  internal_error: {',
        replace:
          "  example_code: { title: 'An example', cause: 'Only an example.', remedy: 'Nothing to do.', retry: 'no', example: { message: 'an example' } },\n  internal_error: {",
      },
    ],
    run: { test: 'test/docs/document.test.ts' },
  },
  {
    row: 'add a kind of entry for processes',
    adds: 'EXAMPLE_KIND',
    edits: [
      {
        file: 'src/process/bulk/schema.ts',
        find: "export const PROCESS_ENTRY_KINDS = ['PROCESS_UPDATE', ",
        replace: "export const PROCESS_ENTRY_KINDS = ['EXAMPLE_KIND', 'PROCESS_UPDATE', ",
      },
      {
        file: 'src/process/bulk/kinds.ts',
        find: "  PROCESS_UPDATE: 'process:write',",
        replace: "  PROCESS_UPDATE: 'process:write',\n  EXAMPLE_KIND: 'process:write',",
      },
      {
        file: 'src/process/bulk/kinds.ts',
        find: '  PROCESS_UPDATE: {',
        replace:
          '  EXAMPLE_KIND: { permission: PERMISSIONS_OF_KINDS.EXAMPLE_KIND, schema: UpdateData, run: step => runUpdates(tellTimes, step), ...asProcesses },\n  PROCESS_UPDATE: {',
      },
    ],
  },
  {
    row: 'add a kind of entry of another feature',
    adds: 'OTHER_KIND',
    edits: [
      {
        file: 'src/kinds.ts',
        find: 'export const API_TYPES = [',
        replace: "export const API_TYPES = ['OTHER_KIND', ",
      },
      {
        file: 'src/kinds.ts',
        find: '  TEMPLATE_MESSAGE: messageKind(',
        replace: '  OTHER_KIND: processKinds(tellTimesOf(env)).PROCESS_UPDATE,\n  TEMPLATE_MESSAGE: messageKind(',
      },
    ],
  },
  {
    row: 'add a root field to a process',
    adds: 'priority',
    edits: [
      {
        file: 'src/process/table.ts',
        find: '    nextActionAt: integer(),',
        replace: '    nextActionAt: integer(),\n    priority: integer(),',
      },
      {
        file: 'src/process/fields.ts',
        find: '  createdBy: { column: process.createdBy,',
        replace:
          "  priority: { column: process.priority, kind: 'number', writable: true, shown: true, queried: true },\n  createdBy: { column: process.createdBy,",
      },
      {
        file: 'src/procedure/model.ts',
        find: "'nextActionAt'] as const",
        replace: "'nextActionAt', 'priority'] as const",
      },
      {
        file: 'src/process/rows/new-process.ts',
        find: '    nextActionAt: change.nextActionAt ?? null,',
        replace: '    nextActionAt: change.nextActionAt ?? null,\n    priority: change.priority ?? null,',
      },
      {
        file: 'src/process/schema.ts',
        find: '  nextActionAt: EpochMs.nullable()',
        replace:
          "  priority: z.number().nullable().exactOptional().meta({ description: 'How urgent it is.', examples: [2] }),\n  nextActionAt: EpochMs.nullable()",
      },
      {
        file: 'src/process/schema.ts',
        find: '  nextActionAt: Time.nullable().describe(',
        replace:
          "  priority: z.number().nullable().describe('How urgent it is.'),\n  nextActionAt: Time.nullable().describe(",
      },
      {
        file: 'src/process/rows/members.ts',
        find: "  nextActionAt: field('nextActionAt'),",
        replace: "  nextActionAt: field('nextActionAt'),\n  priority: field('priority'),",
      },
      {
        file: 'src/process/docs.ts',
        find: "  nextActionAt: 1795362606000,\n  assignedTo: '0",
        replace: "  nextActionAt: 1795362606000,\n  priority: 2,\n  assignedTo: '0",
      },
      {
        file: 'src/client/import-file/items.ts',
        find: '  nextActionAt: true,',
        replace: '  nextActionAt: true,\n  priority: true,',
      },
    ],
    generatesClient: true,
    run: {
      file: { path: 'drizzle/0001_priority.sql', text: 'ALTER TABLE process ADD COLUMN priority integer;' },
      test: 'test/process/fields.test.ts',
    },
  },
]

const COPIED = [
  'drizzle',
  'package.json',
  'scripts',
  'src',
  'test',
  'tsconfig.json',
  'wrangler.toml',
  '.biome.json',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
]
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '' },
  },
})
const chosen = CHANGES.filter(({ row }) => row.includes(options.only))
const copy = mkdtempSync(path.join(tmpdir(), 'caseworker-changes-'))
const failures: string[] = []
try {
  for (const name of COPIED) cpSync(name, path.join(copy, name), { recursive: true })
  symlinkSync(path.resolve('dist'), path.join(copy, 'dist'))
  symlinkSync(path.resolve('node_modules'), path.join(copy, 'node_modules'))
  // What a compilation has found out is kept for the next one.
  const compilerOptions = { incremental: true, tsBuildInfoFile: './check.tsbuildinfo' }
  const config = { extends: './tsconfig.json', compilerOptions, include: ['src'], exclude: ['src/client', 'src/admin'] }
  writeFileSync(path.join(copy, 'tsconfig.check.json'), JSON.stringify(config))
  if (filesWithErrors().length > 0) throw new Error(`types fail before any change: ${filesWithErrors()}`)
  for (const change of chosen) expectRowNamesFiles(change)
  const byLength = chosen.toSorted((one, other) => serverEdits(other).length - serverEdits(one).length)
  const [longest = [], ...others] = byLength.map(change => serverEdits(change).map(edit => ({ change, edit })))
  const beside = others.flat()
  for (const nth of chooseOf(Math.max(longest.length, beside.length)))
    leaveOut([longest[nth], beside[nth]].filter(each => each !== undefined))
  makeAll()
} finally {
  rmSync(copy, { recursive: true, force: true })
}
for (const failure of failures) console.error(failure)
console.log(`${chosen.length} changes of "Where to change what" made, and left out in part`)
process.exitCode = failures.length === 0 ? 0 : 1

/** All numbers below a count, or a sample of them. */
function chooseOf(count: number): number[] {
  const all = Array.from({ length: count }, (_, nth) => nth)
  if (options.sample === undefined) return all
  const order = (nth: number) => createHash('sha256').update(`${options.seed} ${nth}`).digest('hex')
  return all.toSorted((one, other) => (order(one) < order(other) ? -1 : 1)).slice(0, Number(options.sample))
}

/** The client's columns are asked for by types that are generated: see `makeAll`. */
function serverEdits({ edits }: Change): Edit[] {
  return edits.filter(({ file }) => !file.startsWith('src/client/'))
}

function expectRowNamesFiles({ row, edits }: Change): void {
  const files = [...new Set(edits.map(({ file }) => file))].sort()
  const named = filesInRow(row)
  if (named.join() !== files.join())
    failures.push(`${row}: the row names ${named.join(', ')}, the change is in ${files.join(', ')}`)
}

/** Makes all changes but for these edits: none of the changes that they belong to compiles. */
function leaveOut(forgotten: { change: Change; edit: Edit }[]): void {
  const restore = remember()
  const left = new Set(forgotten.map(({ edit }) => edit))
  for (const change of chosen) for (const edit of serverEdits(change)) if (!left.has(edit)) apply(change.row, edit)
  const errors = compile('tsconfig.check.json')
  for (const { change, edit } of forgotten)
    if (!errors.includes(change.adds))
      failures.push(`${change.row}: it compiles without the edit of ${edit.file}: ${edit.replace}`)
  restore()
}

/** Makes all changes as a whole: they compile, generated types ask for what the client lacks, and tests pass with them. */
function makeAll(): void {
  for (const change of chosen) for (const edit of serverEdits(change)) apply(change.row, edit)
  const clientEdits = chosen.flatMap(({ row, edits }) =>
    edits.filter(({ file }) => file.startsWith('src/client/')).map(edit => ({ row, edit })),
  )
  const generates = chosen.some(({ generatesClient }) => generatesClient)
  if (generates) {
    execute('npm', 'run', '--silent', 'client')
    const asked = filesWithErrors('scripts').join()
    if (asked !== clientEdits.map(({ edit }) => edit.file).join())
      failures.push(`the client's types ask for ${asked || 'nothing'}`)
  }
  for (const { row, edit } of clientEdits) apply(row, edit)
  const wrong = [...filesWithErrors(), ...(generates ? filesWithErrors('scripts') : [])]
  if (wrong.length > 0) failures.push(`the files of the rows are not enough: ${wrong.join(', ')}`)
  const tests = chosen.flatMap(({ run }) => run?.test ?? [])
  for (const { run } of chosen) if (run?.file) writeFileSync(path.join(copy, run.file.path), run.file.text)
  if (tests.length === 0) return
  const config = ['--config', 'test/vitest.config.ts', '--root', '.', '--project', 'api']
  const { status, stdout } = execute('npx', 'vitest', 'run', ...config, ...tests)
  if (status !== 0) failures.push(`${tests.join(', ')} fail with the changes\n${stdout.slice(-3_000)}`)
}

/** The files of all changes as they are; what it returns writes them back. */
function remember(): () => void {
  const files = [...new Set(chosen.flatMap(({ edits }) => edits.map(({ file }) => file)))]
  const before = files.map(file => [file, readFileSync(path.join(copy, file), 'utf8')] as const)
  return () => {
    for (const [file, text] of before) writeFileSync(path.join(copy, file), text)
  }
}

function apply(row: string, { file, find, replace }: Edit): void {
  const target = path.join(copy, file)
  const text = readFileSync(target, 'utf8')
  if (text.split(find).length !== 2) throw new Error(`${row}: ${file} does not have once: ${find}`)
  writeFileSync(target, text.replace(find, replace))
}

function filesInRow(row: string): string[] {
  const line = readFileSync('ARCHITECTURE.md', 'utf8')
    .split('\n')
    .find(each => each.startsWith(`| ${row} |`))
  if (line === undefined) throw new Error(`ARCHITECTURE.md has no row "${row}"`)
  return [...line.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file).sort()
}

function execute(command: string, ...args: string[]) {
  return spawnSync(command, args, { cwd: copy, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } })
}

/** What the compiler says. */
function compile(project: string): string {
  return execute('node_modules/.bin/tsc', '--noEmit', '-p', project).stdout
}

function filesWithErrors(project = 'tsconfig.check.json'): string[] {
  const errors = compile(project).matchAll(/^([\w./-]+)\(\d+,\d+\): error/gm)
  return [...new Set([...errors].map(([, file = '']) => file))].sort()
}
