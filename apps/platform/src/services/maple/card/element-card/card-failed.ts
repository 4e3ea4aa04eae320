import { ProblemError } from '../../../../core/http/problem.ts'

/** Names the session in which the card failed. */
export const cardFailed = (message: string, session: string): ProblemError =>
  new ProblemError('card_failed', message, {
    errors: [{ path: 'cplc', code: 'card_failed', message, params: { session } }],
  })
