import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouteContext } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { Pending } from '../../../ui/page/pending.tsx'
import { PanelFailure } from '../../../ui/panel/panel-body.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { useProviderName } from '../parts/use-provider-name.ts'
import { providers } from './provider.api.ts'
import { ProviderStateBadge } from './provider.labels.tsx'
import styles from './provider.page.module.css'

// Includes the texts of their forms.
const ProviderParts = onDemand(() =>
  import('./provider-parts.tsx').then((file) => file.ProviderParts),
)
const ProviderActions = onDemand(() =>
  import('./provider-actions.tsx').then((file) => file.ProviderActions),
)
const EditProvider = onDemand(() => import('./provider.form.tsx').then((file) => file.EditProvider))

/** The page of one provider, for members and administrators alike. */
export function ProviderPage({ id }: { id: string }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const nameOf = useProviderName()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { data: provider, error, refetch } = useQuery(providers.one(id))
  const [isEditing, setEditing] = useState(false)
  const leave = () =>
    void navigate({
      to: viewer.isAdmin ? '/dashboard/cedar/providers' : '/dashboard/cedar/account',
    })
  if (provider === undefined)
    return error ? (
      <PanelFailure
        error={error}
        missing={t`There is no provider with this ID, or you do not belong to it.`}
        onRetry={() => void refetch()}
        onClose={leave}
      />
    ) : (
      <Pending />
    )
  return (
    <article className={styles.page}>
      <PageHeader
        title={<bdi>{nameOf(provider)}</bdi>}
        badge={<ProviderStateBadge enabled={provider.enabled} />}
        description={<CopyableId value={provider.id} />}
        action={
          !isEditing && (
            <Actions provider={provider} onEdit={() => setEditing(true)} onGone={leave} />
          )
        }
      />
      {provider.rights.change !== null && (
        <p className="muted">
          <Trans>
            Only administrators change this provider. Its icon and API keys are up to its members.
          </Trans>
        </p>
      )}
      {isEditing ? (
        <EditProvider provider={provider} onEnd={() => setEditing(false)} />
      ) : (
        <div>
          <h2 className="visually-hidden">
            <Trans>Details</Trans>
          </h2>
          <ProviderParts provider={provider} />
        </div>
      )}
    </article>
  )
}

interface ActionsProps {
  provider: AdminProvider
  onEdit: () => void
  onGone: () => void
}

function Actions({ provider, onEdit, onGone }: ActionsProps) {
  if (provider.rights.change !== null) return null
  return (
    <div className="actions">
      <button type="button" className="button primary" onClick={onEdit}>
        <Pencil size={16} aria-hidden />
        <Trans>Edit</Trans>
      </button>
      <ProviderActions provider={provider} onGone={onGone} />
    </div>
  )
}
