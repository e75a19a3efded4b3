import { connect } from 'node:net'

const LOOPBACK = ['127.0.0.1', '::1']
const PORT_MAX = 65_535

/** Why the ports can not be had, in a sentence; undefined where they can. Asked first: wrangler tells it too late. */
export async function whyNot(ports: { port: number; of: string }[]): Promise<string | undefined> {
  for (const { port, of } of ports) {
    if (!(Number.isInteger(port) && port > 0 && port <= PORT_MAX))
      return `PORT must be a whole number from 1 to ${PORT_MAX - 1}: the emulated WhatsApp gets the port after it.`
    const answers = await Promise.all(LOOPBACK.map(host => listens(host, port)))
    if (answers.includes(true))
      return `Port ${port}, for ${of}, is taken: end what listens there, or choose others: PORT=${port + 100} npm start`
  }
  return undefined
}

const listens = (host: string, port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ host, port })
    const found = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => found(true)).once('error', () => found(false))
  })
