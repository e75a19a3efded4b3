import { expect, it } from 'vitest'
import { formatLiteral, formatOneLine, JAVASCRIPT, JSON_SYNTAX } from '../../src/docs/samples/literal.ts'
import type { SampledOperation } from '../../src/docs/samples/request.ts'
import { addCodeSamples, buildSamples } from '../../src/docs/samples/samples.ts'
import { document, operations } from '../support/document.ts'

const ORIGIN = 'https://api.acme.example'
const samples = (id: string) => {
  const found = operations.find(({ operation }) => operation.operationId === id)
  return Object.fromEntries(buildSamples(found as SampledOperation, ORIGIN).map(({ label, code }) => [label, code]))
}

it('the reference gives each operation a sample in four languages, in the document and with the origin of the installation', () => {
  const { paths } = addCodeSamples(document, ORIGIN)
  const described = Object.values(paths).flatMap(methods => Object.values(methods) as Record<string, unknown>[])
  expect(described.length).toBe(operations.length)
  for (const { operationId, 'x-codeSamples': listed } of described) {
    const all = listed as { lang: string; label: string; source: string }[]
    expect(all.map(({ lang }) => lang)).toEqual(['Shell', 'TypeScript', 'JavaScript', 'Python'])
    for (const { source } of all) expect(source, `${operationId}`).toContain(ORIGIN)
  }
})

it('the reference lets the document grow by less than a third', () => {
  const size = (of: object) => JSON.stringify(of).length
  expect(size(addCodeSamples(document, ORIGIN)) / size(document)).toBeLessThan(4 / 3)
})

it('a sample of a request with a body has that body', () => {
  expect(samples('updateProcessByPrimaryKey')).toMatchInlineSnapshot(`
    {
      "Python": "import os

    import requests

    response = requests.put(
        "https://api.acme.example/v1/ext/procedure/lead/process/lead_id/LEAD-000001",
        headers={"authorization": f"Bearer {os.environ['TOKEN']}"},
        json={"state": "CONTACTED", "data": {"score": 85}},
    )
    if not response.ok:
        raise SystemExit(response.text)
    print(response.json()["_data"])",
      "TypeScript": "import { caseworker } from 'caseworker'

    const client = caseworker({ baseUrl: 'https://api.acme.example', token: process.env.TOKEN ?? '' })
    const lead = await client.processes('lead').update({ lead_id: 'LEAD-000001' }, {
      state: 'CONTACTED',
      data: { score: 85 },
    })
    console.log(lead)",
      "curl": "curl -s -X PUT https://api.acme.example/v1/ext/procedure/lead/process/lead_id/LEAD-000001 \\
      -H "authorization: Bearer $TOKEN" \\
      -H 'content-type: application/json' \\
      -d '{"state": "CONTACTED", "data": {"score": 85}}'",
      "fetch": "const response = await fetch('https://api.acme.example/v1/ext/procedure/lead/process/lead_id/LEAD-000001', {
      method: 'PUT',
      headers: {
        authorization: \`Bearer \${process.env.TOKEN}\`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ state: 'CONTACTED', data: { score: 85 } }),
    })
    if (!response.ok) throw new Error(await response.text())
    const { _data } = await response.json()
    console.log(_data)",
    }
  `)
})

it('a sample of a request without a body, whose result has pages, goes through them', () => {
  expect(samples('listMessages')).toMatchInlineSnapshot(`
    {
      "Python": "import os

    import requests

    response = requests.get(
        "https://api.acme.example/v1/ext/message?phoneNumber=919448300007",
        headers={"authorization": f"Bearer {os.environ['TOKEN']}"},
    )
    if not response.ok:
        raise SystemExit(response.text)
    print(response.json()["_data"])",
      "TypeScript": "import { caseworker } from 'caseworker'

    const client = caseworker({ baseUrl: 'https://api.acme.example', token: process.env.TOKEN ?? '' })
    const messages = client.messages.list({ phoneNumber: '919448300007' })
    for await (const message of messages) console.log(message)",
      "curl": "curl -s 'https://api.acme.example/v1/ext/message?phoneNumber=919448300007' \\
      -H "authorization: Bearer $TOKEN"",
      "fetch": "const response = await fetch('https://api.acme.example/v1/ext/message?phoneNumber=919448300007', {
      headers: { authorization: \`Bearer \${process.env.TOKEN}\` },
    })
    if (!response.ok) throw new Error(await response.text())
    const { _data } = await response.json()
    console.log(_data)",
    }
  `)
})

const AWKWARD = {
  "it's": 'a "word"\n',
  'a-b': [true, null, -1.5, [], {}],
  path: '\\d',
  deep: { deeper: Array.from({ length: 30 }, (_, at) => ({ at })) },
}

it('a sample writes any value so that it is read as the same value', () => {
  // The literal is our own, made above.
  const read = (text: string): unknown => new Function(`return ${text}`)()
  for (const text of [formatLiteral(AWKWARD, JAVASCRIPT), formatOneLine(AWKWARD, JAVASCRIPT)])
    expect(read(text)).toEqual(AWKWARD)
  for (const text of [formatLiteral(AWKWARD, JSON_SYNTAX), formatOneLine(AWKWARD, JSON_SYNTAX)])
    expect(JSON.parse(text)).toEqual(AWKWARD)
})
