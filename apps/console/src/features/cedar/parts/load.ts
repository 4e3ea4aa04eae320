import { isUuid } from '@grove/auth-client/rules'
import { notFound } from '@tanstack/react-router'
import { ApiProblem } from '../../../api/problem.ts'

/** What an address names, or the page that says it is not there. */
export async function loadOr404<T>(ids: readonly string[], load: () => Promise<T>): Promise<T> {
  if (!ids.every(isUuid)) throw notFound()
  try {
    return await load()
  } catch (error) {
    throw error instanceof ApiProblem && error.status === 404 ? notFound() : error
  }
}
