import type { Device } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { Archive, Pencil } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../../../session/api.ts'
import { problemText } from '../../../api/problem-text.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import styles from './device-details.module.css'
import { refreshDevices } from './device.api.ts'
import { DeviceStateBadge, DeviceTypeText } from './device.labels.tsx'
import { ElementCard } from './element/element-card.tsx'

interface DeviceDetailsProps {
  device: Device
  /** The form was here before: the focus returns to the button that opened it. */
  hasEdited: boolean
  onEdit: () => void
}

/** Everything about a device, and what can be done with it. */
export function DeviceDetails({ device, hasEdited, onEdit }: DeviceDetailsProps) {
  const { t } = useLingui()
  const { isRetired, retire } = useRetire(device)
  const { elements } = device
  return (
    <div className={styles.details}>
      <div className="actions">
        <button
          type="button"
          className="button"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the form that had the focus is gone
          autoFocus={hasEdited}
          onClick={onEdit}
        >
          <Pencil size={16} aria-hidden />
          <Trans>Edit</Trans>
        </button>
        <button
          type="button"
          className="button"
          aria-disabled={isRetired}
          title={isRetired ? t`It is retired already, which is final.` : undefined}
          onClick={() => void retire()}
        >
          <Archive size={16} aria-hidden />
          <Trans>Retire…</Trans>
        </button>
      </div>
      <dl className={styles.facts}>
        <Fact label={t`State`}>
          <DeviceStateBadge state={device.state} />
        </Fact>
        <Fact label={t`Type`}>
          <DeviceTypeText type={device.type} />
        </Fact>
        <Fact label={t`Last seen`}>
          {device.lastSeenAt === null ? (
            <span className="muted">{t`Never`}</span>
          ) : (
            <DateText value={device.lastSeenAt} />
          )}
        </Fact>
        <Fact label={t`Created`}>
          <DateText value={device.createdAt} />
        </Fact>
        <Fact label={t`Changed`}>
          <DateText value={device.updatedAt} />
        </Fact>
        <Fact label={t`Revision`}>{device.revision}</Fact>
      </dl>
      <section className={styles.elements}>
        <h3>
          <Trans>Secure elements</Trans> <span className="muted">{elements.length}</span>
        </h3>
        {elements.length === 0 && (
          <p className="muted">
            <Trans>None is attached. Add one by its CPLC in “Edit”.</Trans>
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

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

function useRetire({ id, name, state, revision }: Device) {
  const { i18n, t } = useLingui()
  const client = useQueryClient()
  const isRetired = state === 'retired'
  const retire = async () => {
    if (isRetired) return
    const agreed = await confirm({
      title: t`Retire “${name}”?`,
      text: t`Retired is final: the device can never be used again. Its history stays, and its secure elements stay attached until they are detached.`,
      action: t`Retire the device`,
      isDanger: true,
    })
    if (!agreed) return
    try {
      await api.maple.delete('/api/maple/device', { query: { id }, ifMatch: revision })
      notify({ text: t`“${name}” is retired.` })
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
    }
    // After a refusal too: what was shown is out of date.
    await refreshDevices(client)
  }
  return { isRetired, retire }
}
