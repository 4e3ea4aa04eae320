import type { PushDevice } from '@grove/contract/cedar/push-device'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { ChangeDialog } from '../../../ui/dialog/change-dialog.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { localeNames } from '../../../ui/i18n/locale.ts'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { useAttempt } from '../../../ui/toast/use-attempt.ts'
import { platformNames } from '../parts/platform-names.ts'
import { markDevice, refreshDevices } from './push-device.api.ts'
import styles from './devices-tab.module.css'

const maxNameLength = 60

/** One device, and whether it receives tests. */
export function DeviceRow({ device }: { device: PushDevice }) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const [isNaming, setNaming] = useState(false)
  const { isTest, name, platform, localeCode, appVersion, tokenEnd } = device
  const called = name ?? `${platformNames[platform]} …${tokenEnd}`
  const unmark = async () => {
    await attempt(() => markDevice(device, { isTest: false, name: null }))
    await refreshDevices()
  }
  return (
    <li className={styles.device}>
      <div className={styles.what}>
        <span>
          <bdi>{called}</bdi>{' '}
          {isTest && <StateBadge kind="ready" text={t({ message: 'Test', context: 'a device' })} />}
        </span>
        <span className="muted">
          {platformNames[platform]} · {localeNames[localeCode]} ·{' '}
          <Trans>version {appVersion}</Trans> · <code>…{tokenEnd}</code>
        </span>
        <span className="muted">
          <Trans>
            last seen <DateText value={device.seenAt} isRelative />
          </Trans>
        </span>
      </div>
      <button
        type="button"
        className="button small"
        aria-label={isTest ? t`Stop sending tests to ${called}` : t`Mark ${called} for tests`}
        onClick={() => (isTest ? void unmark() : setNaming(true))}
      >
        {isTest ? <Trans>No longer for tests</Trans> : <Trans>Mark for tests…</Trans>}
      </button>
      {isNaming && <MarkDevice device={device} onClose={() => setNaming(false)} />}
    </li>
  )
}

/** Asks for a name for the device, so that a test can report its result by name. */
function MarkDevice({ device, onClose }: { device: PushDevice; onClose: () => void }) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Mark for tests`}
      submitLabel={t`Mark`}
      fields={{
        name: {
          label: t`Name of the device`,
          hint: t`Such as “My phone”.`,
          maxLength: maxNameLength,
          autoComplete: 'off',
          problemOf: (name) => (name.trim() === '' ? t`Enter a name.` : undefined),
        },
      }}
      form={{
        values: { name: device.name ?? '' },
        submit: ({ name }) => markDevice(device, { isTest: true, name: name.trim() }),
      }}
      done={() => t`The device now gets tests.`}
      refresh={refreshDevices}
      onClose={onClose}
    />
  )
}
