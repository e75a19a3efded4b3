import { connect } from 'node:net'
import { findPortHolder } from './port-holder.ts'

const LOOPBACK = ['127.0.0.1', '::1']
export const PORT_MAX = 65_535
const COMMAND_CHARACTERS_MAX = 80

/** Explains why a port cannot be used; undefined if all can. It is checked first, since the runtime starts late. */
export async function portProblem(ports: { port: number; of: string }[]): Promise<string | undefined> {
  for (const { port, of } of ports) {
    if (!(Number.isInteger(port) && port > 0 && port <= PORT_MAX))
      return `PORT must be a whole number from 1 to ${PORT_MAX - 1}: the emulated WhatsApp gets the port after it.`
    const isTaken = await Promise.all(LOOPBACK.map(host => isListening(host, port)))
    if (isTaken.includes(true))
      return `Port ${port}, for ${of}, is taken${formatHolder(port)}: stop the process that uses it, or choose other ports: PORT=${port + 100} npm start`
  }
  return undefined
}

function formatHolder(port: number): string {
  const holder = findPortHolder(port)
  return holder === undefined ? '' : ` by process ${holder.pid} (${holder.command.slice(0, COMMAND_CHARACTERS_MAX)})`
}

const isListening = (host: string, port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ host, port })
    const finish = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => finish(true)).once('error', () => finish(false))
  })
