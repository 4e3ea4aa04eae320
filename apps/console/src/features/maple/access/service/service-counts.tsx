import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { useId } from 'react'
import { dash } from '../../../../ui/i18n/moment-text.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { impactQuery } from './service.api.ts'
import styles from './service.module.css'

/** How many devices and accounts a service provider has. */
export function ServiceCounts({ id }: { id: string }) {
  const { i18n, t } = useLingui()
  const heading = useId()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { data: impact, error } = useQuery(impactQuery(id))
  const countOf = (count: { value: number; isCapped: boolean } | undefined) =>
    count ? `${i18n.number(count.value)}${count.isCapped ? '+' : ''}` : error ? dash : '…'
  const [devices, accounts] = [countOf(impact?.devices), countOf(impact?.accounts)]
  return (
    <section aria-labelledby={heading} className={styles.section}>
      <h3 id={heading}>
        <Trans>Devices and accounts</Trans>
      </h3>
      <dl className={styles.counts}>
        <div>
          <dt>{t`Devices`}</dt>
          <dd>
            {viewer.isAdmin ? (
              <Link to="/dashboard/maple/devices" search={{ serviceId: [id] }} preload={false}>
                {devices}
              </Link>
            ) : (
              <Link to="/dashboard/iot" preload={false}>
                {devices}
              </Link>
            )}
          </dd>
        </div>
        <div>
          <dt>{t`Accounts`}</dt>
          <dd>
            {viewer.isAdmin ? (
              <Link to="/dashboard/maple/accounts" search={{ serviceId: [id] }} preload={false}>
                {accounts}
              </Link>
            ) : (
              accounts
            )}
          </dd>
        </div>
      </dl>
    </section>
  )
}
