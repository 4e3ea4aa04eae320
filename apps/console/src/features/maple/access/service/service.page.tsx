import type { MapleService } from '@grove/contract/maple/access/service'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouteContext } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'
import { PanelFailure } from '../../../../ui/panel/panel-body.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { ServiceActions } from './service-actions.tsx'
import { ServiceParts } from './service-parts.tsx'
import { services } from './service.api.ts'
import { ServiceStateBadge } from './service.labels.tsx'
import styles from './service.module.css'
import { useMayChange } from './use-may-change.ts'

const EditService = onDemand(() => import('./service.form.tsx').then((file) => file.EditService))

/** The page of one service provider, for developers and administrators alike. */
export function ServicePage({ id }: { id: string }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { data: service, error, refetch } = useQuery(services.one(id))
  const [isEditing, setEditing] = useState(false)
  const leave = () =>
    void navigate({ to: viewer.isAdmin ? '/dashboard/maple/providers' : '/dashboard/maple/keys' })
  if (service === undefined)
    return error ? (
      <PanelFailure
        error={error}
        missing={
          viewer.isAdmin
            ? t`There is no service provider with this ID.`
            : t`This is not the service provider of your working stage.`
        }
        onRetry={() => void refetch()}
        onClose={leave}
      />
    ) : (
      <Pending />
    )
  return (
    <article className={styles.page}>
      <PageHeader
        title={<bdi>{service.name}</bdi>}
        badge={<ServiceStateBadge state={service.state} />}
        description={<CopyableId value={service.id} />}
        action={
          !isEditing && <Actions service={service} onEdit={() => setEditing(true)} onGone={leave} />
        }
      />
      {isEditing ? (
        <EditService service={service} onEnd={() => setEditing(false)} />
      ) : (
        <div>
          <h2 className="visually-hidden">
            <Trans>Details</Trans>
          </h2>
          <ServiceParts service={service} />
        </div>
      )}
    </article>
  )
}

interface ActionsProps {
  service: MapleService
  onEdit: () => void
  onGone: () => void
}

function Actions({ service, onEdit, onGone }: ActionsProps) {
  if (!useMayChange()) return null
  return (
    <div className="actions">
      <button type="button" className="button primary" onClick={onEdit}>
        <Pencil size={16} aria-hidden />
        <Trans>Edit</Trans>
      </button>
      <ServiceActions service={service} onGone={onGone} />
    </div>
  )
}
