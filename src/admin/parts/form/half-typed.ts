/** What a form and its fields tell of the text in them. */
interface FormFields {
  elements: Iterable<object>
}

const isHalfTyped = (field: object): field is HTMLInputElement =>
  'validity' in field && (field as HTMLInputElement).validity.badInput

/**
 * Says of the first field whose text the browser takes for no number, day or time that it is none, and returns whether there
 * is one: the value of such a field is empty, and would be removed.
 */
export function refuseHalfTyped({ elements }: FormFields): boolean {
  const field = [...elements].find(isHalfTyped)
  field?.reportValidity()
  return field !== undefined
}
