import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makePrivateFolder } from './private-folder.ts'

/** An `npm start` that runs, for commands that work on its data. */
interface RunningStart {
  pid: number
  port: number
  state: string
}

/** The folder is beside the usual one of local data, because a start may have another. */
const [PARENT, NAME] = [path.resolve('.wrangler'), 'running']
const FOLDER = path.join(PARENT, NAME)

export function announceStart({ pid, port, state }: RunningStart): void {
  makePrivateFolder(PARENT, NAME)
  const file = path.join(FOLDER, `${pid}.json`)
  writeFileSync(file, JSON.stringify({ pid, port, state }))
  process.on('exit', () => rmSync(file, { force: true }))
}

/** Lists the starts in this copy of the repository, and removes the entries of killed ones. */
export function findStarts(): RunningStart[] {
  if (!existsSync(FOLDER)) return []
  return readdirSync(FOLDER).flatMap(name => {
    const file = path.join(FOLDER, name)
    try {
      const start = JSON.parse(readFileSync(file, 'utf8')) as RunningStart
      process.kill(start.pid, 0)
      return [start]
    } catch {
      rmSync(file, { force: true })
      return []
    }
  })
}

export const operatorTokenFile = (state: string): string => path.join(state, 'operator-token')
