/** What others have changed since a plan is not fixed but planned again; the codes are those of all failures. */
export function adviseOnRows(
  codes: readonly (string | null | undefined)[],
  output: string | undefined,
): string | undefined {
  const isChanged = codes.includes('changed_since')
  if (output === undefined)
    return isChanged ? 'to plan them again: --failed-to <file>, and send that file with --plan' : undefined
  if (!isChanged) return `the failed rows are in ${output}: fix them, and send that file`
  const [what, first] = codes.length === 1 ? ['them', ''] : ['some of them', 'fix the others, and ']
  return `the failed rows are in ${output}: others have changed ${what} since the plan; ${first}send that file with --plan, which shows what it would change now`
}
