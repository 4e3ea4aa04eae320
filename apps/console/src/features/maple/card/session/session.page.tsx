import type { ElementSession } from '@grove/contract/maple/card/session'
import { isLive } from '@grove/contract/maple/card/session.rules'
import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type Ref } from 'react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { Tabs } from '../../../../ui/kit/tabs.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { ChannelForm } from './command/channel-form.tsx'
import { CommandForm } from './command/command-form.tsx'
import commandStyles from '../command/command.module.css'
import { RawForm } from './command/raw-form.tsx'
import { SessionLog } from './log/session-log.tsx'
import { SessionActions } from './session-actions.tsx'
import { oneSession } from './session.api.ts'
import { SessionFacts } from './session-facts.tsx'
import { SessionStateBadge, useRunRefusal } from './session.labels.tsx'
import { SessionNotice } from './session-notice.tsx'
import styles from './session.module.css'

const Terminal = onDemand(() => import('./terminal/terminal.tsx').then((file) => file.Terminal))

type Console = 'command' | 'channel' | 'raw' | 'terminal'

/** A session, which the loader has found: its live log, and below it what to send next. */
export function SessionPage({ id }: { id: string }) {
  const { data: session } = useSuspenseQuery(oneSession(id))
  const [tab, setTab] = useState<Console>('command')
  const [raw, setRaw] = useState('')
  const rawField = useRef<HTMLTextAreaElement>(null)
  const [reused, setReused] = useState(0)
  const canRun = isLive(session.state) && session.rights.run === null
  const reuse = (hex: string) => {
    setRaw(hex)
    setTab('raw')
    setReused((count) => count + 1)
  }
  // Once the field is there, since the bytes are to be edited.
  useEffect(() => {
    if (reused > 0) rawField.current?.focus()
  }, [reused])
  return (
    <article className={styles.page} data-live={isLive(session.state)}>
      <PageHeader
        title={<Trans>Session with {icSerial(session.cplc)}</Trans>}
        badge={<SessionStateBadge state={session.state} />}
        description={<CopyableId value={session.cplc} />}
        action={<SessionActions session={session} />}
      />
      <SessionFacts session={session} />
      <SessionNotice session={session} />
      <div className={styles.log}>
        <SessionLog session={session} onReuse={canRun ? reuse : undefined} />
      </div>
      {isLive(session.state) && (
        <SessionConsole
          session={session}
          tab={tab}
          onTab={setTab}
          raw={raw}
          rawField={rawField}
          onRaw={setRaw}
        />
      )}
    </article>
  )
}

interface SessionConsoleProps {
  session: ElementSession
  tab: Console
  onTab: (tab: Console) => void
  raw: string
  rawField: Ref<HTMLTextAreaElement>
  onRaw: (text: string) => void
}

function SessionConsole(props: SessionConsoleProps) {
  const { session, tab, onTab, raw, rawField, onRaw } = props
  const { t } = useLingui()
  const refusal = useRunRefusal(session)
  // Loaded when first shown, and kept from then on, since it may still be sending.
  const [hasTerminal, setTerminal] = useState(false)
  if (tab === 'terminal' && !hasTerminal) setTerminal(true)
  return (
    <section className={`${commandStyles.console} ${styles.dock}`} aria-label={t`Send commands`}>
      <Tabs<Console>
        label={t`Send commands`}
        tabs={[
          { id: 'command', label: t`Commands` },
          { id: 'channel', label: t`Secure channel` },
          { id: 'raw', label: t`Raw bytes` },
          { id: 'terminal', label: t`Terminal` },
        ]}
        selected={tab}
        onSelect={onTab}
      >
        {/* All stay mounted, so that visiting another tab loses no input. */}
        <div hidden={tab !== 'command'}>
          <CommandForm session={session} refusal={refusal} />
        </div>
        <div hidden={tab !== 'channel'}>
          <ChannelForm session={session} refusal={refusal} />
        </div>
        <div hidden={tab !== 'raw'}>
          <RawForm session={session} refusal={refusal} field={rawField} text={raw} onText={onRaw} />
        </div>
        <div hidden={tab !== 'terminal'}>
          {hasTerminal && <Terminal session={session} refusal={refusal} />}
        </div>
      </Tabs>
    </section>
  )
}
