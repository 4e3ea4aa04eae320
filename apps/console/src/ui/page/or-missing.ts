import { notFound } from '@tanstack/react-router'
import { ApiProblem } from '../../api/problem.ts'

/** For what there is not, and for an address that nothing can have: the page that says so. */
export function orMissing(error: unknown): never {
  throw error instanceof ApiProblem && [400, 404].includes(error.status) ? notFound() : error
}
