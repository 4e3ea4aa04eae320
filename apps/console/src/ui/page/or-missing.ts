import { notFound } from '@tanstack/react-router'
import { ApiProblem } from '../../api/problem.ts'

/** For an item that does not exist, or a URL that none can have: shows the page that says so. */
export function orMissing(error: unknown): never {
  throw error instanceof ApiProblem && [400, 404].includes(error.status) ? notFound() : error
}
