import type { MapleAbout } from '@grove/contract/maple/about'
import { expiringDays } from '@grove/contract/maple/access/account.rules'
import { aboutCountLimit, type BrokerProblem } from '@grove/contract/maple/about.rules'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from '../../../ui/link/link.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { requestsQuery } from './overview.api.ts'
import styles from './overview.module.css'

/** Failures, and what will stop working soon. */
export function Attention({ about }: { about: MapleAbout }) {
  const { i18n, t } = useLingui()
  const { devices, accounts, jobs, hsm, broker } = about
  const hsmProblem = useHsmProblem()
  const brokerProblems = useBrokerProblems()
  const { data: requests } = useQuery(requestsQuery())
  const waiting = requests?.items.filter(({ rights }) => rights.decide === null).length ?? 0
  const quarantined = devices.groups
    .filter(({ state }) => state === 'quarantined')
    .reduce((sum, { count }) => sum + count, 0)
  const number = (count: number) =>
    count === aboutCountLimit ? `${i18n.number(count)}+` : i18n.number(count)

  const rows: [count: number, row: ReactNode][] = [
    [
      waiting,
      <Link
        key="requests"
        to="/dashboard/maple/approvals"
        search={{ state: ['pending'] }}
        prefetch="none"
      >
        <span>{t`Requests waiting for your approval`}</span>{' '}
        <b>{requests?.next ? `${i18n.number(waiting)}+` : i18n.number(waiting)}</b>
      </Link>,
    ],
    [
      hsm && !hsm.isReachable ? 1 : 0,
      <Link
        key="hsm"
        to="/dashboard/maple/secure_elements"
        search={{ hsm: ['true'] }}
        prefetch="none"
      >
        <span>{hsmProblem(hsm?.problem)}</span>
      </Link>,
    ],
    [
      broker?.problem ? 1 : 0,
      <span key="broker">{broker?.problem && brokerProblems[broker.problem]}</span>,
    ],
    [
      quarantined,
      <Link
        key="quarantined"
        to="/dashboard/maple/devices"
        search={{ state: ['quarantined'] }}
        prefetch="none"
      >
        <span>{t`Devices to be accepted`}</span> <b>{i18n.number(quarantined)}</b>
      </Link>,
    ],
    [
      jobs.failed,
      <Link
        key="jobs"
        to="/dashboard/system/jobs"
        search={{ service: 'maple', state: ['failed'] }}
        prefetch="none"
      >
        <span>{t`Jobs that failed`}</span> <b>{number(jobs.failed)}</b>
      </Link>,
    ],
    [
      accounts.expired,
      <Link
        key="expired"
        to="/dashboard/maple/accounts"
        search={{ validity: ['expired'], sort: 'expiresAt', order: 'desc' }}
        prefetch="none"
      >
        <span>{t`Accounts that have expired`}</span> <b>{number(accounts.expired)}</b>
      </Link>,
    ],
    [
      accounts.expiringSoon,
      <Link
        key="soon"
        to="/dashboard/maple/accounts"
        search={{ validity: ['expiring'], sort: 'expiresAt', order: 'asc' }}
        prefetch="none"
      >
        <span>{t`Accounts that expire within ${expiringDays} days`}</span>{' '}
        <b>{number(accounts.expiringSoon)}</b>
      </Link>,
    ],
  ]
  const shown = rows.filter(([count]) => count > 0)
  // A third-party service may not count them.
  const isCounted = rows.every(
    ([count]: [count: number | undefined, row: ReactNode]) => count !== undefined,
  )
  if (shown.length === 0 && !isCounted) return null
  return (
    <Section title={t`Needs attention`}>
      {shown.length === 0 ? (
        <p className={styles.fine}>
          <CircleCheck size={16} aria-hidden /> {t`No failures, and no account expires soon.`}
        </p>
      ) : (
        <ul className={styles.attention}>
          {shown.map(([, row], index) => (
            <li key={index}>
              <TriangleAlert size={16} aria-hidden />
              {row}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** What is wrong with the HSM; elements whose keys it holds cannot be managed until it is fixed. */
function useHsmProblem() {
  const { t } = useLingui()
  return (code: string | null | undefined): string => {
    switch (code) {
      case 'hsm_pin_refused':
        return t`The HSM rejects the PIN, so elements with keys in it cannot be managed`
      case 'hsm_pin_locked':
        return t`The PIN of the HSM is locked, so elements with keys in it cannot be managed`
      default:
        return t`The HSM is not responding, so elements with keys in it cannot be managed`
    }
  }
}

/** Why messages of devices behind the broker of MQTT_URL do not arrive. */
function useBrokerProblems(): Record<BrokerProblem, string> {
  const { t } = useLingui()
  return {
    unreachable: t`The MQTT broker is not responding, so devices behind it are not connected`,
    refused: t`The MQTT broker refuses Grove: check the account in MQTT_URL and the rules of the broker`,
    no_gateway: t`No gateway is running, so nothing is connected to the MQTT broker`,
  }
}
