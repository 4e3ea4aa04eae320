import type { MapleAbout } from '@grove/contract/maple/about'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'
import styles from './overview.module.css'

/** The totals of everything. */
export function Totals({ about }: { about: MapleAbout }) {
  const { i18n, t } = useLingui()
  const { devices, elements, accounts, services } = about
  const { suspended } = services
  const free = elements.count - elements.attached
  const freeCount = i18n.number(free)
  return (
    <ul className={styles.totals}>
      <li>
        <Link to="/dashboard/maple/devices" prefetch="none">
          <b>{i18n.number(devices.count)}</b> {t`Devices`}
        </Link>
      </li>
      <li>
        <Link to="/dashboard/maple/secure_elements" prefetch="none">
          <b>{i18n.number(elements.count)}</b> {t`Secure elements`}
        </Link>
        {free > 0 && (
          <Link
            to="/dashboard/maple/secure_elements"
            search={{ attached: ['false'] }}
            prefetch="none"
          >
            <small>{t`${plural(free, { one: `${freeCount} is in no device`, other: `${freeCount} are in no device` })}`}</small>
          </Link>
        )}
      </li>
      <li>
        <Link to="/dashboard/maple/providers" prefetch="none">
          <b>{i18n.number(services.count)}</b> {t`Service providers`}
        </Link>
        {suspended > 0 && (
          <Link to="/dashboard/maple/providers" search={{ state: ['suspended'] }} prefetch="none">
            <small>{t`${plural(suspended, { one: '# is suspended', other: '# are suspended' })}`}</small>
          </Link>
        )}
      </li>
      <li>
        <Link to="/dashboard/maple/accounts" prefetch="none">
          <b>{i18n.number(accounts.count)}</b> {t`Accounts`}
        </Link>
      </li>
    </ul>
  )
}
