import { ApiProblem, NetworkProblem } from '../../../api/problem.ts'

/** Whether retrying with the same file may succeed. */
export const isWorthRetrying = (error: unknown) =>
  error instanceof NetworkProblem ||
  (error instanceof ApiProblem && (error.status >= 500 || [401, 408, 429].includes(error.status)))
