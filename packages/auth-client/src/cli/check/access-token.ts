import { InvalidToken, parseJws } from '../../session/jws.ts'
import { decodeClaims } from '../../session/token.ts'
import { quoted } from './answer.ts'
import { judgeClaims, judgeUser, type ClaimsContext } from './claims.ts'
import type { ReceivedToken, TokenJudge } from './context.ts'
import type { Report } from './finding.ts'

// Those of PROTOCOL.md: the client also verifies ES384, Grove's platform does not.
const ALGORITHMS = ['ES256', 'EdDSA', 'RS256']

const types = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt']

/** Judges the form and the claims of each received token; reports each fault once. */
export function createTokenJudge({ report, options }: ClaimsContext): TokenJudge {
  const said = new Set<string>()
  let hasFaults = false
  const once =
    <Rest extends unknown[]>(add: (code: string, ...rest: Rest) => void) =>
    (code: string, ...rest: Rest) => {
      if (said.has(code)) return
      said.add(code)
      add(code, ...rest)
    }
  const quiet: Report = {
    fits: once(report.fits),
    wrong: once((...finding) => {
      hasFaults = true
      report.wrong(...finding)
    }),
    warning: once(report.warning),
    skipped: once(report.skipped),
  }
  return {
    hasFaults: () => hasFaults,
    judge(token, kind) {
      const own = kind === 'first' ? quiet : { ...quiet, fits: () => {} }
      judgeForm(own, token)
      const claims = decodeClaims(token.accessToken)
      if (Object.keys(claims).length === 0) return
      judgeClaims({ report: own, options }, token, claims)
      if (kind !== 'anonymous') judgeUser(own, token, claims)
    },
  }
}

function judgeForm(report: Report, { call, tokenType, accessToken }: ReceivedToken): void {
  if (tokenType.toLowerCase() !== 'bearer')
    report.wrong(
      'token_type',
      call,
      `tokenType is ${quoted(tokenType)}: the client sends every token as Bearer`,
      'Answer bearer tokens, with tokenType "Bearer"',
    )
  let header: Record<string, unknown>
  try {
    ;({ header } = parseJws(accessToken))
  } catch (error) {
    if (!(error instanceof InvalidToken)) throw error
    return report.wrong(
      'not_jwt',
      call,
      `The access token is no signed JWT: ${error.message}`,
      'Answer a JWT that is signed with ES256, EdDSA or RS256',
    )
  }
  const { alg, typ, kid } = header
  if (!ALGORITHMS.includes(String(alg)))
    report.wrong(
      'alg',
      call,
      `The access token is signed with ${quoted(alg)}${String(alg).startsWith('HS') ? ', a shared secret, which no page may have' : ''}: it is never valid`,
      'Sign it with ES256, EdDSA or RS256',
    )
  if (typ !== undefined && !(typeof typ === 'string' && types.includes(typ.toLowerCase())))
    report.wrong(
      'typ',
      call,
      `The access token has the type ${quoted(typ)} (typ): it is never valid`,
      'Set typ to JWT or at+jwt, or leave it out',
    )
  if (kid === undefined)
    report.warning(
      'no_kid',
      call,
      'The access token does not name its key (kid): every published key is tried',
      'Put the kid of the key into the header',
    )
}
