import { embeddedProvider } from '@grove/contract/dev/embedded-provider'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readFile } from 'node:fs/promises'
import type { Provider } from 'oidc-provider'
import { ownAddress } from '../../../core/http/own-address.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { DevContext } from '../context.ts'
import { answerInteraction, findInteraction } from './interaction.ts'
import { choicePage, expiredPage, pageLanguage, pagePolicy } from './pages.ts'
import { createProvider, redirectUris } from './provider.ts'

const { path: identityPath } = embeddedProvider
const interactionPath = `${identityPath}/interaction/:uid`

/** The embedded OpenID provider: the library's own routes, and the page where a person chooses. */
export function addIdentityRoutes(app: FastifyInstance, context: DevContext): void {
  let made: Promise<Provider> | undefined
  const provider = (): Promise<Provider> => {
    made ??= createProvider(issuerOf(app), context)
    return made
  }
  const options = { schema: { hide: true } }

  app.get(`${identityPath}/page.css`, options, async (_request, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .send(await readFile(new URL('page.css', import.meta.url))),
  )

  app.get(interactionPath, options, async (request, reply) => {
    const interaction = await findInteraction(await provider(), request, reply)
    const uiLocales = interaction?.params['ui_locales']
    const language = languageOf(request, uiLocales)
    addPageHeaders(
      reply,
      redirectUris(issuerOf(app), context.config).map((uri) => new URL(uri).origin),
    )
    if (!interaction) return reply.code(400).send(expiredPage(language))
    return reply.send(choicePage(language, request.url))
  })

  app.post(interactionPath, options, async (request, reply) => {
    const { identity } = (request.body ?? {}) as { identity?: unknown }
    const next = await answerInteraction(await provider(), request, reply, identity)
    if (next !== undefined) return reply.redirect(next, 303)
    addPageHeaders(reply, [])
    return reply.code(400).send(expiredPage(languageOf(request)))
  })

  app.register(async (scope) => {
    // The library parses its bodies itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.all(`${identityPath}/*`, options, async ({ raw }, reply) => {
      const handle = (await provider()).callback()
      reply.hijack()
      reply.raw.setHeader('x-content-type-options', 'nosniff')
      reply.raw.setHeader('referrer-policy', 'no-referrer')
      // The library derives its mount path by comparing the two.
      Object.assign(raw, {
        originalUrl: raw.url,
        url: raw.url?.slice(identityPath.length),
      })
      await handle(raw, reply.raw)
    })
  })
}

function issuerOf(app: FastifyInstance): string {
  const address = ownAddress(app)
  if (address === undefined)
    throw new ProblemError('not_found', 'The sample identities need a server that listens.')
  return `${address}${identityPath}`
}

const languageOf = (request: FastifyRequest, uiLocales?: unknown) =>
  pageLanguage(
    typeof uiLocales === 'string' ? uiLocales : undefined,
    request.headers['accept-language'],
  )

function addPageHeaders(reply: FastifyReply, formTargets: readonly string[]): void {
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', pagePolicy(formTargets))
}
