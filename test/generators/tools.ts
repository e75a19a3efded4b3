import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const BIN = path.resolve('test/generators/node_modules/.bin')
const FILES = path.resolve('test/generators')

/** Runs one of the tools of `package.json` beside this file; says all that it said if it fails. */
export async function runTool(cwd: string, name: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, DO_NOT_TRACK: '1', SCARF_ANALYTICS: 'false' }
  try {
    const { stdout } = await promisify(execFile)(path.join(BIN, name), args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${name} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
}

/** The document as the server served it. */
export const documentIn = (home: string): string => path.join(home, 'openapi.json')

/** Each tool writes into `made/`, from where the programs of `programs/` import. */
export const GENERATORS: Record<string, (home: string) => Promise<string>> = {
  'openapi-typescript': home => runTool(home, 'openapi-typescript', 'openapi.json', '-o', 'made/openapi-typescript.ts'),
  'hey-api': home => runTool(home, 'openapi-ts', '-i', 'openapi.json', '-o', 'made/hey-api', '--no-log-file'),
  // Its paths are relative to its configuration.
  orval: home => {
    cpSync(path.join(FILES, 'orval.config.cjs'), path.join(home, 'orval.config.cjs'))
    return runTool(home, 'orval', '--config', 'orval.config.cjs')
  },
  'swagger-typescript-api': home =>
    runTool(
      home,
      ...(['swagger-typescript-api', 'generate', '--silent'] as const),
      ...['-p', 'openapi.json', '-o', 'made', '-n', 'swagger-typescript-api.ts'],
    ),
}
