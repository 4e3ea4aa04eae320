// oidc-provider as a separate process: `node provider.mjs <origin of the page>` prints its issuer. It
// signs in the person named by `login_hint` without asking; `denied` is refused.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const [page] = process.argv.slice(2)
const server = createServer()
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = createProvider(issuer)
  const serve = provider.callback()
  server.on('request', (request, response) => void serve(request, response))
  console.log(issuer)
})

function createProvider(issuer) {
  const client = {
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: [`${page}/`],
    post_logout_redirect_uris: [`${page}/`],
  }
  const provider = new Provider(issuer, {
    clients: [
      { ...client, client_id: 'app' },
      // Its access tokens are opaque.
      { ...client, client_id: 'opaque' },
    ],
    clientBasedCORS: () => true,
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com` }),
    }),
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 7200,
      IdToken: 600,
      Interaction: 600,
      Session: 7200,
      RefreshToken: 7200,
    },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        // The confirmation of a sign-out submits itself.
        logoutSource: (context, form) => {
          context.body = `<!doctype html>${form}<script>
            const form = document.forms[0]
            const input = form.appendChild(document.createElement('input'))
            Object.assign(input, { type: 'hidden', name: 'logout', value: 'yes' })
            form.submit()
          </script>`
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, { clientId }) => (clientId === 'app' ? 'urn:example:api' : undefined),
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: 'urn:example:api',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  })
  provider.use(async (context, next) => {
    if (!context.path.startsWith('/interaction/')) return next()
    const { params, session, grantId, prompt } = await provider.interactionDetails(
      context.req,
      context.res,
    )
    const accountId = prompt.name === 'login' ? (params.login_hint ?? 'ann') : session.accountId
    const refused = {
      error: 'access_denied',
      error_description: 'No <img src=x onerror="window.isHacked = true"> today',
    }
    const grant =
      (await provider.Grant.find(grantId ?? '')) ??
      new provider.Grant({ accountId, clientId: params.client_id })
    grant.addOIDCScope(params.scope)
    const result =
      accountId === 'denied'
        ? refused
        : { login: { accountId }, consent: { grantId: await grant.save() } }
    await provider.interactionFinished(context.req, context.res, result)
  })
  return provider
}
