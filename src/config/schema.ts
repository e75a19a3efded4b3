import { z } from 'zod'
import { Id } from '../http/shapes.ts'
import { PERMISSIONS } from '../permissions.ts'
import { PluginView } from '../plugin/schema.ts'
import { ProcedureAttribute, ProcedureState, ProcedureView } from '../procedure/schema.ts'
import { ROLE_SHORT_IDS } from '../roles.ts'

const ofProcedure = { procedure: Id, procedureShortId: z.string() }

export const Config = z
  .object({
    team: z.object({ id: Id, shortId: z.string(), name: z.string() }),
    procedures: z.array(ProcedureView),
    attributes: z.array(ProcedureAttribute.extend(ofProcedure)),
    states: z.array(ProcedureState.extend(ofProcedure)),
    roles: z.array(
      z.object({
        id: Id,
        shortId: z.enum(ROLE_SHORT_IDS),
        name: z.string(),
        permissions: z.array(z.enum(PERMISSIONS)),
      }),
    ),
    users: z.array(
      z.object({ id: Id, username: z.string(), displayName: z.string(), role: z.string(), isActive: z.boolean() }),
    ),
    plugins: z.array(PluginView),
  })
  .meta({ id: 'Config' })
export type ConfigView = z.infer<typeof Config>
