/** A number among the `[vars]` of wrangler.toml. One that is missing or misspelt would be NaN, which every limit lets pass. */
export function numberSetting(name: string, value: string | undefined, max = Number.MAX_SAFE_INTEGER): number {
  const number = Number(value)
  if (number > 0 && number <= max) return number
  throw new Error(`the setting ${name} must be a number above 0 and at most ${max}`)
}
