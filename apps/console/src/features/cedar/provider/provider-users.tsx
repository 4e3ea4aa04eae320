import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { Trans, useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { PersonField } from '../../../people/person-field.tsx'
import { Person } from '../../../people/person.tsx'
import { usePeople } from '../../../people/use-people.ts'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { dash } from '../../../ui/i18n/moment-text.ts'
import { notify } from '../../../ui/toast/notify.ts'
import './unknown-user.ts'
import { providers } from './provider.api.ts'
import styles from './provider-users.module.css'

const change = (
  provider: string,
  user: string,
  body: { action: 'link' | 'unlink'; isOwner?: boolean },
) => api.cedar.post('/api/cedar/user', { body: { provider, user, ...body } })

/** Who publishes under a provider; a personal one has only its developer. */
export function ProviderUsers({ provider }: { provider: AdminProvider }) {
  const { t, i18n } = useLingui()
  const id = useId()
  const { users, limitsInForce } = provider
  const [count, most] = [i18n.number(users.length), i18n.number(limitsInForce.members)]
  return (
    <section className={styles.users} aria-labelledby={id}>
      <h3 id={id}>
        <Trans>Members</Trans>{' '}
        <span className="muted">{most === dash ? count : t`${count} of ${most}`}</span>
      </h3>
      <ul>
        {users.map((user) => (
          <UserRow key={user.userId} provider={provider} {...user} />
        ))}
      </ul>
      {!provider.isDefault && provider.rights.change === null && (
        <LinkUser key={users.length} id={provider.id} />
      )}
    </section>
  )
}

interface UserRowProps {
  provider: AdminProvider
  userId: string
  isOwner: boolean
}

function UserRow({ provider, userId, isOwner }: UserRowProps) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const who = usePeople([userId], { isWithViewer: true }).emailOf(userId) ?? userId
  const { id } = provider
  const mayChange = provider.rights.change === null
  const unlink = () =>
    confirmed({
      question: {
        title: t`Unlink this user?`,
        text: t`${who} can no longer see or change the apps of this provider.`,
        action: t`Unlink`,
        isDanger: true,
      },
      change: () => change(id, userId, { action: 'unlink' }),
      done: () => t`The user is unlinked.`,
      refresh: providers.refresh,
    })
  const makeOwner = () =>
    confirmed({
      question: {
        title: t`Make this user the owner?`,
        text: t`${who} becomes the owner. The current owner stays a member.`,
        action: t`Make owner`,
      },
      change: () => change(id, userId, { action: 'link', isOwner: true }),
      done: () => t`The provider has a new owner.`,
      refresh: providers.refresh,
    })
  return (
    <li>
      <span>
        <Person id={userId} isCopyable isByEmail={mayChange} />
      </span>
      {isOwner ? (
        <span className="muted">
          <Trans>Owner</Trans>
        </span>
      ) : (
        mayChange && (
          <span className={styles.actions}>
            <button type="button" className="button small" onClick={() => void makeOwner()}>
              <Trans>Make owner</Trans>
            </button>
            <button type="button" className="button small" onClick={() => void unlink()}>
              <Trans>Unlink</Trans>
            </button>
          </span>
        )
      )}
    </li>
  )
}

function LinkUser({ id }: { id: string }) {
  const { t } = useLingui()
  const form = useForm({
    values: { user: '' },
    check: ({ user }) => ({ user: user.trim() === '' ? t`Choose a person.` : undefined }),
    submit: ({ user }) => change(id, user.trim(), { action: 'link' }),
    onSaved: (saved: AdminProvider) => {
      notify({ text: t`The user is linked.` })
      void providers.refresh(saved)
    },
  })
  return (
    <FormShell form={form} place="section" submitLabel={t`Link`}>
      <PersonField
        label={t`Link a user`}
        value={form.values.user}
        error={form.errors['user']}
        onChange={(user) => form.set({ user })}
      />
    </FormShell>
  )
}
