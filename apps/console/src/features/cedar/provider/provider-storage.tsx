import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { api } from '../../../session/api.ts'
import { PartBar, type Part } from '../../../ui/chart/part-bar.tsx'
import { PartFailure } from '../../../ui/failure/part-failure.tsx'
import { Bytes } from '../../../ui/i18n/bytes.tsx'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { Link } from '../../../ui/link/link.tsx'
import { titleIn } from '../parts/titles.ts'
import styles from './provider-users.module.css'

/** Which apps use a provider's storage, and what is left of its limit. */
export function ProviderStorage({ id }: Pick<AdminProvider, 'id'>) {
  const { t } = useLingui()
  const heading = useId()
  const { data, error, refetch } = useQuery(
    api.cedar.query('/api/provider/{id}/storage', { params: { id } }),
  )
  const parts: Part[] = []
  if (data) {
    const { apps, others, sharedBytes, used, limit } = data
    for (const { productId, translations, bytes } of apps)
      parts.push({
        key: productId,
        name: (
          <Link to="/dashboard/cedar/mobile/$productId" params={{ productId }} preload={false}>
            <bdi>{titleIn(translations, currentLocale()).title}</bdi>
          </Link>
        ),
        value: bytes,
      })
    if (others.apps > 0)
      parts.push({
        key: 'others',
        name: t`${plural(others.apps, { one: '# other app', other: '# other apps' })}`,
        value: others.bytes,
        kind: 'rest',
      })
    if (sharedBytes > 0)
      parts.push({
        key: 'shared',
        name: t`Files of several apps or of the provider`,
        value: sharedBytes,
        kind: 'rest',
      })
    parts.push({ key: 'free', name: t`Free`, value: Math.max(0, limit - used), kind: 'free' })
  }
  return (
    <section className={styles.users} aria-labelledby={heading}>
      <h3 id={heading}>
        <Trans>Storage by app</Trans>
      </h3>
      {data ? (
        <PartBar
          label={t`Storage by app`}
          nameLabel={t`App`}
          valueLabel={t`Size`}
          parts={parts}
          renderValue={(value) => <Bytes value={value} />}
        />
      ) : error ? (
        <PartFailure error={error} refetch={refetch} />
      ) : (
        <div className="skeleton" />
      )}
    </section>
  )
}
