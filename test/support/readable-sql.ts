const CLAUSE = /^(SELECT|FROM|WHERE|ORDER BY|LIMIT|UNION ALL|UNION|CROSS JOIN|LEFT JOIN|WITH)\b/

/** A statement for a reader: each clause on a line of its own, subqueries indented, names without quotes. */
export function readableSql(text: string): string {
  const [lines, opened]: [string[], boolean[]] = [[], []]
  let line = ''
  const isIn = () => opened.filter(Boolean).length
  const breakLine = (): void => {
    if (line.trim() !== '') lines.push(line.trimEnd())
    line = '  '.repeat(isIn())
  }
  const plain = text.replaceAll('"', '').replaceAll(/\s+/g, ' ').replaceAll('( SELECT', '(SELECT')
  for (let at = 0; at < plain.length; ) {
    const rest = plain.slice(at)
    const clause = at === 0 || plain[at - 1] === ' ' || plain[at - 1] === '(' ? CLAUSE.exec(rest)?.[0] : undefined
    // Within a function's parentheses a clause has no line of its own.
    if (clause !== undefined && opened.at(-1) !== false) breakLine()
    if (rest.startsWith('(')) {
      line += '('
      opened.push(/^\((SELECT|WITH)/.test(rest))
      at += 1
    } else if (rest.startsWith(')')) {
      if (opened.at(-1)) {
        opened.pop()
        breakLine()
      } else opened.pop()
      line += ')'
      at += 1
    } else {
      const taken = clause ?? rest[0] ?? ''
      line += taken
      at += taken.length
    }
  }
  breakLine()
  return lines.join('\n').replaceAll('), ', '),\n')
}
