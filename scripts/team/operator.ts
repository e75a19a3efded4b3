interface ApiFailure {
  _errors?: string[]
  _meta?: { errors?: { hint?: string }[] }
}

/** A call was answered with a failure. */
export class OperatorError extends Error {
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** Calls the routes for the operator of an installation. */
export interface Operator {
  request: (method: string, path: string, body?: BodyInit, headers?: Record<string, string>) => Promise<Response>
  json: <Data>(method: string, path: string, body?: BodyInit, headers?: Record<string, string>) => Promise<Data>
}

/** A failure is an error with what the API said. */
export function operator(
  url: string,
  token: string,
  send: (url: string, init: RequestInit) => Promise<Response> = fetch,
): Operator {
  async function request(method: string, path: string, body?: BodyInit, headers = {}) {
    const response = await send(`${url}/v1/operate${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    }).catch((error: unknown) => {
      throw new Error(`${url} cannot be reached`, { cause: error })
    })
    if (!response.ok) throw new OperatorError(toReason(response, await response.text()), response.status)
    return response
  }
  async function json<Data>(method: string, path: string, body?: BodyInit, headers = {}): Promise<Data> {
    const response = await request(method, path, body, headers)
    return ((await response.json()) as { _data: Data })._data
  }
  /** What the API said, for people. */
  function toReason({ status }: Response, text: string): string {
    const { _errors: errors = [], _meta: meta } = parse(text)
    if (errors.some(each => each.startsWith('there is no /v1/operate')))
      return `${url} has no routes for its operator: they are there once the secret OPERATOR_TOKEN is set (see the guide "Running it")`
    if (errors.length === 0) return `${url} answered ${status}: ${text.slice(0, TEXT_CHARACTERS_MAX)}`
    const hints = (meta?.errors ?? []).flatMap(({ hint }) => hint ?? [])
    return [...errors, ...hints].join('\n')
  }
  return { request, json }
}

const TEXT_CHARACTERS_MAX = 300

function parse(text: string): ApiFailure {
  try {
    return JSON.parse(text) as ApiFailure
  } catch {
    return {}
  }
}
