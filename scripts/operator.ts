/** Calls of the routes for the operator of an installation. A failure is an error with what the API said. */
export function operator(url: string, token: string) {
  async function request(method: string, path: string, body?: BodyInit, headers = {}) {
    const response = await fetch(`${url}/v1/operate${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
  async function json<Data>(method: string, path: string, body?: BodyInit, headers?: object): Promise<Data> {
    const response = await request(method, path, body, headers)
    return ((await response.json()) as { _data: Data })._data
  }
  return { request, json }
}
