import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ProblemError } from '../../core/http/problem.ts'
import {
  publicDocument,
  sendDocument,
  type PublicDocument,
} from '../../core/http/public-document.ts'
import { defineService } from '../../core/service.ts'
import { StartupError } from '../../core/startup-error.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { readSettings } from './settings.ts'
import { stageConfiguration, type StageConfiguration } from './stage.ts'

const dist = fileURLToPath(new URL('../../../../console/dist/', import.meta.url))

/** Serves the console and its stage configuration. */
export const consoleService = defineService({
  name: 'console',
  settings: readSettings,
  open: ({ apiVersions, config, preview }, settings) => ({
    stage: stageConfiguration(settings, apiVersions),
    isLocal: config.isLocal,
    // Those of another process, if this one serves none.
    previews: preview?.pattern ?? config.preview.url,
  }),
  register: async (app, { stage, isLocal, previews }) => {
    const [html, signIn] = await Promise.all([builtPage('index.html'), builtPage('login.html')])
    const policyOf = (of: string) => contentSecurityPolicy(stage, of, previews)
    const page = { document: await pageOf(app, html, stage), policy: policyOf(html) }
    const signInPage = { document: await pageOf(app, signIn, stage), policy: policyOf(signIn) }
    // Names of built files contain a hash of their content, so they can be cached forever.
    await app.register(fastifyStatic, {
      root: `${dist}assets`,
      prefix: '/assets/',
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
      index: false,
      decorateReply: false,
    })
    await app.register(fastifyStatic, {
      root: dist,
      wildcard: false,
      index: false,
      allowedPath: (path) => !path.startsWith('/assets/') && !path.endsWith('.html'),
      globIgnore: ['assets/**', '*.html', '.*'],
      maxAge: '1h',
      // npm checks each time, and gets the tool of this version.
      setHeaders: (response, path) => {
        if (path.includes('/downloads/')) void response.header('cache-control', 'no-cache')
      },
    })
    app.get('/stage.json', { schema: { hide: true } }, async (_request, reply) => {
      reply.header('cache-control', 'no-cache')
      return stage
    })
    installPages(app, (path) => (isSignIn.test(path) ? signInPage : page), isLocal)
  },
})

/** The URL whose page contains the sign-in form. */
const isSignIn = /^\/login\/?$/

const builtPage = (name: string) =>
  readFile(`${dist}${name}`, 'utf8').catch(() => {
    throw new StartupError('The console is not built. Run "npm start", which builds it.')
  })

const keysStayMs = 60_000

/**
 * The page with the stage in it, and with the keys of the authentication service if it runs in this
 * process: the console verifies its token without another request. A new key is published for longer
 * than this page is cached before it signs.
 */
async function pageOf(app: FastifyInstance, html: string, stage: StageConfiguration) {
  const { auth_api_url, auth_jwks_url, auth_public_key } = stage.default
  const isElsewhere = auth_api_url ?? auth_jwks_url ?? auth_public_key
  let known = { json: JSON.stringify(stage), page: await fill(html, stage), until: 0 }
  return async (): Promise<PublicDocument> => {
    if (isElsewhere !== undefined || performance.now() < known.until) return known.page
    const until = performance.now() + keysStayMs
    const answer = await app.inject('/.well-known/jwks.json')
    const withKeys =
      answer.statusCode === 200 ? { ...stage, auth_jwks: answer.json<object>() } : stage
    const json = JSON.stringify(withKeys)
    known = { json, page: json === known.json ? known.page : await fill(html, withKeys), until }
    return known.page
  }
}

function fill(html: string, stage: object): Promise<PublicDocument> {
  // `<` is escaped so that no value can close the element.
  const json = JSON.stringify(stage).replaceAll('<', '\\u003c')
  return publicDocument(Buffer.from(html.replace('<!--stage-->', () => json)))
}

interface Page {
  document: () => Promise<PublicDocument>
  policy: string
}

/** The console's router handles every path that is neither a call nor a file. */
function installPages(
  app: FastifyInstance,
  pageAt: (path: string) => Page,
  isLocal: boolean,
): void {
  const isElsewhere = isLocal
    ? /^\/(api|assets|\.well-known)(\/|$)/
    : /^\/(api|assets|dev|\.well-known)(\/|$)/
  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    if (isElsewhere.test(path))
      throw new ProblemError('not_found', `There is nothing at ${request.method} ${path}.`)
    const { document, policy } = pageAt(path)
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('cross-origin-opener-policy', 'same-origin')
      // The camera scans codes of chips; frames of apps and pages elsewhere do not get it.
      .header(
        'permissions-policy',
        'camera=(self), geolocation=(), microphone=(), payment=(), usb=()',
      )
    return sendDocument(request, reply, await document())
  })
}
