import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { useState } from 'react'
import { History } from '../../../ui/history/history.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { DeviceRow } from './device-row.tsx'
import { devicePages } from './push-device.api.ts'
import styles from './devices-tab.module.css'

type Shown = 'all' | 'test'

/** The devices that an app's notifications can reach, and which of them receive its tests. */
export function DevicesTab({ productId }: { productId: string }) {
  const { t } = useLingui()
  const [shown, setShown] = useState<Shown>('all')
  const loading = useInfiniteQuery({
    ...devicePages(productId, shown === 'test' ? true : undefined),
    placeholderData: keepPreviousData,
  })
  const devices = loading.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Section
      id="devices"
      title={t`Devices`}
      description={t`Host apps register their users’ devices. Mark your own for tests: “Send a test” reaches only those.`}
    >
      <div className={styles.filter}>
        <SelectField<Shown>
          label={t`Show`}
          value={shown}
          words={{
            all: t({ message: 'All devices', context: 'that an app reaches' }),
            test: t({ message: 'Test devices', context: 'that an app reaches' }),
          }}
          onChange={setShown}
        />
      </div>
      <History
        loading={loading}
        isEmpty={devices.length === 0}
        empty={
          <EmptyState
            icon={Smartphone}
            title={shown === 'test' ? t`No test devices yet` : t`No devices yet`}
            text={
              shown === 'test'
                ? t`Show all devices and mark your own.`
                : t`A device is listed here once a host app has registered it for this app’s notifications.`
            }
          />
        }
      >
        <ul className={styles.list} aria-label={t`Devices`}>
          {devices.map((device) => (
            <DeviceRow key={device.id} device={device} />
          ))}
        </ul>
      </History>
    </Section>
  )
}
