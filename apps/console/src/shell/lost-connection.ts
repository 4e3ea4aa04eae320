import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Query, QueryClient } from '@tanstack/react-query'
import { ApiProblem, NetworkProblem } from '../api/problem.ts'
import { problemText } from '../api/problem-text.ts'
import { dismiss, notify, readNotifications } from '../ui/toast/notify.ts'

/** Status codes of a proxy whose service is not responding. */
const unanswered = [502, 503, 504]

/** A call without an answer for this long counts as lost, though it may still be answered. */
const silentMs = 8000

/** How soon to retry what is otherwise refetched only every few minutes. */
const againMs = 3000

/**
 * Says on every page when regular refetching fails, so what is shown may be out of date. The notice
 * disappears once the server answers, or nothing on the page is refetched any more. While the session
 * is being renewed, a call that waits for it has not been sent.
 */
export function watchConnection(client: QueryClient, isRenewing = () => false) {
  const cache = client.getQueryCache()
  const askedAt = new WeakMap<Query, number>()
  let shown: { id: number; text: string } | undefined
  let trying: ReturnType<typeof setTimeout> | undefined
  let soon: ReturnType<typeof setTimeout> | undefined

  const problemOf = (query: Query) => {
    const { data, error, fetchFailureReason, fetchFailureCount, fetchStatus } = query.state
    // A query that never succeeded reports its failure in its own place.
    if (data === undefined || !isFollowed(query)) return null
    const isSilent =
      fetchStatus === 'fetching' &&
      !isRenewing() &&
      Date.now() - (askedAt.get(query) ?? Infinity) >= silentMs
    // One failed attempt does not matter if the next one succeeds.
    const tried = fetchFailureCount > 1 ? fetchFailureReason : null
    return error ?? tried ?? (isSilent ? new NetworkProblem('No answer') : null)
  }

  const look = () => {
    const problem = cache
      .findAll({ type: 'active' })
      .map(problemOf)
      .find((found) => found !== null)
    if (problem && !isRefused(problem)) trying ??= setTimeout(tryAgain, againMs)
    const text = problem ? textOf(problem) : undefined
    const isShown = readNotifications().some(({ id }) => id === shown?.id)
    if (text === (isShown ? shown?.text : undefined)) return
    if (shown) dismiss(shown.id)
    shown =
      text === undefined
        ? undefined
        : { id: notify({ text, kind: 'failure', isLasting: true }), text }
  }

  const tryAgain = () => {
    trying = undefined
    const predicate = (query: Query) => problemOf(query) !== null
    void client.refetchQueries({ type: 'active', predicate }, { cancelRefetch: false })
  }

  const lookLater = () => {
    look()
    if (isRenewing()) setTimeout(lookLater, silentMs)
  }

  i18n.on('change', look)
  return cache.subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'fetch') {
      askedAt.set(event.query, Date.now())
      setTimeout(lookLater, silentMs)
    }
    // Each render of a query is an event: one check covers all of a moment, after they have rendered.
    soon ??= setTimeout(() => {
      soon = undefined
      look()
    })
  })
}

/** Whether something on the page refetches it automatically. */
const isFollowed = (query: Query) =>
  query.observers.some(({ options: { refetchInterval } }) =>
    typeof refetchInterval === 'function' ? refetchInterval(query) : refetchInterval,
  )

const isRefused = (problem: Error) =>
  problem instanceof ApiProblem && !unanswered.includes(problem.status)

const textOf = (problem: Error) =>
  isRefused(problem) ? problemText(problem, i18n) : i18n._(msg`Connection lost, retrying.`)
