import { createSession } from '../../session/session.ts'
import type { Claims } from '../../session/token.ts'
import { quoted } from './answer.ts'
import { durationOf, judgeIssueTime, skewOf } from './clock.ts'
import type { ReceivedToken } from './context.ts'
import type { Report } from './finding.ts'
import type { CheckOptions } from './options.ts'

/** A time in seconds has ten digits until 2286; one in milliseconds has thirteen. */
const isInMilliseconds = (time: number) => time > 100_000_000_000

const spacing = 10
const short = 30
const long = 86_400

export interface ClaimsContext {
  report: Report
  options: Pick<CheckOptions, 'realm' | 'issuer' | 'audience'>
}

/** Judges an access token's times, issuer and audience. */
export function judgeClaims(context: ClaimsContext, token: ReceivedToken, claims: Claims): void {
  judgeTimes(context.report, token, claims)
  judgeIssuer(context, token, claims)
}

function judgeTimes(report: Report, token: ReceivedToken, claims: Claims): void {
  const { call } = token
  const times = ['exp', 'iat', 'nbf'].filter((name) => claims[name] !== undefined)
  const odd = times.filter((name) => typeof claims[name] !== 'number')
  for (const name of odd)
    report.wrong(
      `${name}_type`,
      call,
      `The claim ${name} of the access token is ${quoted(claims[name])}, not a number`,
      `Write ${name} as a number of seconds since 1970`,
    )
  const inMilliseconds = times.filter((name) => isInMilliseconds(Number(claims[name])))
  for (const name of inMilliseconds)
    report.wrong(
      `${name}_milliseconds`,
      call,
      `The claim ${name} of the access token is in milliseconds (${String(claims[name])}), so it is taken for a time in some 50,000 years`,
      `Write ${name} in seconds since 1970: divide by 1000`,
    )
  if (claims['exp'] === undefined)
    report.wrong(
      'exp_missing',
      call,
      'The access token has no exp: it is never valid, and never refreshed',
      'Give it an exp, in seconds since 1970, some minutes ahead',
    )
  else if (odd.length + inMilliseconds.length === 0) judgeLifetime(report, token, claims)
}

function judgeLifetime(report: Report, token: ReceivedToken, claims: Claims): void {
  const { call, receivedAt } = token
  const skew = skewOf(token) ?? 0
  const date = receivedAt + skew
  const { exp, iat, nbf } = claims as Record<'exp' | 'iat' | 'nbf', number | undefined>
  if (iat !== undefined) judgeIssueTime(report, call, { issuedAt: iat * 1000, date })
  if (nbf !== undefined && nbf * 1000 - date > 5000)
    report.wrong(
      'nbf',
      call,
      `The access token is valid only in ${durationOf(nbf * 1000 - date)} (nbf)`,
      'Set nbf to the time of issue, or leave it out',
    )
  const left = Math.round(((exp ?? 0) * 1000 - date) / 1000)
  if (left <= 0)
    return report.wrong(
      'exp_past',
      call,
      `The access token had ended ${durationOf(left * 1000)} before it arrived (exp)`,
      'Set exp some minutes after the time of issue, in UTC',
    )
  if (left <= spacing)
    return report.wrong(
      'exp_short',
      call,
      `The access token ends in ${left} s: the client refreshes at most every ${spacing} s, so it has none in between`,
      'Let it live some minutes',
    )
  if (left < short)
    return report.warning(
      'exp_short',
      call,
      `The access token ends in ${left} s: pages refresh all the time`,
      'Let it live some minutes',
    )
  if (left > long)
    return report.warning(
      'exp_long',
      call,
      `The access token ends in ${durationOf(left * 1000)}: a stolen one serves as long`,
      'Let it live some minutes; the refresh token keeps people signed in',
    )
  report.fits('exp', call, `The access token ends in ${left} seconds`)
}

/** Judges an access token's user and roles. */
export function judgeUser(report: Report, token: ReceivedToken, claims: Claims): void {
  const { call, receivedAt } = token
  const { userId, roles } = createSession(token, { receivedAt })
  if (userId.startsWith('session '))
    report.wrong(
      'no_user',
      call,
      'The access token has none of sub, user_id, preferred_username and email: users cannot be told apart',
      'Put the id of the account into sub',
    )
  else report.fits('user', call, `The access token names its user: ${userId}`)
  if (roles.length === 0)
    report.warning(
      'no_roles',
      call,
      'The access token has neither role nor roles: nobody gets a dashboard',
      'Put them into roles, or set rolesClaim in the page to where they are',
    )
  else report.fits('roles', call, `It has the roles ${roles.join(', ')}`)
  const foreign = ['nonce', 'at_hash', 'c_hash', 'events'].filter((name) => name in claims)
  if (foreign.length > 0)
    report.warning(
      'id_token',
      call,
      `It has ${foreign.join(', ')}, as ID tokens have: Grove's Cedar and Maple refuse it`,
      'Answer an access token, without these claims',
    )
}

function judgeIssuer(
  { report, options }: ClaimsContext,
  token: ReceivedToken,
  claims: Claims,
): void {
  const { call } = token
  const { realm, issuer, audience } = options
  const { provider, iss, aud } = claims
  if (provider !== undefined && provider !== realm)
    report.wrong(
      'provider',
      call,
      `The access token is of the realm ${quoted(provider)} (provider), not ${quoted(realm)}: the client sends it with refresh and sign-out`,
      'Put the realm into provider, or name that realm with --realm',
    )
  if (provider === undefined)
    report.warning(
      'no_provider',
      call,
      "The access token does not name its realm (provider): Grove's Cedar and Maple refuse it",
      'Put the realm into provider, if these are behind it',
    )
  if (issuer !== undefined && iss !== issuer)
    report.wrong(
      'iss',
      call,
      `The access token is issued by ${iss === undefined ? 'nobody' : quoted(iss)} (iss), and your page demands ${quoted(issuer)}`,
      'Make iss and the option issuer of your page the same, to the letter',
    )
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (audience !== undefined && !audiences.includes(audience))
    report.wrong(
      'aud',
      call,
      `The access token is for ${aud === undefined ? 'nobody' : quoted(aud)} (aud), and your page demands ${quoted(audience)}`,
      'Make aud and the option audience of your page the same, to the letter',
    )
}
