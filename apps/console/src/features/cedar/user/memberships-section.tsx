import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { PartFailure } from '../../../ui/failure/part-failure.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { Rows } from '../../../ui/page/rows.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { useProviderName } from '../parts/use-provider-name.ts'
import { membershipsQuery } from './user.api.ts'

export function MembershipsSection({ id }: { id: string }) {
  const { t } = useLingui()
  return (
    <Section title={t`Providers`}>
      <Memberships id={id} />
    </Section>
  )
}

/** A person's providers, with their role in each. */
export function Memberships({ id }: { id: string }) {
  const { t } = useLingui()
  const nameOf = useProviderName()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const loading = useQuery(membershipsQuery(id))
  const items = loading.data?.items
  if (items === undefined)
    return loading.error ? <PartFailure {...loading} /> : <div className="skeleton" />
  if (items.length === 0)
    return (
      <p className="muted">
        {id === viewer.userId ? t`You belong to no provider.` : t`Belongs to no provider.`}
      </p>
    )
  return (
    <Rows aria-label={t`Providers`}>
      {items.map(({ provider, isOwner, roles }) => (
        <li key={provider.id}>
          <div>
            <Link
              to="/dashboard/cedar/providers/$providerId"
              params={{ providerId: provider.id }}
              preload={false}
            >
              <bdi>{nameOf(provider)}</bdi>
            </Link>
            {roles.length > 0 && <p className="muted">{roles.join(', ')}</p>}
          </div>
          {!provider.enabled && <StateBadge kind="ended" text={t`Disabled`} />}
          <span className="muted">{isOwner ? t`Owner` : t`Member`}</span>
        </li>
      ))}
    </Rows>
  )
}
