import type { DeviceSession } from '@grove/contract/maple/connect/device-session'
import { messageKinds, type MessageKind } from '@grove/contract/maple/connect/device-session.rules'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { History, X } from 'lucide-react'
import { useEffect, useState, type Ref } from 'react'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import { useShortcut } from '../../../../ui/keyboard/shortcuts.ts'
import { FilterMenu } from '../../../../ui/table/filter-menu.tsx'
import { useAddress } from '../../../../ui/table/use-address.ts'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { Fact, FactLine } from '../../../../ui/text/fact-line.tsx'
import { jsonText } from '../../base/json-text.ts'
import { ConnectionText } from '../../base/live/connection-text.tsx'
import { LogSearch } from '../../base/live/log-search.tsx'
import { LogToggles, Unseen } from '../../base/live/log-toggles.tsx'
import { LogView } from '../../base/live/log-view.tsx'
import styles from '../../base/live/log.module.css'
import { useLogReading, type LogReading } from '../../base/live/use-log-reading.ts'
import { useDeviceSessionWords } from './device-session.labels.tsx'
import pageStyles from './device-session.module.css'
import { messageSearch } from './device-session.search.ts'
import { messageTest, type MessageFilter } from './message-filter.ts'
import { MessageRow } from './message-row.tsx'
import { ReplayBar } from './replay-bar.tsx'
import type { LoggedMessage } from './logged-message.ts'
import type { useDeviceLog } from './use-device-log.ts'
import { useReplay, type Replay } from './use-replay.ts'

interface MessageLogProps {
  session: DeviceSession
  live: ReturnType<typeof useDeviceLog>
}

/** The URL follows the reader, but not every repeat of a key held down. */
const addressPause = 300

/** What a device sent and received in a session, with one message in detail. */
export function MessageLog({ session, live }: MessageLogProps) {
  const { t } = useLingui()
  const { log, connection, hasEarlier, loadEarlier } = live
  const { search, onSearch } = useAddress(messageSearch)
  const reading = useLogReading(log, search.m)
  const { all, shown, selected, item: message, select, step, details } = reading
  const [filter, setFilter] = useState<MessageFilter>({ kind: search.kind, text: search.q ?? '' })

  useEffect(() => log.filter(messageTest(filter)), [log, filter])
  const { kind, text } = filter
  useEffect(() => {
    const timer = setTimeout(
      () => onSearch({ m: selected, kind, q: text || undefined }, { isTyping: true }),
      addressPause,
    )
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- the function is new with every render
  }, [selected, kind, text])

  const replay = useReplay(all)
  useShortcut({ keys: 'j', label: t`Next message` }, () => step(1))
  useShortcut({ keys: 'k', label: t`Previous message` }, () => step(-1))
  useShortcut(
    { keys: 'p', label: t`Pause or resume the log` },
    replay.isOn ? replay.toggle : reading.togglePause,
  )
  const isOpen = session.state === 'active'

  return (
    <div className={styles.work} data-open={message !== undefined}>
      <section className={styles.log} aria-label={t`Log`}>
        <Tools filter={filter} onFilter={setFilter} reading={reading} replay={replay} />
        {shown.length > 0 ? (
          <LogView
            label={t`Messages`}
            log={log}
            renderRow={(props) => <MessageRow {...props} />}
            pausedAt={replay.lastShown ?? reading.pausedAt}
            selected={selected}
            isFollowing={replay.isOn ? replay.isPlaying : reading.isFollowing && !reading.isPaused}
            onFollow={reading.setFollowing}
            onSelect={select}
            onOpen={() => details.current?.focus()}
          />
        ) : (
          <p className={styles.empty}>
            {all.length > 0 ? (
              <>
                <Trans>No message matches the filter.</Trans>
                <button
                  type="button"
                  className="button"
                  onClick={() => setFilter({ kind: undefined, text: '' })}
                >
                  <Trans>Show all</Trans>
                </button>
              </>
            ) : isOpen ? (
              <Trans>The device has not sent anything yet.</Trans>
            ) : (
              <Trans>The device sent nothing, or its messages have been deleted.</Trans>
            )}
          </p>
        )}
        <footer className={styles.footer}>
          <ConnectionText connection={connection} isOpen={isOpen} />
          {hasEarlier && (
            <button type="button" className="button small" onClick={() => void loadEarlier()}>
              <Trans>Load earlier messages</Trans>
            </button>
          )}
          <Unseen count={replay.isOn ? 0 : reading.unseen} />
          <span className={styles.end}>
            <Plural value={shown.length} one="# message" other="# messages" />
          </span>
        </footer>
      </section>
      {message && (
        <Details key={message.seq} ref={details} message={message} onClose={reading.deselect} />
      )}
    </div>
  )
}

