import { Trans } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'
import { apiKeysQuery } from '../keys/api-keys.ts'
import { KeyTable } from '../keys/key-table.tsx'
import styles from './service.module.css'

/** The API keys of the provider whose working stage this is. */
export function ServiceKeys({ id }: { id: string }) {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { data, error, refetch } = useQuery(apiKeysQuery(id))
  if (data === undefined)
    return error ? <PartFailure error={error} refetch={refetch} /> : <Pending />
  return (
    <div className={styles.section}>
      {data.items.length === 0 ? (
        <p className="muted">
          <Trans>No API keys. Without one, its provider is no working stage.</Trans>
        </p>
      ) : (
        <KeyTable providerId={id} items={data.items} />
      )}
      <p>
        {viewer.isAdmin ? (
          <Link
            to="/dashboard/cedar/providers/$providerId"
            params={{ providerId: id }}
            search={{ tab: 'rights' }}
            preload={false}
          >
            <Trans>Rights and keys of the provider</Trans>
          </Link>
        ) : (
          <Link to="/dashboard/maple/keys" preload={false}>
            <Trans>Create and replace keys</Trans>
          </Link>
        )}
      </p>
    </div>
  )
}
