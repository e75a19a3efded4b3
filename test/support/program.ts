import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { matches } from './pattern.ts'

/** One block of TypeScript, with its result. */
export interface Tried {
  place: string
  commands: string
  stdout: string
  /** The difference from the printed output; undefined if there is none. */
  wrong: string | undefined
}

/**
 * The limit is above what anything takes: it ends a program that hangs, also on a machine that is busy with much else.
 */
export const LIMIT_MS = 600_000

const END = '\u0000'
const TYPES = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']

/** The TypeScript of a page is one program, in the order in which it is read: checked with the client's types, run, and compared with the text below each block. */
export function programIn(file: string, env: NodeJS.ProcessEnv): Tried[] {
  const text = readFileSync(file, 'utf8')
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```(?:\n+```text\n([\s\S]*?)^```)?/gm)]
  if (blocks.length === 0) return []
  // A folder as a user's project, which finds the package by its name.
  const folder = mkdtempSync(path.join(tmpdir(), 'caseworker-program-'))
  const program = path.join(folder, 'example.ts')
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(program, blocks.map(([, block]) => `${block}console.log('${END}')\n`).join('\n'))
  const types = spawnSync(path.resolve('node_modules/.bin/tsc'), ['--ignoreConfig', ...TYPES, program], {
    cwd: folder,
    encoding: 'utf8',
  })
  const ran = spawnSync('node', ['--import', 'tsx', program], { cwd: folder, env, encoding: 'utf8', timeout: LIMIT_MS })
  rmSync(folder, { recursive: true })
  const outputs = ran.stdout.split(`${END}\n`)
  return blocks.map(({ 1: commands = '', 2: expected, index }, at) => {
    const stdout = outputs[at] ?? ''
    const place = `${file}:${text.slice(0, index).split('\n').length}`
    if (types.status !== 0) return { place, commands, stdout, wrong: types.stdout }
    const hasEnded = at < outputs.length - 1
    const wrong = hasEnded ? matches(expected ?? stdout, stdout) : `ended with ${ran.status}: ${ran.stderr}`
    return { place, commands, stdout, wrong }
  })
}
