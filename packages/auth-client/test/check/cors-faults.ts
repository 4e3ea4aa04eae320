import { at, jwksPath, origin, preflights, withHeaders, type Row } from './row.ts'

const allow = 'access-control-allow-origin'
const headers = 'access-control-allow-headers'
const withOrigin = (value: string | null) => ({
  replies: (reply: Parameters<typeof withHeaders>[0]) => withHeaders(reply, { [allow]: value }),
})

export const corsFaults: Row[] = [
  {
    name: 'CORS on the preflight alone',
    fault: {
      replies: (reply, { method }) =>
        method === 'OPTIONS' ? undefined : withHeaders(reply, { [allow]: null }),
    },
    finds: { cors_missing: 'pages of https://app.example get "Network Error"' },
    exit: 1,
  },
  {
    name: 'CORS on successes alone',
    fault: {
      replies: (reply) => (reply.status >= 400 ? withHeaders(reply, { [allow]: null }) : undefined),
    },
    finds: { cors_missing: 'GET /api/stage/auth (404): Access-Control-Allow-Origin is missing' },
    exit: 1,
  },
  {
    name: 'keys without CORS',
    fault: { replies: at(jwksPath, (reply) => withHeaders(reply, { [allow]: null })) },
    finds: {
      cors_missing: 'GET /.well-known/jwks.json (200): Access-Control-Allow-Origin is missing',
    },
    exit: 1,
  },
  {
    name: 'keys that are cached with one page’s CORS',
    fault: { replies: at(jwksPath, (reply) => withHeaders(reply, { [allow]: origin })) },
    finds: { keys_vary: 'and served to others' },
    exit: 0,
  },
  {
    name: 'no CORS',
    fault: {
      replies: (reply) => withHeaders(reply, { [allow]: null, [headers]: null }),
    },
    finds: { cors_missing: 'Access-Control-Allow-Origin is missing' },
    exit: 1,
    isPublic: true,
  },
  {
    name: 'a preflight that is not known',
    fault: { replies: preflights(() => ({ status: 405 })) },
    finds: { preflight_missing: 'answered 405: the service does not know OPTIONS' },
    exit: 1,
    isPublic: true,
  },
  {
    name: 'a preflight that needs a sign-in',
    fault: { replies: preflights(() => ({ status: 401 })) },
    finds: { preflight_refused: 'refused with 401: browsers send it without a token' },
    exit: 1,
    isPublic: true,
  },
  {
    name: 'a preflight that redirects',
    fault: { replies: preflights(() => ({ status: 302, headers: { location: '/login' } })) },
    finds: { preflight_status: 'answered 302; browsers take 200 to 299 alone' },
    exit: 1,
    isPublic: true,
  },
  {
    name: 'a preflight without api-version',
    fault: {
      replies: preflights((reply) =>
        withHeaders(reply, { [headers]: 'authorization, content-type' }),
      ),
    },
    finds: {
      preflight_headers: 'does not allow api-version: it allows authorization, content-type',
    },
    exit: 1,
    isPublic: true,
  },
  {
    name: 'a preflight with a header of which ours is a part',
    fault: {
      replies: preflights((reply) =>
        withHeaders(reply, { [headers]: 'x-api-version, authorization, content-type' }),
      ),
    },
    finds: { preflight_headers: 'does not allow api-version: it allows x-api-version' },
    exit: 1,
    isPublic: true,
  },
  {
    name: 'a preflight with an asterisk, which does not cover authorization',
    fault: { replies: preflights((reply) => withHeaders(reply, { [headers]: '*' })) },
    finds: { preflight_headers: 'OPTIONS /api/logout: The preflight does not allow authorization' },
    exit: 1,
  },
  {
    name: 'an origin that is sent twice',
    fault: withOrigin(`*, ${origin}`),
    finds: { cors_twice: 'has several values (*, https://app.example), and browsers take one' },
    exit: 1,
    isPublic: true,
  },
  {
    name: 'an origin with a slash',
    fault: withOrigin(`${origin}/`),
    finds: {
      cors_origin: 'is https://app.example/, not https://app.example: the slash at its end',
    },
    exit: 1,
    isPublic: true,
  },
  {
    name: 'another origin',
    fault: withOrigin('https://old.example'),
    finds: { cors_origin: 'is https://old.example, not https://app.example' },
    exit: 1,
    isPublic: true,
  },
  {
    name: 'a hidden Date',
    fault: {
      replies: (reply) => withHeaders(reply, { 'access-control-expose-headers': 'retry-after' }),
    },
    finds: { cors_exposed: 'Pages cannot read Date: the client guesses the time' },
    exit: 0,
    isPublic: true,
  },
]
