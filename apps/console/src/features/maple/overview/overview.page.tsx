import type { MapleAbout } from '@grove/contract/maple/about'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from '../../../ui/failure/failure.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { Pending } from '../../../ui/page/pending.tsx'
import { Attention } from './attention.tsx'
import { DeviceGroups, type DeviceWords } from './device-groups.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Growth } from './growth.tsx'
import { LastSeen } from './last-seen.tsx'
import { aboutQuery } from './overview.api.ts'
import styles from './overview.module.css'
import { Totals } from './totals.tsx'

interface OverviewProps {
  words: DeviceWords
  /** The fleet by state and day. */
  history: ReactNode
  /** The accounts that expire next, and the latest device imports. */
  lists: ReactNode
}

/** Maple's totals, and what needs attention; every number opens the list that it counts. */
export function Overview({ words, history, lists }: OverviewProps) {
  const { t } = useLingui()
  const { data, error } = useQuery(aboutQuery())
  return (
    <>
      <PageHeader
        title={t`Maple`}
        description={t`The fleet with its secure elements, and what needs attention.`}
      />
      {data ? (
        <Contents about={data} words={words} history={history} lists={lists} />
      ) : error ? (
        <Failure error={error} />
      ) : (
        <Pending />
      )}
    </>
  )
}

function Contents({ about, words, history, lists }: OverviewProps & { about: MapleAbout }) {
  const { t } = useLingui()
  const { devices, elements, services, accounts } = about
  const isNew = [devices, elements, services, accounts].every(({ count }) => count === 0)
  if (isNew) return <FirstSteps />
  return (
    <div className={styles.page}>
      <Totals about={about} />
      <Attention about={about} />
      {/* A third-party service may only count devices. */}
      {devices.groups.length > 0 && <DeviceGroups groups={devices.groups} words={words} />}
      <Section title={t`Devices by state over time`}>{history}</Section>
      {devices.seen.length > 0 && <LastSeen seen={devices.seen} />}
      {devices.registered.length > 0 && <Growth registered={devices.registered} />}
      {lists}
      <p className="muted">
        {t`Counted`} <DateText value={about.countedAt} />
        {about.hsm?.isReachable && <> · {t`The HSM is responding`}</>}
        {about.broker?.isConnected && <> · {t`Connected to the MQTT broker`}</>}
      </p>
    </div>
  )
}
