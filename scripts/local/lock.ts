import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Two servers on one database would answer each other's writes with errors. Returns the process that has it, if one does. */
export function lockState(folder: string): number | undefined {
  const file = path.join(folder, 'lock')
  const holder = findHolder(file)
  if (holder !== undefined && isRunning(holder)) return holder
  // Left behind by a start that was killed.
  rmSync(file, { force: true })
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch {
    return findHolder(file) ?? 0
  }
  process.on('exit', () => rmSync(file, { force: true }))
  return undefined
}

function findHolder(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** Tells whether another process than this one has the number. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return pid !== process.pid
  } catch {
    return false
  }
}
