import { answer, at, page, passwordPath, refreshPath, withHeaders, type Row } from './row.ts'
import type { Fault } from './variation.ts'

const exists = '/api/user/exists/email'
const stage = '/api/stage/auth'
const info = '/api/info'
const callback = '/broker/callback'
const anonymous = '/api/token/anonymous'

const login = (changed: object = {}, urls: object = {}) => ({
  urls: {
    login: 'https://id.example/authorize',
    redirect: 'https://app.example/login/callback',
    callback,
    ...urls,
  },
  realm: 'grove',
  ...changed,
})

/** The first of these that changes the answer. */
const some =
  (...all: NonNullable<Fault['replies']>[]): NonNullable<Fault['replies']> =>
  (reply, asked) =>
    all.map((each) => each(reply, asked)).find((changed) => changed !== undefined)

const refusesCodes = answer(callback, 401, { detail: 'The code is unknown' })
const isPublic = true

export const callFaults: Row[] = [
  {
    name: 'no call for taken addresses',
    fault: { replies: answer(exists, 404, { detail: 'Not found' }) },
    finds: { no_exists: 'Answered 404: there is no such call, and the sign-up cannot tell' },
    exit: 1,
    isPublic,
  },
  {
    name: 'a free address that gets 404',
    fault: {
      replies: at(exists, ({ body }) =>
        (body as { exists: boolean }).exists ? undefined : { status: 404 },
      ),
    },
    finds: { exists_status: 'Answers an address that is free with 404' },
    exit: 1,
  },
  {
    name: 'addresses that are all free',
    fault: { replies: answer(exists, 200, false) },
    finds: { exists_taken: 'Says that ann@grove.test has no account' },
    exit: 1,
  },
  {
    name: 'addresses that are all taken',
    fault: { replies: answer(exists, 200, { exists: true }) },
    finds: { exists_free: 'Says that nobody@example.invalid has an account' },
    exit: 1,
    isPublic,
  },
  {
    name: 'another word for whether an address is taken',
    fault: { replies: answer(exists, 200, { available: true }) },
    finds: { exists: 'Answered 200 with available' },
    exit: 1,
    isPublic,
  },
  {
    name: 'a web page for whether an address is taken',
    fault: {
      replies: at(exists, (reply) => ({ body: page.body, ...withHeaders(reply, page.headers) })),
    },
    finds: { exists: 'Answered 200 with a web page instead of JSON' },
    exit: 1,
    isPublic,
  },
  {
    name: 'brokers without their call',
    fault: {
      replies: some(
        answer(stage, 200, login({ brokers: [{ id: 'acme', name: 'Acme' }] })),
        refusesCodes,
      ),
    },
    finds: { no_info: 'Answered 404 for the broker "acme": its button leads nowhere' },
    exit: 1,
    isPublic,
  },
  {
    name: 'a broker that the page names, without its call',
    fault: {
      replies: some(
        answer(stage, 200, login()),
        answer(`${info}/global`, 200, login()),
        refusesCodes,
      ),
    },
    args: ['--broker', 'acme'],
    finds: { no_info: 'GET /api/info: Answered 404 for the broker "acme"' },
    exit: 1,
    isPublic,
  },
  {
    name: 'an external login without addresses',
    fault: { replies: answer(stage, 200, { realm: 'grove' }) },
    finds: { external: 'without the texts urls.login, urls.redirect, urls.callback' },
    exit: 1,
    isPublic,
  },
  {
    name: 'a web page for the external login',
    fault: {
      replies: at(stage, (reply) => ({
        status: 200,
        body: page.body,
        ...withHeaders(reply, page.headers),
      })),
    },
    finds: { external: 'Answered 200 with a web page instead of JSON' },
    exit: 1,
    isPublic,
  },
  {
    name: 'a page of the external login without its origin',
    fault: { replies: answer(stage, 200, login({}, { redirect: '/login/callback' })) },
    finds: { external_address: 'urls.redirect: no address that begins with https://' },
    exit: 1,
    isPublic,
  },
  {
    name: 'a page of the external login at another origin',
    fault: {
      replies: some(
        answer(stage, 200, login({}, { redirect: 'https://old.example/callback' })),
        refusesCodes,
      ),
    },
    finds: { external_redirect: 'is a page of https://old.example, not of https://app.example' },
    exit: 0,
    isPublic,
  },
  {
    name: 'no callback of the external login',
    fault: { replies: answer(stage, 200, login()) },
    finds: { callback: 'Answered 404: nothing takes the code at urls.callback' },
    exit: 1,
    isPublic,
  },
  {
    name: 'a callback that redirects',
    fault: {
      replies: some(
        answer(stage, 200, login()),
        at(callback, (reply) => ({ status: 302, ...withHeaders(reply, { location: '/login' }) })),
      ),
    },
    finds: { redirect: 'browsers turn this POST into a GET' },
    exit: 1,
    isPublic,
  },
  {
    name: 'a callback that takes any code',
    fault: {
      replies: some(
        answer(stage, 200, login()),
        answer(callback, 200, { token: { tokenType: 'Bearer', accessToken: 'x' } }),
      ),
    },
    finds: { any_code: 'Signs in with a made-up code' },
    exit: 1,
    isPublic,
  },
  {
    name: 'a sign-up that takes anything',
    fault: { replies: answer('/api/signup', 201, { id: 1 }) },
    finds: { malformed: 'Answered a body that is no JSON with 201 with id' },
    exit: 0,
    isPublic,
  },
  {
    name: 'a validation that fails of a broken body',
    fault: { replies: answer('/api/send/validateEmail', 500, { detail: 'Broken' }) },
    finds: { malformed: 'POST /api/send/validateEmail: Answered a body that is no JSON with 500' },
    exit: 0,
    isPublic,
  },
  {
    name: 'an empty object for guests',
    fault: { replies: answer(anonymous, 200, {}) },
    finds: { no_token: 'GET /api/token/anonymous: Answered 200 with an empty object' },
    exit: 1,
    isPublic,
  },
  {
    name: 'guests that get 500',
    fault: { replies: answer(anonymous, 500, { detail: 'Broken' }) },
    finds: { anonymous: 'Answered 500 with detail' },
    exit: 1,
    isPublic,
  },
  {
    name: 'one token for all guests',
    fault: {
      replies: at(anonymous, (reply) =>
        withHeaders(reply, { 'cache-control': 'public, max-age=600' }),
      ),
    },
    finds: { anonymous_cache: 'guests get the same one' },
    exit: 0,
    isPublic,
  },
  {
    name: 'a sign-in that redirects',
    fault: {
      replies: at(passwordPath, (reply) => ({
        status: 302,
        ...withHeaders(reply, { location: 'https://id.example/login' }),
      })),
    },
    finds: {
      redirect: 'which leads to https://id.example/login: browsers turn this POST into a GET',
    },
    exit: 1,
    isPublic,
  },
  {
    name: 'a call that has moved',
    fault: {
      asks(asked) {
        if (asked.path === '/v2/token/refresh') asked.path = refreshPath
      },
      replies: (reply, { path, query }) =>
        path === refreshPath && !query.has('moved') && reply.status !== 204
          ? { status: 308, ...withHeaders(reply, { location: `${refreshPath}?moved` }) }
          : undefined,
    },
    finds: { redirect: 'Answered 308, which leads to http://127.0.0.1:' },
    exit: 0,
    isPublic,
  },
]
