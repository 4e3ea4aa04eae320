import type { Device } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import styles from './device-details.module.css'
import { DeviceStateBadge, DeviceTypeText } from './device.labels.tsx'
import { ElementCard } from './element/element-card.tsx'

/** Everything about a device. */
export function DeviceDetails({ device }: { device: Device }) {
  const { t } = useLingui()
  const { elements, lastSeenAt } = device
  return (
    <div className={styles.details}>
      <PanelFacts
        facts={[
          [t`State`, <DeviceStateBadge key="state" state={device.state} />],
          [t`Type`, <DeviceTypeText key="type" type={device.type} />],
          [t`Last seen`, lastSeenAt ? <DateText key="seen" value={lastSeenAt} /> : t`Never`],
          [t`Created`, <DateText key="created" value={device.createdAt} />],
          [t`Changed`, <DateText key="changed" value={device.updatedAt} />],
          [t`Revision`, device.revision],
          ...(device.innerId
            ? ([
                [t`Inner id`, <CopyableId key="inner" value={device.innerId} />],
                [
                  t`Account`,
                  device.accountId ? (
                    <CopyableId key="account" value={device.accountId} />
                  ) : (
                    t`Linked to no account`
                  ),
                ],
              ] as const)
            : []),
        ]}
      />
      <section className={styles.elements}>
        <h3>
          <Trans>Secure elements</Trans> <span className="muted">{elements.length}</span>
        </h3>
        {elements.length === 0 && (
          <p className="muted">
            <Trans>None is attached. Choose Edit to add one by its CPLC.</Trans>
          </p>
        )}
        {elements.map((element) => (
          <ElementCard
            key={element.cplc}
            device={device}
            element={element}
            isOpen={elements.length === 1}
          />
        ))}
      </section>
    </div>
  )
}
