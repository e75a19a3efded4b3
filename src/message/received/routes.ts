import { route } from '../../http/route.ts'
import { getProvider } from '../../plugin/provider.ts'
import { getCipher } from '../../plugin/secret/cipher.ts'
import { MessagePath } from '../schema.ts'
import { downloadReceived } from './download.ts'

export const receivedRoutes = [
  route({
    id: 'downloadMessageMedia',
    method: 'get',
    path: '/v1/ext/message/:messageId/media',
    summary: 'Download a received file',
    permission: 'message:read',
    params: MessagePath,
    perform: ({ c, scope, params: { messageId } }) =>
      downloadReceived(scope, { cipher: getCipher(c.env), provider: getProvider(c.env) }, messageId),
    respond: file => file,
  }),
]
