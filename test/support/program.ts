import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { matches } from './pattern.ts'

/** One block of TypeScript, and what came of it. */
export interface Tried {
  place: string
  commands: string
  stdout: string
  /** How it is not as printed; undefined where it is. */
  wrong: string | undefined
}

/** Inside the package, so that it finds the package by its name as users do. */
const FILE = 'src/client/dist/example.ts'
const END = '\u0000'
const TYPES = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']

/** The TypeScript of a page is one program, in the order in which it is read: checked with the client's types, run, and compared with the text below each block. */
export function programIn(file: string, env: NodeJS.ProcessEnv): Tried[] {
  const text = readFileSync(file, 'utf8')
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```(?:\n+```text\n([\s\S]*?)^```)?/gm)]
  if (blocks.length === 0) return []
  execFileSync('npm', ['run', '--silent', 'build'])
  writeFileSync(FILE, blocks.map(([, block]) => `${block}console.log('${END}')\n`).join('\n'))
  const types = spawnSync('npx', ['tsc', '--ignoreConfig', ...TYPES, FILE], { encoding: 'utf8' })
  const ran = spawnSync('node', ['--import', 'tsx', FILE], { env, encoding: 'utf8', timeout: 60_000 })
  rmSync(FILE)
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
