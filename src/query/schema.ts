import { z } from 'zod'
import { CONDITIONS_MAX, NESTED_QUERIES_MAX, VALUES_PER_LIST_MAX } from './filter.ts'

// How a query looks, for the reference. What is wrong with one is found by `filter.ts`, which knows the procedure.

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()])
const Values = z.union([Value, z.array(Value).max(VALUES_PER_LIST_MAX)])
const Ordered = z.union([z.string(), z.number()])

const Comparison = z
  .union([
    Values,
    z
      .strictObject({
        '=': Values,
        '!=': Values,
        '>': Ordered,
        '>=': Ordered,
        '<': Ordered,
        '<=': Ordered,
      })
      .partial()
      .meta({ minProperties: 1 }),
  ])
  .meta({
    id: 'Comparison',
    description:
      'A value: equal to it. A list: equal to any of its values. `null`: not set. An object: all its operators must match. `!=` is the exact complement of `=`.',
  })

interface QueryShape {
  and?: QueryShape[] | undefined
  or?: QueryShape[] | undefined
  [field: string]: unknown
}

export const Query: z.ZodType<QueryShape> = z
  .object({
    get and() {
      return z.array(Query).min(1).max(CONDITIONS_MAX).optional()
    },
    get or() {
      return z.array(Query).min(1).max(CONDITIONS_MAX).optional()
    },
  })
  .catchall(Comparison)
  .meta({
    id: 'Query',
    description: `An object from a root field (id, status, state, assignedTo, createdAt, updatedAt, nextActionAt) or an attribute short id to a condition. All conditions must match. At most ${NESTED_QUERIES_MAX} nested queries and ${CONDITIONS_MAX} conditions.`,
  })
