export type Bounds = readonly [min: number, max: number]

/** Lists the settings that are not whole numbers within their bounds. */
export const listBoundsProblems = <Name extends string>(
  vars: Readonly<Record<Name, string>>,
  bounds: Readonly<Record<Name, Bounds>>,
): string[] =>
  (Object.entries(bounds) as [Name, Bounds][]).flatMap(([name, [min, max]]) => {
    const number = Number(vars[name])
    const isFit = Number.isInteger(number) && number >= min && number <= max
    return isFit ? [] : [`the setting ${name} must be a whole number from ${min} to ${max}`]
  })

/** Reads settings within bounds. Throws an error that names all that are wrong. */
export function readBoundedSettings<Name extends string>(
  vars: Readonly<Record<Name, string>>,
  bounds: Readonly<Record<Name, Bounds>>,
): Record<Name, number> {
  const problems = listBoundsProblems(vars, bounds)
  if (problems.length > 0) throw new Error(problems.join('; '))
  return Object.fromEntries(Object.keys(bounds).map(name => [name, Number(vars[name as Name])])) as Record<Name, number>
}
