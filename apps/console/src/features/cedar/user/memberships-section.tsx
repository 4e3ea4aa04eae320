import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../../ui/link/link.tsx'
import { Rows } from '../../../ui/page/rows.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { useProviderName } from '../parts/use-provider-name.ts'
import { membershipsQuery } from './user.api.ts'

/** The providers of a person, with what the person is in each. */
export function MembershipsSection({ id }: { id: string }) {
  const { t } = useLingui()
  const nameOf = useProviderName()
  const loading = useQuery(membershipsQuery(id))
  const items = loading.data?.items
  return (
    <Section title={t`Providers`} loading={loading}>
      {items === undefined ? (
        <div className="skeleton" />
      ) : items.length === 0 ? (
        <p className="muted">
          <Trans>Belongs to no provider.</Trans>
        </p>
      ) : (
        <Rows aria-label={t`Providers`}>
          {items.map(({ provider, isOwner, roles }) => (
            <li key={provider.id}>
              <div>
                <Link
                  to="/dashboard/cedar/providers"
                  search={{ provider: provider.id }}
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
      )}
    </Section>
  )
}
