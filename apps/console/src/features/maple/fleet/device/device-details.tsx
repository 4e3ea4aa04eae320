import type { Device } from '@grove/contract/maple/fleet/device'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Person } from '../../../../people/person.tsx'
import { api } from '../../../../session/api.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { dash } from '../../../../ui/i18n/moment-text.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { useKeptFocus } from '../../../../ui/page/use-kept-focus.ts'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { ServiceName } from '../../base/service-name.tsx'
import styles from './device-details.module.css'
import { TagList, useAttributeWords } from './attribute.labels.tsx'
import { DeviceStateBadge, DeviceTypeText } from './device.labels.tsx'
import { ElementCard } from './element/element-card.tsx'
import { elementsOf, isElementsKnown } from './element/elements-of.ts'
import { UnattachedElements } from './element/unattached-elements.tsx'
import { WaitingNotice } from './waiting-notice.tsx'

/** A product's name, as a link to its page. */
export function ProductName({ id }: { id: string }) {
  const { data } = useQuery(api.maple.query('/api/maple/products', { query: { id } }))
  return (
    <Link to="/dashboard/maple/products/$id" params={{ id }} preload={false}>
      {data?.items[0]?.name ?? id}
    </Link>
  )
}

/** Everything about a device. */
export function DeviceDetails({ device }: { device: Device }) {
  const details = useRef<HTMLElement>(null)
  useKeptFocus(details, device.state)
  return (
    <section ref={details} className={styles.details} tabIndex={-1}>
      <WaitingNotice device={device} />
      <DeviceFacts device={device} />
      <section className={styles.elements}>
        <h3>
          <Trans>Secure elements</Trans>{' '}
          <span className="muted">{isElementsKnown(device) && device.elements.length}</span>
        </h3>
        <DeviceElements device={device} />
      </section>
    </section>
  )
}

/** A device's identity, and its owner. */
export function DeviceFacts({ device }: { device: Device }) {
  const { t, i18n } = useLingui()
  const words = useAttributeWords()
  const { lastSeenAt } = device
  // A third-party service may not say.
  const none = (id: string | null) => (id === null ? t`None` : dash)
  const attributes = Object.entries(device.attributes).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  return (
    <>
      <PanelFacts
        facts={[
          [t`State`, <DeviceStateBadge key="state" state={device.state} />],
          [t`Type`, <DeviceTypeText key="type" type={device.type} />],
          [
            t`Last seen`,
            lastSeenAt === null ? t`Never` : <DateText key="seen" value={lastSeenAt} isRelative />,
          ],
          [t`Created`, <DateText key="created" value={device.createdAt} />],
          [t`Changed`, <DateText key="changed" value={device.updatedAt} />],
          [t`Revision`, i18n.number(device.revision)],
          [
            t`Service provider`,
            device.serviceId ? (
              <ServiceName key="service" id={device.serviceId} />
            ) : (
              none(device.serviceId)
            ),
          ],
          [
            t`Product`,
            device.productId ? (
              <ProductName key="product" id={device.productId} />
            ) : (
              none(device.productId)
            ),
          ],
          [t`Tags`, <TagList key="tags" tags={device.tags} />],
          ...(device.innerId
            ? ([
                [t`Inner ID`, <CopyableId key="inner" value={device.innerId} />],
                [
                  t`Account`,
                  device.accountId ? (
                    <Person key="account" id={device.accountId} isCopyable isByEmail />
                  ) : (
                    t`Not linked to an account`
                  ),
                ],
              ] as const)
            : []),
        ]}
      />
      {attributes.length > 0 && (
        <section className={styles.elements}>
          <h3>
            <Trans>Attributes</Trans> <span className="muted">{attributes.length}</span>
          </h3>
          <PanelFacts
            facts={attributes.map(([key, value]) => [
              key,
              <bdi key={key}>{words.valueOf(value)}</bdi>,
            ])}
          />
        </section>
      )}
    </>
  )
}

interface DeviceElementsProps {
  device: Device
  /** The elements that it makes available to sessions; none if unknown. */
  offered?: readonly string[] | null | undefined
}

/** The secure elements of a device, with their bytes. */
export function DeviceElements({ device, offered }: DeviceElementsProps) {
  const elements = elementsOf(device)
  return (
    <>
      {elements.length === 0 && isElementsKnown(device) && !offered?.length && (
        <p className="muted">
          <Trans>No elements. Choose Edit to add one by its CPLC.</Trans>
        </p>
      )}
      {elements.map((element) => (
        <ElementCard
          key={element.cplc}
          device={device}
          element={element}
          isOpen={elements.length === 1}
          isOffered={offered?.includes(element.cplc)}
        />
      ))}
      {offered && <UnattachedElements device={device} offered={offered} />}
    </>
  )
}
