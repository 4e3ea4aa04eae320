import { differenceCalls } from '@grove/contract/cedar/difference'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { getDifference, listFiles, openFile } from './difference.service.ts'

export function differenceRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, differenceCalls, 'GET /api/developer/productVersion/{id}/difference', (input) =>
    getDifference(context, input.actor, { ...input.params, ...input.query }),
  )
  addCall(app, differenceCalls, 'GET /api/developer/productVersion/{id}/files', (input) =>
    listFiles(context, input.actor, input.params),
  )
  addCall(app, differenceCalls, 'GET /api/developer/productVersion/{id}/file', async (input) => {
    const { content, isText } = await openFile(context, input.actor, {
      ...input.params,
      ...input.query,
    })
    return input.reply
      .type(isText ? 'text/plain; charset=utf-8' : 'application/octet-stream')
      .headers({
        // Whatever a developer packed, our pages show it only as text.
        'content-disposition': 'attachment',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      .send(content)
  })
}
