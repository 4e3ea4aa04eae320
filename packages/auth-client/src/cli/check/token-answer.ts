import { parseToken } from '../../session/token.ts'
import { isSuccess, nameOf, type Answer } from './answer.ts'
import type { ReceivedToken } from './context.ts'
import type { Report } from './finding.ts'

/** The token in an answer, as the client finds it; null if there is none. */
export function tokenIn(answer: Answer): ReceivedToken | null {
  const token = isSuccess(answer) ? parseToken(Object(answer.body).token) : null
  const { call, headers, sentAt, receivedAt } = answer
  return token && { ...token, call, headers, sentAt, receivedAt }
}

/** Reports that a successful answer contains no token, and what it contains. */
export function lacksToken(report: Report, answer: Answer): void {
  const body = Object(answer.body) as Record<string, unknown>
  const token = Object(body['token'] ?? body) as Record<string, unknown>
  const hint =
    'access_token' in token
      ? ': its names are those of OAuth'
      : 'accessToken' in body
        ? ': the token is not in token'
        : 'accessToken' in token && typeof token['tokenType'] !== 'string'
          ? ': tokenType is missing'
          : ''
  report.wrong(
    'no_token',
    answer.call,
    `Answered ${nameOf(answer)}, without a token${hint}`,
    'Answer { "token": { "tokenType": "Bearer", "accessToken": "…", "refreshToken": "…" } }',
  )
}
