import { previewCalls } from '@grove/contract/cedar/preview'
import type { FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { addCall } from '../../../core/http/add-call.ts'
import { deriveSecret, readSecret } from '../../../core/secret.ts'
import type { CedarContext } from '../context.ts'
import { consoleOrigins, previewHeaders } from './preview-headers.ts'
import { previewPackages } from './preview-packages.ts'
import { servePreviews } from './preview-server.ts'
import { sharedContent } from './shared-content.ts'
import { allowedHosts, openPreview } from './preview.service.ts'
import { previewTokens } from './preview-token.ts'

/** The call that opens a preview, and the separate listener that serves it. */
export async function previewRoutes(app: FastifyInstance, context: CedarContext): Promise<void> {
  const tokens = previewTokens(deriveSecret(await readSecret(context.config), 'preview'))
  const packages = previewPackages(context.objects)
  addCall(app, previewCalls, 'POST /api/developer/productVersion/{id}/preview', (input) =>
    openPreview({ ...context, packages, tokens }, input.actor, input.params),
  )
  app.addHook('onClose', async () => {
    packages.close()
    await context.preview?.close()
  })
  if (!context.preview) return
  const script = await readFile(new URL('first-script.js', import.meta.url), 'utf8')
  // Every page contains it: without comments and indentation.
  const code = script.replaceAll(/^\s*(\/\/.*\n)?/gm, '')
  servePreviews({
    listener: context.preview,
    tokens,
    packages,
    contents: sharedContent(),
    firstScript: Buffer.from(`<script>${code}</script>`),
    headers: (hosts) => {
      const at = app.server.address() as AddressInfo | null
      return previewHeaders(consoleOrigins(context.config, at?.port), hosts)
    },
    hostsOf: allowedHosts(context),
    now: context.now,
    warn: (error) => app.log.warn({ err: error }, 'A preview could not be served.'),
  })
}
