// Syntax colours: the build paints the code of the pages with this, and a page the responses that it shows.

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = text => text.replace(/[&<>"]/g, character => ESCAPES[character])

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/.source
const NUMBER = /\b\d[\d_]*(?:\.\d+)?\b/.source
const CALL = /\b[A-Za-z_$][\w$]*(?=\()/.source
const TS_WORDS =
  'import|from|export|default|const|let|async|await|for|of|in|new|return|if|else|function|type|interface|try|catch|throw|typeof|true|false|null|undefined'
const PYTHON_WORDS =
  'import|from|as|def|class|return|for|in|if|elif|else|while|with|try|except|raise|not|and|or|is|None|True|False|print'

const LANGUAGES = {
  json: /(?<name>"(?:[^"\\]|\\.)*")(?=\s*:)|(?<text>"(?:[^"\\]|\\.)*")|(?<word>\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/g,
  sh: /(?<comment>(?<=^|\s)#[^\n]*)|(?<name>\$\w+|\$\{\w+\}|"[^"\n]*"(?=: ))|(?<word>(?<=^|\s)--?[A-Za-z][\w-]*|^ *(?:curl|export|npm|npx|node|pip|python3?)\b|(?<=\| )\w+)/gm,
  ts: new RegExp(
    `(?<comment>//[^\\n]*|/\\*[\\s\\S]*?\\*/)|(?<text>${STRING}|\`(?:[^\`\\\\]|\\\\.)*\`)|(?<word>\\b(?:${TS_WORDS})\\b|${NUMBER})|(?<name>${CALL}|\\b[A-Za-z_$][\\w$]*(?=\\??:))`,
    'g',
  ),
  python: new RegExp(
    `(?<comment>#[^\\n]*)|(?<text>f?(?:${STRING}))|(?<word>\\b(?:${PYTHON_WORDS})\\b|${NUMBER})|(?<name>${CALL})`,
    'g',
  ),
}
const SAME = { bash: 'sh', shell: 'sh', curl: 'sh', typescript: 'ts', javascript: 'ts', js: 'ts', py: 'python' }

/** Only the line of an address is wrapped: a body of JSON keeps its lines. */
const withLines = html =>
  html
    .split('\n')
    .map(line => (line.includes('://') ? line : `<span class="line">${line}</span>`))
    .join('\n')

/** A long address may be wrapped before a slash of its path; nothing else of a command is. */
const wrappable = html => html.replace(/(?<=[\w}])\/(?=[\w{$])/g, '<wbr>/')

const TOO_LONG_TO_PAINT = 60_000

/** Text as HTML, with a class for each kind of word. A language that is not known stays plain. */
export function highlight(text, language) {
  const pattern = LANGUAGES[SAME[language] ?? language]
  if (pattern === undefined || text.length > TOO_LONG_TO_PAINT) return escaped(text)
  const plain = pattern === LANGUAGES.sh ? text => wrappable(escaped(text)) : escaped
  let [html, at] = ['', 0]
  for (const match of text.matchAll(pattern)) {
    const [kind, found] = Object.entries(match.groups).find(([, each]) => each !== undefined)
    // What is only looked for before a word, such as spaces at the beginning of a line, stays plain.
    const begin = match.index + match[0].indexOf(found)
    html += `${plain(text.slice(at, begin))}<span class="t-${kind}">${escaped(found)}</span>`
    at = match.index + match[0].length
  }
  html += plain(text.slice(at))
  return pattern === LANGUAGES.sh ? withLines(html) : html
}
