import type { Preview } from '@grove/contract/cedar/preview'
import type { PreviewScheme } from '@grove/contract/cedar/preview.rules'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { problemText } from '../../../api/problem-text.ts'
import { currentLocale, type Locale } from '../../../ui/i18n/locale.ts'
import { Tabs } from '../../../ui/kit/tabs.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import type { Answer } from './preview-channel.ts'
import { PhoneFrame } from './phone-frame.tsx'
import { OnPhone } from './on-phone.tsx'
import { PermissionList } from './permission-list.tsx'
import { PreviewConsole } from './preview-console.tsx'
import { devices, PreviewTools, type DeviceName } from './preview-tools.tsx'
import { isOver } from './preview.api.ts'
import styles from './preview.page.module.css'
import { usePreviewRun, type Run } from './use-preview.ts'

interface PreviewRoomProps {
  preview: Preview
  openedAt: number
  /** Why the last renewal of the URL failed. */
  renewalError: Error | null
  renew: () => Promise<Preview | undefined>
}

const initialRun = ({ address, startPage }: Preview): Run => ({
  // Not the number of an earlier visit, whose process may still hang.
  id: Math.floor(Math.random() * 900_000),
  address,
  startPage,
  scheme: 'auto',
  locale: currentLocale(),
})

export function PreviewRoom({ preview, openedAt, renewalError, renew }: PreviewRoomProps) {
  const { t, i18n } = useLingui()
  const [run, setRun] = useState(() => initialRun(preview))
  const [device, setDevice] = useState<DeviceName>('phone')
  const [isTurned, setTurned] = useState(false)
  const [isFull, setFull] = useState(false)
  const [tab, setTab] = useState<'console' | 'permissions' | 'phone'>('console')
  const [answers, setAnswers] = useState<Record<string, Answer>>(() =>
    Object.fromEntries(preview.permissions.map(({ name }) => [name, 'granted'])),
  )
  const { frame, state, log, isOffline, ...actions } = usePreviewRun(run, preview, answers)

  const start = async (change: { scheme?: PreviewScheme; locale?: Locale } = {}) => {
    const opened = isOver(openedAt) ? await renew() : preview
    if (!opened) {
      notify({
        kind: 'failure',
        text: renewalError ? problemText(renewalError, i18n) : t`The preview could not be opened`,
      })
      return
    }
    const { address, startPage } = opened
    setRun((last) => ({ ...last, ...change, id: last.id + 1, address, startPage }))
  }
  const size = devices[device]
  const [width, height] = isTurned ? [size.height, size.width] : [size.width, size.height]

  return (
    <div className={styles.room}>
      <section className={styles.stage} aria-label={t`Preview`}>
        <PreviewTools
          device={device}
          onDevice={setDevice}
          onTurn={() => setTurned(!isTurned)}
          scheme={run.scheme}
          onScheme={(scheme) => void start({ scheme })}
          locale={run.locale}
          onLocale={(locale) => void start({ locale })}
          isOffline={isOffline}
          onOffline={actions.switchOffline}
          onReload={() => void start()}
          onFull={() => setFull(true)}
        />
        <PhoneFrame
          ref={frame}
          run={run}
          width={width}
          height={height}
          state={state}
          isFull={isFull}
          onLeaveFull={() => setFull(false)}
          onStop={actions.stop}
          onStart={() => void start()}
        />
      </section>
      <section className={styles.side} aria-label={t`About this run`}>
        <Tabs
          label={t`About this run`}
          selected={tab}
          onSelect={setTab}
          tabs={[
            { id: 'console', label: t`Console` },
            { id: 'permissions', label: t`Permissions` },
            { id: 'phone', label: t`On a phone` },
          ]}
        >
          {tab === 'console' && <PreviewConsole log={log} onClear={actions.clearLog} />}
          {tab === 'permissions' && (
            <PermissionList
              permissions={preview.permissions}
              answers={answers}
              onAnswer={(name, answer) => setAnswers({ ...answers, [name]: answer })}
            />
          )}
          {tab === 'phone' && <OnPhone preview={preview} />}
        </Tabs>
      </section>
    </div>
  )
}
