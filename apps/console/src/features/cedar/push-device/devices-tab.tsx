import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { useState } from 'react'
import { problemText } from '../../../api/problem-text.ts'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { DeviceRow } from './device-row.tsx'
import { devicePages } from './push-device.api.ts'
import styles from './devices-tab.module.css'

type Shown = 'all' | 'test'

/** The devices that an app's notifications can reach, and which of them receive its tests. */
export function DevicesTab({ productId }: { productId: string }) {
  const { t, i18n } = useLingui()
  const [shown, setShown] = useState<Shown>('all')
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery({
      ...devicePages(productId, shown === 'test' ? true : undefined),
      placeholderData: keepPreviousData,
    })
  const devices = data?.pages.flatMap(({ items }) => items) ?? []
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
      {error ? (
        <div className="notice">
          <p role="alert">{problemText(error, i18n)}</p>
          <button type="button" className="button" onClick={() => void refetch()}>
            <Trans>Try again</Trans>
          </button>
        </div>
      ) : isPending ? (
        <output className="page-skeleton" aria-label={t`Loading`}>
          <span className="skeleton" />
          <span className="skeleton" />
        </output>
      ) : devices.length > 0 ? (
        <ul className={styles.list} aria-label={t`Devices`}>
          {devices.map((device) => (
            <DeviceRow key={device.id} device={device} />
          ))}
        </ul>
      ) : (
        <EmptyState
          icon={Smartphone}
          title={shown === 'test' ? t`No test devices yet` : t`No devices yet`}
          text={
            shown === 'test'
              ? t`Show all devices and mark your own.`
              : t`A device is listed here once a host app has registered it for this app’s notifications.`
          }
        />
      )}
      {hasNextPage && (
        <p>
          <button
            type="button"
            className="button"
            aria-disabled={isFetchingNextPage}
            onClick={() => !isFetchingNextPage && void fetchNextPage()}
          >
            <Trans>Show older</Trans>
          </button>
        </p>
      )}
    </Section>
  )
}
