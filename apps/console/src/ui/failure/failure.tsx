import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { useMatches, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiProblem, moreOf } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'
import { VisitorPage } from '../page/visitor-page.tsx'

/** A page that failed to render: what happened, and a way to retry. */
export function Failure({ error }: Pick<ErrorComponentProps, 'error'>) {
  const { i18n } = useLingui()
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  useEffect(reset, [reset])
  return (
    <div className="notice" role="alert">
      <h1>
        <Trans>This page could not be shown</Trans>
      </h1>
      <p>{problemText(error, i18n)}</p>
      {error instanceof ApiProblem && error.requestId && (
        <p className="muted">
          <Trans>
            Request <code>{error.requestId}</code>
          </Trans>
        </p>
      )}
      <button type="button" className="button primary" onClick={() => void router.invalidate()}>
        <Trans>Try again</Trans>
      </button>
      {moreOf(error)}
    </div>
  )
}

/** The same for any page: those outside the dashboard bring their own frame, which failed with them. */
export function PageFailure({ error }: Pick<ErrorComponentProps, 'error'>) {
  const isFramed = useMatches().some(({ routeId }) => routeId === '/_app/dashboard')
  if (isFramed) return <Failure error={error} />
  return (
    <VisitorPage>
      <Failure error={error} />
    </VisitorPage>
  )
}
