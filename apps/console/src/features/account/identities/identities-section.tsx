import type { Identity, Profile } from '@grove/contract/auth/profile'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { Link2, Unlink } from 'lucide-react'
import { api } from '../../../session/api.ts'
import { problemText } from '../../../api/problem-text.ts'
import { ApiProblem } from '../../../api/problem.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { AccountSection } from '../account-section.tsx'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import styles from '../rows.module.css'

/** The external accounts that sign in to this one. */
export function IdentitiesSection({ profile }: { profile: Profile }) {
  const { t } = useLingui()
  const { email, emailVerifiedAt, identities } = profile
  return (
    <AccountSection
      title={t`Linked accounts`}
      description={<Trans>Accounts at other services with which you can sign in.</Trans>}
    >
      {identities.length > 0 && (
        <ul className={styles.rows}>
          {identities.map((identity) => (
            <IdentityRow key={identity.id} identity={identity} />
          ))}
        </ul>
      )}
      {/*
        There is no button to link one from here: an identity with a different email would sign in as
        a different account. The service offers a link by email alone.
      */}
      <p className="muted">
        {email === null ? (
          <Trans>Without an email no further account can be linked.</Trans>
        ) : emailVerifiedAt === null ? (
          <Trans>
            To link an account, validate {email} first. Then log out and sign in through a service
            where you use this address.
          </Trans>
        ) : (
          <Trans>
            To link another account, log out and sign in through a service where your address is{' '}
            {email}. You will be asked whether to link the two.
          </Trans>
        )}
      </p>
    </AccountSection>
  )
}

function IdentityRow({ identity }: { identity: Identity }) {
  const { i18n, t } = useLingui()
  const { id, broker, brokerName, name, email, linkedAt, lastUsedAt, rights } = identity
  const isLastWay = rights.unlink !== null
  const service = brokerName || broker
  const who = email ?? name
  const unlink = useMutation({
    mutationFn: () => api.auth.delete('/api/user/identity/{id}', { params: { id } }),
    onSuccess: () => notify({ text: t`${service} no longer signs you in.` }),
    onError: (error) => {
      // Another tab was faster: the result is the same.
      if (error instanceof ApiProblem && error.code === 'not_found') return
      notify({ kind: 'failure', text: problemText(error, i18n) })
    },
    onSettled: () => api.auth.invalidate('/api/user/profile'),
  })

  const ask = async () => {
    const agreed = await confirm({
      title: t`Unlink ${service}?`,
      text: t`It no longer signs you in to this account. All other sessions that it started will end.`,
      action: t`Unlink`,
      isDanger: true,
    })
    if (agreed) unlink.mutate()
  }

  return (
    <li className={styles.row}>
      <Link2 size={20} aria-hidden />
      <div className={styles.text}>
        <h3>{service}</h3>
        {who && <p>{who}</p>}
        <p className="muted">
          <Trans>
            Linked <DateText value={linkedAt} />, last used{' '}
            <DateText value={lastUsedAt} isRelative />
          </Trans>
        </p>
        {isLastWay && (
          <p className="muted">
            <Trans>It is your only way to sign in. Set a password before you unlink it.</Trans>
          </p>
        )}
      </div>
      <button
        type="button"
        className="button small"
        aria-label={t`Unlink ${service}…`}
        aria-disabled={isLastWay || unlink.isPending}
        {...tooltip(isLastWay ? t`It is your only way to sign in.` : undefined)}
        onClick={() => {
          if (!isLastWay && !unlink.isPending) void ask()
        }}
      >
        <Unlink size={14} aria-hidden />
        <Trans>Unlink…</Trans>
      </button>
    </li>
  )
}
