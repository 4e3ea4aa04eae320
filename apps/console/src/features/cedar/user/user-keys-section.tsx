import type { UserKey } from '@grove/contract/cedar/user'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { PartFailure } from '../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { Rows } from '../../../ui/page/rows.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { useProviderName } from '../parts/use-provider-name.ts'
import { userKeysQuery } from './user.api.ts'

export function UserKeysSection({ id }: { id: string }) {
  const { t } = useLingui()
  return (
    <Section
      title={t`Keys`}
      description={t`They end with the membership of the person and with the account.`}
    >
      <UserKeys id={id} />
    </Section>
  )
}

/** The keys that a person created: they work until they expire, whoever uses them. */
export function UserKeys({ id }: { id: string }) {
  const { t } = useLingui()
  const nameOf = useProviderName()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const loading = useQuery(userKeysQuery(id))
  const items = loading.data?.items
  const kinds: Record<UserKey['kind'], string> = { publish: t`Publish key`, api: t`API key` }
  if (items === undefined)
    return loading.error ? <PartFailure {...loading} /> : <div className="skeleton" />
  if (items.length === 0)
    return (
      <p className="muted">
        {id === viewer.userId
          ? t`You have made no keys that work.`
          : t`Has made no keys that work.`}
      </p>
    )
  return (
    <Rows aria-label={t`Keys`}>
      {items.map((key) => (
        <li key={key.id}>
          <div>
            <bdi>{key.name}</bdi> <code className="muted">…{key.ending}</code>
            <p className="muted">
              {kinds[key.kind]} ·{' '}
              <Link
                to="/dashboard/cedar/providers/$providerId"
                params={{ providerId: key.providerId }}
                search={key.kind === 'api' ? { tab: 'rights' } : {}}
                preload={false}
              >
                <bdi>{nameOf({ translations: key.providerNames, isDefault: false })}</bdi>
              </Link>
            </p>
          </div>
          <span className="muted">
            {key.lastUsedAt === null ? (
              <Trans>Never used</Trans>
            ) : (
              <Trans>
                Last used <DateText value={key.lastUsedAt} isRelative />
              </Trans>
            )}
            {key.endsAt !== null && (
              <>
                {' · '}
                <Trans>
                  ends <DateText value={key.endsAt} />
                </Trans>
              </>
            )}
          </span>
        </li>
      ))}
    </Rows>
  )
}
