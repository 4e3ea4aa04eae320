import type { DeviceMessage } from '@grove/contract/maple/connect/device-connection'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Field } from '../../../../ui/field/field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { usePaused } from '../code/use-code-problem.ts'
import { messagesQuery } from './device-handler.api.ts'
import styles from './device-handler.module.css'
import { hexOfBase64, spacedHex } from './payload-text.ts'

interface Chosen {
  hex: string
  port?: number | undefined
  topic?: string | undefined
}

const maxShown = 8

/** Payloads that a device has sent, to try out. */
export function PastMessages({ onChoose }: { onChoose: (chosen: Chosen) => void }) {
  const { t } = useLingui()
  const [id, setId] = useState('')
  const deviceId = usePaused(id.trim(), 400)
  const { data, isError } = useQuery({
    ...messagesQuery(deviceId),
    enabled: deviceId !== '',
    retry: false,
  })
  const messages = data?.messages.filter(({ kind }) => kind === 'bytes').slice(0, maxShown)
  return (
    <div>
      <Field
        label={t`Recent message of a device (optional)`}
        hint={t`Device ID`}
        {...codeField}
        value={id}
        error={isError && deviceId !== '' ? t`There is no such device.` : undefined}
        onChange={({ target }) => setId(target.value)}
      />
      {messages?.length === 0 && (
        <p className="muted">
          <Trans>It has not sent a payload recently.</Trans>
        </p>
      )}
      {messages && messages.length > 0 && (
        <ul className={styles.list}>
          {messages.map((message) => (
            <li key={message.id}>
              <button
                type="button"
                className="button quiet"
                onClick={() => onChoose(payloadOf(message))}
              >
                <code>{cut(spacedHex(payloadOf(message).hex))}</code>
                <DateText value={message.receivedAt} isRelative />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const cut = (text: string) => (text.length > 30 ? `${text.slice(0, 29)}…` : text)

function payloadOf({ data }: DeviceMessage): Chosen {
  const { bytes, port, topic } = Object(data) as { bytes?: string; port?: number; topic?: string }
  return { hex: hexOfBase64(bytes ?? ''), port, topic }
}
