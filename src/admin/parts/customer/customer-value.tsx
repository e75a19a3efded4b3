import { AttributeValue } from '../attribute/attribute-value.tsx'

const guessType = (name: string): 'phone' | 'email' | 'string' =>
  /phone|mobile/i.test(name) ? 'phone' : /e_?mail/i.test(name) ? 'email' : 'string'

/** A value of a customer. Nobody declares its type: it is known by its name. */
export const CustomerValue = ({ name, value }: { name: string; value: unknown }) => (
  <AttributeValue value={value} attribute={typeof value === 'string' ? { type: guessType(name) } : undefined} />
)
