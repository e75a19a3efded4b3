import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

interface PortHolder {
  pid: number
  command: string
}

const LISTENING = '0A'

/** Finds the process that listens on a port, where the system shows it: it does for processes of the same user. */
export function findPortHolder(port: number): PortHolder | undefined {
  try {
    const pid = process.platform === 'linux' ? findInProc(port) : findByLsof(port)
    if (pid === undefined) return undefined
    const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    return { pid, command: stdout?.trim() ?? '' }
  } catch {
    return undefined
  }
}

function findInProc(port: number): number | undefined {
  const sockets = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map(line => line.trim().split(/\s+/))
        .filter(([, local, , state]) => state === LISTENING && Number.parseInt(local?.split(':')[1] ?? '', 16) === port)
        .map(columns => `socket:[${columns[9]}]`),
    ),
  )
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const holder = processes.find(name => readLinks(`/proc/${name}/fd`).some(target => sockets.has(target)))
  return holder === undefined ? undefined : Number(holder)
}

/**
 * Reads the links of a folder, of which one may be closed meanwhile. A folder that cannot be listed belongs to another
 * user, or to a process that ended.
 */
const readLinks = (folder: string): string[] =>
  attempt(() => readdirSync(folder))?.flatMap(name => attempt(() => readlinkSync(`${folder}/${name}`)) ?? []) ?? []

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function findByLsof(port: number): number | undefined {
  const { stdout } = spawnSync('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'], { encoding: 'utf8' })
  const pid = Number(stdout?.split('\n')[0])
  return pid > 0 ? pid : undefined
}
