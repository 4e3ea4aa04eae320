import type { MapleAbout } from '@grove/contract/maple/about'
import type { DeviceSeen } from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'
import { useSeenWords } from '../fleet/seen-words.ts'
import { Section } from '../../../ui/page/section.tsx'
import styles from './overview.module.css'

/** How warm a cell of the strip is: cold for no devices, warmest for half of the fleet or more. */
export function heatOf(count: number, all: number): number {
  if (count === 0) return 0
  return Math.min(4, 1 + Math.floor((count / all) * 6))
}

/** When devices were last seen, from the last hour to never: warmer where there are more. */
export function LastSeen({ seen }: { seen: MapleAbout['devices']['seen'] }) {
  const { i18n, t } = useLingui()
  const words = useSeenWords()
  const all = seen.reduce((sum, { count }) => sum + count, 0)
  const orders: Partial<Record<DeviceSeen, 'asc'>> = { older: 'asc' }
  return (
    <Section
      title={t`Last seen`}
      description={t`Each device is counted once, in the first range that fits. The stronger the colour, the more devices.`}
    >
      <ol className={styles.strip}>
        {seen.map(({ seen: when, count }) => (
          <li key={when} data-heat={heatOf(count, all)}>
            <Link
              to="/dashboard/maple/devices"
              search={{ seen: [when], sort: 'lastSeenAt', order: orders[when] ?? 'desc' }}
              prefetch="none"
            >
              <span>{words[when]}</span>
              <b>{i18n.number(count)}</b>
              <small>
                {i18n.number(all === 0 ? 0 : count / all, {
                  style: 'percent',
                  maximumFractionDigits: 1,
                })}
              </small>
            </Link>
          </li>
        ))}
      </ol>
    </Section>
  )
}
