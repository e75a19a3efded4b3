/**
 * Runs an n8n workflow, as far as the examples use it: a webhook, HTTP requests, a comparison of numbers and a
 * response. Expressions are evaluated as n8n does, with `$json`, `$env` and `$('node')`. It is not n8n.
 */
export interface Workflow {
  nodes: Node[]
  connections: Record<string, { main: { node: string }[][] }>
}
interface Node {
  name: string
  type: string
  parameters: {
    method?: string
    url?: string
    jsonBody?: string
    headerParameters?: { parameters: { name: string; value: string }[] }
    conditions?: { conditions: { leftValue: string; rightValue: number; operator: { operation: string } }[] }
    responseBody?: string
  }
}

export async function runWorkflow(
  { nodes, connections }: Workflow,
  body: object,
  env: Record<string, string>,
  token: string,
): Promise<unknown> {
  const results = new Map<string, unknown>()
  let name: string | undefined = nodes.find(({ type }) => type === 'n8n-nodes-base.webhook')?.name
  let json: unknown = { body }
  while (name !== undefined) {
    const node = nodes.find(each => each.name === name)
    if (node === undefined) throw new Error(`no node "${name}"`)
    const evaluate = (text = '') => evaluated(text, json, env, results)
    let branch = 0
    switch (node.type) {
      case 'n8n-nodes-base.webhook':
        break
      case 'n8n-nodes-base.httpRequest':
        json = await requested(node, evaluate, token)
        break
      case 'n8n-nodes-base.if':
        branch = isTrue(node, evaluate) ? 0 : 1
        break
      case 'n8n-nodes-base.respondToWebhook':
        return JSON.parse(String(evaluate(node.parameters.responseBody)))
      default:
        throw new Error(`${node.type} is not known here`)
    }
    results.set(name, json)
    name = connections[name]?.main[branch]?.[0]?.node
  }
  throw new Error('the workflow ends without a response')
}

/** A text that begins with `=` is a template; one that is a single expression keeps its type. */
function evaluated(text: string, json: unknown, env: object, results: Map<string, unknown>): unknown {
  if (!text.startsWith('=')) return text
  const node = (name: string) => ({ item: { json: results.get(name) } })
  const value = (expression: string) => new Function('$json', '$env', '$', `return (${expression})`)(json, env, node)
  const whole = /^=\{\{((?:(?!\}\}\s*\S).)*)\}\}$/s.exec(text)?.[1]
  if (whole !== undefined && !whole.includes('{{')) return value(whole)
  return text.slice(1).replace(/\{\{(.*?)\}\}/gs, (_, expression: string) => String(value(expression)))
}

async function requested({ name, parameters }: Node, evaluate: (text?: string) => unknown, token: string) {
  const headers = new Headers({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
  for (const header of parameters.headerParameters?.parameters ?? [])
    headers.set(header.name, String(evaluate(header.value)))
  const { method = 'GET', url, jsonBody } = parameters
  const response = await fetch(String(evaluate(url)), { method, headers, body: String(evaluate(jsonBody)) })
  const answer: unknown = await response.json()
  if (!response.ok) throw new Error(`${name}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

function isTrue({ name, parameters }: Node, evaluate: (text?: string) => unknown): boolean {
  return (parameters.conditions?.conditions ?? []).every(({ leftValue, rightValue, operator }) => {
    if (operator.operation !== 'gte') throw new Error(`${name}: ${operator.operation} is not known here`)
    return Number(evaluate(leftValue)) >= rightValue
  })
}
