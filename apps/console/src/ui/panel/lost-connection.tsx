import { Trans, useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'
import styles from './lost-connection.module.css'

/** How the last call of a query that is asked again and again went. */
export type Followed = Pick<UseQueryResult, 'error' | 'failureReason'>

interface LostConnectionProps {
  of: Followed
  /** Said while it is followed. */
  children?: ReactNode
}

/** Statuses of a proxy whose service does not answer. */
const unanswered = [502, 503, 504]

/** Says that what is shown may have changed since, and why nobody knows. */
export function LostConnection({ of: { error, failureReason }, children }: LostConnectionProps) {
  const { i18n } = useLingui()
  // A call that is tried again has a reason at once, and an error only after its last try.
  const problem = error ?? failureReason
  if (!problem) return children
  const isRefused = problem instanceof ApiProblem && !unanswered.includes(problem.status)
  return (
    <output className={styles.lost}>
      {isRefused ? problemText(problem, i18n) : <Trans>Connection lost, trying again.</Trans>}
    </output>
  )
}
