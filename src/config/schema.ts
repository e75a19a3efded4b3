import * as z from 'zod'
import { Id } from '../http/shapes.ts'
import { PERMISSIONS } from '../permissions.ts'
import { PluginView } from '../plugin/schema.ts'
import { ProcedureAttribute, ProcedureState, ProcedureView } from '../procedure/schema.ts'
import { ROLE_SHORT_IDS } from '../roles.ts'

const ofProcedure = {
  procedure: Id.describe('The id of the procedure.'),
  procedureShortId: z.string().describe('The short id of the procedure.'),
}

export const TeamNames = z.object({
  id: Id.describe('The id of the team.'),
  shortId: z.string().describe('The short id of the team.'),
  name: z.string().describe('The name of the team, for people.'),
})

export const Config = z
  .object({
    team: TeamNames.describe('The team of the caller.'),
    procedures: z.array(ProcedureView).describe('All procedures of the team.'),
    attributes: z.array(ProcedureAttribute.extend(ofProcedure)).describe('The attributes of all procedures.'),
    states: z.array(ProcedureState.extend(ofProcedure)).describe('The states of all procedures.'),
    roles: z
      .array(
        z.object({
          id: Id.describe('The id of the role.'),
          shortId: z.enum(ROLE_SHORT_IDS).describe('The short id of the role.'),
          name: z.string().describe('The name of the role, for people.'),
          permissions: z.array(z.enum(PERMISSIONS)).describe('What the role allows.'),
        }),
      )
      .describe('The roles that users and API keys can have.'),
    users: z
      .array(
        z.object({
          id: Id.describe('The id of the user.'),
          username: z.string().describe('A name without spaces, unique in the team.'),
          displayName: z.string().describe('The name that people see.'),
          role: z.string().describe('The short id of the role.'),
          isActive: z.boolean().describe('Whether the user can act.'),
        }),
      )
      .describe('The users of the team.'),
    plugins: z.array(PluginView).describe('The connected WhatsApp business accounts.'),
  })
  .meta({ id: 'Config' })
export type ConfigView = z.infer<typeof Config>
