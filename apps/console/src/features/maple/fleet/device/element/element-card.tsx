import type { Device } from '@grove/contract/maple/fleet/device'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { ChevronRight, Unlink } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { CopyableId } from '../../../../../ui/text/copyable-id.tsx'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { devices } from '../device.api.ts'
import { chipId, icSerial } from '@grove/secure-element/cplc'
import { NotOffered, OfferBadge } from '../../connection.labels.tsx'
import { CplcView } from '../../../base/decode/decode-parts.tsx'
import { ChipName } from './chip-name.tsx'
import styles from './element-card.module.css'

interface ElementCardProps {
  device: Device
  element: Device['elements'][number]
  isOpen: boolean
  /** Whether the device makes it available to sessions; undefined if unknown. */
  isOffered: boolean | undefined
}

/** An attached secure element: its chip in one line, its CPLC field by field when expanded. */
export function ElementCard({ device, element, isOpen, isOffered }: ElementCardProps) {
  const { t } = useLingui()
  const detach = useDetach(device)
  const { cplc, attachedAt } = element
  const [wasOpened, setOpened] = useState(isOpen)
  const serial = icSerial(cplc)
  return (
    <details
      className={styles.card}
      open={isOpen}
      onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}
    >
      <summary className={styles.summary}>
        <ChevronRight size={16} aria-hidden />
        <span>
          <ChipName cplc={cplc} /> · <Trans>serial {serial}</Trans>
        </span>
        {isOffered !== undefined && <OfferBadge isOffered={isOffered} />}
        <span className={styles.attached}>
          <Trans>
            attached <DateText value={attachedAt} isRelative />
          </Trans>
        </span>
      </summary>
      <div className={styles.body}>
        {isOffered === false && <NotOffered />}
        <dl className={styles.ids}>
          <dt>CPLC</dt>
          <dd>
            <CopyableId value={cplc} />
          </dd>
          <dt>{t`Chip ID`}</dt>
          <dd>
            <CopyableId value={chipId(cplc)} />
          </dd>
        </dl>
        {wasOpened && <CplcView cplc={cplc} />}
        <button type="button" className="button small" onClick={() => void detach(cplc)}>
          <Unlink size={14} aria-hidden />
          <Trans>Detach…</Trans>
        </button>
      </div>
    </details>
  )
}

function useDetach({ id, name, revision }: Device) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return (cplc: string) => {
    const serial = icSerial(cplc)
    return confirmed({
      question: {
        title: t`Detach element ${serial} from “${name}”?`,
        text: t`The element stays known and can be attached to another device.`,
        action: t`Detach`,
        isDanger: true,
      },
      change: () =>
        api.maple.delete('/api/maple/device', { query: { id, cplc }, ifMatch: revision }),
      done: () => t`Element ${serial} is detached.`,
      refresh: () => devices.refresh(),
    })
  }
}
