import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import { problemText } from '../../../api/problem-text.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { sessionsQuery } from '../account-queries.ts'
import { AccountSection } from '../account-section.tsx'
import { LoadFailure } from '../load-failure.tsx'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import styles from '../rows.module.css'
import { SessionRow } from './session-row.tsx'
import { SessionRowsSkeleton } from './session-rows-skeleton.tsx'

/** Where the account is signed in. */
export function SessionsSection() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(sessionsQuery)
  const sessions = data?.items
  return (
    <AccountSection
      title={t`Sessions`}
      description={
        <Trans>Where you are signed in. A session that you end is signed out within seconds.</Trans>
      }
      action={sessions && <EndOthers others={sessions.filter((one) => !one.isCurrent).length} />}
    >
      {sessions ? (
        <ul className={styles.rows} aria-label={t`Sessions`}>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      ) : error ? (
        <LoadFailure error={error} onRetry={refetch} />
      ) : (
        <SessionRowsSkeleton />
      )}
    </AccountSection>
  )
}

function EndOthers({ others }: { others: number }) {
  const { i18n, t } = useLingui()
  const end = useMutation({
    mutationFn: () => api.auth.delete('/api/user/session'),
    onSuccess: ({ ended }) =>
      notify({
        text: t`${plural(ended, { one: '# session has ended.', other: '# sessions have ended.' })}`,
      }),
    onError: (error) => notify({ kind: 'failure', text: problemText(error, i18n) }),
    onSettled: () => api.auth.invalidate('/api/user/session'),
  })
  const isDisabled = others === 0 || end.isPending

  const ask = async () => {
    const agreed = await confirm({
      title: t`End all other sessions?`,
      text: t`Every other browser and device is signed out. This cannot be undone.`,
      action: t`End sessions`,
      isDanger: true,
    })
    if (agreed) end.mutate()
  }

  return (
    <button
      type="button"
      className="button"
      aria-disabled={isDisabled}
      {...tooltip(others === 0 ? t`There is no other session.` : undefined)}
      onClick={() => {
        if (!isDisabled) void ask()
      }}
    >
      <Trans>End all others…</Trans>
    </button>
  )
}