interface ToolsProps {
  filter: MessageFilter
  onFilter: (filter: MessageFilter) => void
  reading: LogReading
  replay: Replay
}

function Tools({ filter, onFilter, reading, replay }: ToolsProps) {
  const { t } = useLingui()
  const { kinds } = useDeviceSessionWords()
  return (
    <div className={styles.tools}>
      <LogSearch
        label={t`Search messages`}
        text={filter.text}
        onChange={(text) => onFilter({ ...filter, text })}
      />
      <FilterMenu
        label={t({ message: 'Kind', context: 'of a message' })}
        options={messageKinds.map((value) => ({ value, label: kinds[value] }))}
        selected={filter.kind === undefined ? [] : [filter.kind]}
        isSingle
        onChange={([kind]) => onFilter({ ...filter, kind: kind as MessageKind | undefined })}
      />
      <LogToggles reading={reading} />
      <button
        type="button"
        className={`button icon ${styles.toggle}`}
        aria-pressed={replay.isOn}
        {...iconName(t`Replay the log in real time`)}
        onClick={replay.isOn ? replay.close : replay.start}
      >
        <History size={16} aria-hidden />
      </button>
      {replay.isOn && <ReplayBar replay={replay} />}
    </div>
  )
}

/** What a device handler made of a payload, or why it failed. */
function useDecodingText() {
  const { t } = useLingui()
  return ({ state, version, error }: NonNullable<LoggedMessage['decoding']>) => {
    if (state === 'waiting') return t`Not decoded yet`
    if (!error) return t`Decoded by version ${version ?? '?'}`
    const { line, message } = error
    return line === null ? message : t`Line ${line} of version ${version ?? '?'}: ${message}`
  }
}

interface DetailsProps {
  message: LoggedMessage
  ref: Ref<HTMLElement>
  onClose: () => void
}

function Details({ message, ref, onClose }: DetailsProps) {
  const { t } = useLingui()
  const { kindOf } = useDeviceSessionWords()
  const { place, kind, boot, sentAt, isClockOff, receivedAt, data, decoding } = message
  const text = jsonText(data)
  const decodingText = useDecodingText()
  const isSent = boot === ''
  return (
    <aside
      ref={ref}
      tabIndex={-1}
      className={pageStyles.details}
      aria-label={isSent ? kindOf(kind) : t`Message ${place}`}
    >
      <header>
        <h2>
          {!isSent && <span className="muted">#{place}</span>} {kindOf(kind)}
        </h2>
        <button
          type="button"
          className="button quiet icon small"
          {...iconName(t`Close the message`)}
          onClick={onClose}
        >
          <X size={14} aria-hidden />
        </button>
      </header>
      <FactLine>
        <Fact
          name={
            isSent
              ? t({ message: 'Sent to the device', context: 'a message' })
              : t({ message: 'Received', context: 'a message' })
          }
        >
          <DateText value={receivedAt} />
        </Fact>
        {!isSent && (
          <>
            <Fact name={t`By the device’s clock`}>
              <DateText value={sentAt} />
              {isClockOff && (
                <p className="muted">
                  <Trans>
                    This time is in the future or before the retention period. Values are shown by
                    the time of arrival.
                  </Trans>
                </p>
              )}
            </Fact>
            <Fact name={t({ message: 'Boot', context: 'of a device' })}>
              <code>{boot}</code>
            </Fact>
          </>
        )}
        {decoding && (
          <Fact name={t({ message: 'Device handler', context: 'of a message' })}>
            {decodingText(decoding)}
          </Fact>
        )}
      </FactLine>
      {decoding?.state === 'decoded' && (
        <pre className={pageStyles.json}>{jsonText(decoding.value)}</pre>
      )}
      <CopyButton value={text} />
      <pre className={pageStyles.json}>{text}</pre>
    </aside>
  )
}
