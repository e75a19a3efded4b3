/** What a response of the API, or of the emulator, has of use here. */
export interface Answered {
  id: string
  [name: string]: unknown
}

export interface Place {
  /** The address of the API. */
  url: string
  /** The address of the emulated WhatsApp. */
  provider: string
  token: string
}

export interface Caller {
  /** A call that must succeed, or find that an earlier start, which was interrupted, has made it already. */
  call: <Data = Answered>(method: string, path: string, body?: unknown) => Promise<Data>
  /** One that may be refused. */
  attempt: (method: string, path: string, body?: unknown) => Promise<void>
  /** One of the control API of the emulated WhatsApp. */
  control: (method: string, path: string, body: unknown) => Promise<void>
}

const CONFLICT = 409

export function callerOf({ url, provider, token }: Place): Caller {
  const send = (address: string, method: string, body: unknown) =>
    fetch(address, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    async call<Data>(method: string, path: string, body?: unknown) {
      const response = await send(url + path, method, body)
      const { _data, _errors } = (await response.json()) as { _data: Data; _errors: string[] }
      if (!response.ok && response.status !== CONFLICT) throw new Error(`${method} ${path}: ${_errors.join('; ')}`)
      return _data
    },
    async attempt(method, path, body) {
      await (await send(url + path, method, body)).text()
    },
    async control(method, path, body) {
      const response = await send(`${provider}/control${path}`, method, body)
      if (!response.ok) throw new Error(`${method} /control${path}: ${await response.text()}`)
    },
  }
}
