import { randomUUID } from 'node:crypto'
import { passwordPath, refreshPath, tokens, withHeaders, type Row } from './row.ts'
import { hashSignature, type Fault } from './variation.ts'

const seconds = () => Math.floor(Date.now() / 1000)
const claims = (changed: Record<string, unknown>): Fault => ({
  claims: (all) => JSON.parse(JSON.stringify({ ...all, ...changed })) as typeof all,
})
const without = (name: string): Fault => claims({ [name]: undefined })
const header = (changed: Record<string, unknown>): Fault => ({
  header: (all) => JSON.parse(JSON.stringify({ ...all, ...changed })) as typeof all,
})
/** A service whose clock is this many hours off, both in its header and in its tokens. */
const clock = (hours: number): Fault => ({
  claims: (all) => ({
    ...all,
    iat: Number(all['iat']) + hours * 3600,
    exp: Number(all['exp']) + hours * 3600,
  }),
  replies: (reply) =>
    withHeaders(reply, { date: new Date(Date.now() + hours * 3_600_000).toUTCString() }),
})
const everyToken = (change: (token: Record<string, unknown>) => unknown): Fault => ({
  replies: (reply, asked) =>
    [passwordPath, refreshPath]
      .map((path) => tokens(path, change)(reply, asked))
      .find((changed) => changed !== undefined),
})

export const tokenFaults: Row[] = [
  {
    name: 'a shared secret',
    fault: { ...header({ alg: 'HS256' }), signature: hashSignature },
    finds: { alg: 'signed with "HS256", a shared secret, which no page may have' },
    exit: 1,
  },
  {
    name: 'an algorithm that the client does not take',
    fault: header({ alg: 'PS256' }),
    finds: { alg: 'signed with "PS256": it is never valid' },
    exit: 1,
  },
  {
    name: 'tokens of another type',
    fault: header({ typ: 'ID' }),
    finds: { typ: 'has the type "ID" (typ)' },
    exit: 1,
  },
  {
    name: 'keys that tokens do not name',
    fault: header({ kid: undefined }),
    finds: { no_kid: 'does not name its key (kid)' },
    exit: 0,
  },
  {
    name: 'opaque access tokens',
    fault: everyToken((token) => ({ token: { ...token, accessToken: randomUUID() } })),
    finds: { not_jwt: 'The access token is no signed JWT' },
    exit: 1,
  },
  {
    name: 'tokenType MAC',
    fault: everyToken((token) => ({ token: { ...token, tokenType: 'MAC' } })),
    finds: { token_type: 'tokenType is "MAC": the client sends every token as Bearer' },
    exit: 1,
  },
  {
    name: 'no tokenType',
    fault: everyToken((token) => ({ token: { ...token, tokenType: undefined } })),
    finds: { no_token: 'without a token: tokenType is missing' },
    exit: 1,
  },
  {
    name: 'the names of OAuth',
    fault: everyToken(({ accessToken }) => ({ access_token: accessToken, token_type: 'Bearer' })),
    finds: {
      no_token: 'with access_token, token_type, without a token: its names are those of OAuth',
    },
    exit: 1,
  },
  {
    name: 'a token that is not in token',
    fault: everyToken((token) => token),
    finds: { no_token: 'the token is not in token' },
    exit: 1,
  },
  {
    name: 'no exp',
    fault: without('exp'),
    finds: { exp_missing: 'has no exp: it is never valid' },
    exit: 1,
  },
  {
    name: 'exp in milliseconds',
    fault: claims({ exp: 1_793_668_912_916 }),
    finds: {
      exp_milliseconds: 'The claim exp of the access token is in milliseconds (1793668912916)',
    },
    exit: 1,
  },
  {
    name: 'exp as text',
    fault: claims({ exp: '1793668912' }),
    finds: { exp_type: 'is "1793668912", not a number' },
    exit: 1,
  },
  {
    name: 'an end before the beginning',
    fault: { claims: (all) => ({ ...all, exp: seconds() - 60 }) },
    finds: { exp_past: 'had ended' },
    exit: 1,
  },
  {
    name: 'tokens of a few seconds',
    fault: { claims: (all) => ({ ...all, exp: seconds() + 6 }) },
    finds: { exp_short: 'refreshes at most every 10 s' },
    exit: 1,
  },
  {
    name: 'tokens of a month',
    fault: { claims: (all) => ({ ...all, exp: seconds() + 30 * 86_400 }) },
    finds: { exp_long: 'ends in 30 days: a stolen one serves as long' },
    exit: 0,
  },
  {
    name: 'iat in milliseconds',
    fault: { claims: (all) => ({ ...all, iat: Date.now() }) },
    finds: { iat_milliseconds: 'The claim iat of the access token is in milliseconds' },
    exit: 1,
  },
  {
    name: 'tokens of another clock',
    fault: { claims: (all) => ({ ...all, iat: seconds() - 7200 }) },
    finds: { iat_clock: 'issued 2 h before the Date of its answer' },
    exit: 1,
  },
  {
    name: 'tokens that are valid later',
    fault: { claims: (all) => ({ ...all, nbf: seconds() + 3600 }) },
    finds: { nbf: 'valid only in 60 min (nbf)' },
    exit: 1,
  },
  {
    name: 'a clock two hours ahead',
    fault: clock(2),
    finds: { clock: 'The clock of the service is 2 h ahead of the one of this machine' },
    exit: 1,
  },
  {
    name: 'a clock two hours behind',
    fault: clock(-2),
    finds: { clock: 'The clock of the service is 2 h behind the one of this machine' },
    exit: 1,
  },
  {
    name: 'no Date',
    fault: { replies: (reply) => withHeaders(reply, { date: null }) },
    finds: { no_date: 'The answer has no Date' },
    exit: 0,
  },
  {
    name: 'nobody in the token',
    fault: without('sub'),
    finds: { no_user: 'none of sub, user_id' },
    exit: 1,
  },
  {
    name: 'no roles',
    fault: without('roles'),
    finds: { no_roles: 'neither role nor roles' },
    exit: 0,
  },
  {
    name: 'another realm',
    fault: claims({ provider: 'other' }),
    finds: { provider: 'of the realm "other" (provider), not "grove"' },
    exit: 1,
  },
  {
    name: 'no realm',
    fault: without('provider'),
    finds: { no_provider: "does not name its realm (provider): Grove's Cedar and Maple refuse it" },
    exit: 0,
  },
  {
    name: 'another audience',
    fault: claims({ aud: ['account'] }),
    args: ['--audience', 'grove'],
    finds: { aud: 'is for ["account"] (aud), and your page demands "grove"' },
    exit: 1,
  },
  {
    name: 'another issuer',
    fault: claims({ iss: 'https://id.example/' }),
    args: ['--issuer', 'https://id.example'],
    finds: {
      iss: 'issued by "https://id.example/" (iss), and your page demands "https://id.example"',
    },
    exit: 1,
  },
  {
    name: 'ID tokens',
    fault: claims({ nonce: 'n', at_hash: 'h' }),
    finds: { id_token: 'It has nonce, at_hash, as ID tokens have' },
    exit: 0,
  },
]
