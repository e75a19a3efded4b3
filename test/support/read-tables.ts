/** What is read of a table: its items, and why rows are none, each with its line. */
export interface TableReading {
  items: unknown[]
  faults: string[]
}

interface ReadLine {
  line: number
  item?: unknown
  fault?: string | undefined
}

export async function gatherRows(rows: AsyncIterable<ReadLine>): Promise<TableReading> {
  const [items, faults]: [unknown[], string[]] = [[], []]
  for await (const { line, item, fault } of rows)
    if (fault === undefined) items.push(item)
    else faults.push(`line ${line}: ${fault}`)
  return { items, faults }
}

/** The attributes of the procedure that the tables are for, with their names and types. */
export const TABLE_ATTRIBUTES = [
  { shortId: 'lead_id', name: 'Lead', type: 'string', required: true, indexed: true },
  { shortId: 'city', name: 'City', type: 'string', required: false, indexed: false },
  { shortId: 'score', name: 'Score', type: 'float', required: false, indexed: false },
  { shortId: 'roof', name: 'Roof', type: 'json', required: false, indexed: false },
  { shortId: 'due', name: 'Due', type: 'date', required: false, indexed: false },
] as const

const item = (lead_id: string, city: string) => ({ data: { lead_id, city } })

/** Tables, and what the API, the command line and the page read of each. */
export const READ_TABLES: [string, string | Uint8Array, TableReading][] = [
  [
    'an empty last column',
    'lead_id;city;\nA;Goa;\nB;Pune;\n',
    { items: [item('A', 'Goa'), item('B', 'Pune')], faults: [] },
  ],
  [
    'a cell in a column without a heading',
    'lead_id;city;\nA;Pune; East\nB;Pune;\n',
    { items: [item('B', 'Pune')], faults: ['line 2: "East" stands in column 3, which has no heading'] },
  ],
  [
    'rows that are wider and narrower than the header',
    'lead_id,city\nA,Pune, East\nB\nC,Goa\n',
    {
      items: [item('C', 'Goa')],
      faults: ['line 2: the row has 3 cells, and the header 2', 'line 3: the row has 1 cell, and the header 2'],
    },
  ],
  [
    'rows with a comma too many, of which the last cell is empty',
    'lead_id,city,score\nA,Pune, East,\nB,Goa,1\n',
    {
      items: [{ data: { lead_id: 'B', city: 'Goa', score: 1 } }],
      faults: ['line 2: the row has 4 cells, and the header 3'],
    },
  ],
  [
    'rows of several lines, and lines without a row',
    'sep=;\r\n\r\nlead_id;city\r\n"A";"New\r\nGoa"\r\n\r\n;\r\nB\r\nC;"Pu\nne"\r\nD;1;2\r\n',
    {
      items: [item('A', 'New\r\nGoa'), item('C', 'Pu\nne')],
      faults: ['line 8: the row has 1 cell, and the header 2', 'line 11: the row has 3 cells, and the header 2'],
    },
  ],
  [
    'its header once more, halfway',
    'lead_id,City\nA,Goa\nlead_id, City\nB,Pune\n',
    { items: [item('A', 'Goa'), item('B', 'Pune')], faults: ['line 3: it is the header once more'] },
  ],
  [
    'a row with nothing in its columns',
    'lead_id,city,_error\nA,Goa,\n,,wrong\n',
    { items: [item('A', 'Goa')], faults: ['line 3: there is nothing in its columns'] },
  ],
  [
    'JSON with a mistake, in the words of the heading',
    'Lead,Roof\nA,{flat\nB,{}\n',
    {
      items: [{ data: { lead_id: 'B', roof: {} } }],
      faults: ['line 2: "Roof" is no JSON: names and texts stand in double quotes, as in {"roof": "flat"}'],
    },
  ],
  [
    'JSON with a member that is there twice',
    'Lead,Roof\nA,"{""flat"": true, ""flat"": false}"\nB,{}\n',
    { items: [{ data: { lead_id: 'B', roof: {} } }], faults: ['line 2: "Roof" has "flat" twice'] },
  ],
  [
    'a letter of another encoding',
    new Uint8Array([
      ...new TextEncoder().encode('lead_id,city\nA,Köln\nB,K'),
      0xf6,
      ...new TextEncoder().encode('ln\nC,Öl\n'),
    ]),
    {
      items: [item('A', 'Köln'), item('C', 'Öl')],
      faults: ['line 3: it is no text in the encoding of the file: say which one it has'],
    },
  ],
]

/** What refuses a table, in which mode, and in which words, but for the case of their first letter. */
export const REFUSED_TABLES = [
  [
    'an unknown heading',
    'create',
    'lead_id,Remark\nA,x\n',
    'the column "Remark" is no field, and no attribute of lead',
  ],
  [
    'a heading that stands there twice',
    'create',
    'lead_id,City,city\nA,x,y\n',
    '"City", column 2, and "city", column 3, are both city',
  ],
  [
    'numbers whose comma may stand before decimals or thousands',
    'create',
    'lead_id,score\nA,"1,234"\nB,"12,500"\n',
    'the column "score" has "1,234" (line 2), of which is not known whether its mark stands before decimals or thousands',
  ],
  [
    'a day that may be one of March or of April',
    'create',
    'lead_id,due\nA,03/04/2026\n',
    'the column "due" has "03/04/2026" (line 2), of which is not known whether day or month comes first',
  ],
  [
    'numbers with a comma and with a point before their decimals',
    'create',
    'lead_id,score\nA,"1,5"\nB,2.5\n',
    'the column "score" has numbers with a comma and with a point before their decimals',
  ],
  ['no column that names the processes', 'update', 'city\nGoa\n', 'lead_id or id is needed, and there are "city"'],
] as const
