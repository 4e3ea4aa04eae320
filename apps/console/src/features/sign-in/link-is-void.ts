import { ApiProblem } from '../../api/problem.ts'

/** Whether a mailed link was refused because it was used, is too old, or a newer one was sent. */
export const isVoidLink = (problem: unknown) =>
  problem instanceof ApiProblem &&
  (problem.code === 'invalid_email_token' || problem.fields.some(({ path }) => path === 'token'))
