declare module '*.md' {
  const text: string
  export default text
}

declare module '*/highlight.js' {
  export function highlight(text: string, language: string): string
}
