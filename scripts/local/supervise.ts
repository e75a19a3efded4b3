import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import path from 'node:path'

/**
 * Miniflare shows neither the process of the runtime nor its end, so all spawned processes are checked: a runtime ends
 * with this process, even if that is killed, and its own end is reported to `onExit`.
 */
export function superviseRuntime(onExit: (cause: string) => void): void {
  subscribe('child_process', message => {
    const { process: child } = message as { process: ChildProcess }
    child.once('spawn', () => {
      if (!isRuntime(child)) return
      killWithParent(child)
      child.once('exit', (code, signal) => onExit(signal === null ? `exit code ${code}` : `signal ${signal}`))
    })
  })
}

const isRuntime = ({ spawnfile }: ChildProcess): boolean =>
  spawnfile === process.env.MINIFLARE_WORKERD_PATH || path.basename(spawnfile, '.exe') === 'workerd'

/** A shell waits for the end of a pipe that only this process holds: no way to end leaves it open. */
function killWithParent({ pid }: ChildProcess): void {
  if (pid === undefined || process.platform === 'win32') return
  const watchdog = spawn('sh', ['-c', 'read -r _; kill -KILL "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // The watchdog has a process group of its own, since Ctrl-C ends a whole group.
    detached: true,
  })
  // If the watchdog fails, the worst is that the runtime goes on when this process is killed.
  watchdog.on('error', () => {})
  watchdog.unref()
  const { stdin } = watchdog
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
}
