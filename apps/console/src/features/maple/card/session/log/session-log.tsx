import type { ElementSession } from '@grove/contract/maple/card/session'
import { isLive } from '@grove/contract/maple/card/session.rules'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useShortcut } from '../../../../../ui/keyboard/shortcuts.ts'
import { useAddress } from '../../../../../ui/table/use-address.ts'
import { ConnectionText } from '../../../base/live/connection-text.tsx'
import { Unseen } from '../../../base/live/log-toggles.tsx'
import { LogView } from '../../../base/live/log-view.tsx'
import styles from '../../../base/live/log.module.css'
import { useLogReading } from '../../../base/live/use-log-reading.ts'
import { sessionPageSearch } from '../session.search.ts'
import { useSessionLog } from '../stream/use-session-log.ts'
import { ExchangeDetails } from './exchange-details.tsx'
import { exchangeTest, type ExchangeFilter } from './exchange-filter.ts'
import { loadEarlier } from './load-earlier.ts'
import { LogTools } from './log-tools.tsx'
import { CommandWords, LogRow } from './log-row.tsx'
import { macLengthAt } from './mac-length.ts'

/** The URL follows the reader, but not every repeat of a key held down. */
const addressPause = 300

interface SessionLogProps {
  session: ElementSession
  /** Puts bytes into the field for raw commands. */
  onReuse: ((hex: string) => void) | undefined
}

/** The log of a session, with one exchange of it in detail. */
export function SessionLog({ session, onReuse }: SessionLogProps) {
  const { t } = useLingui()
  const { search, onSearch } = useAddress(sessionPageSearch)
  const { log, connection, waiting, firstError } = useSessionLog(session)
  const reading = useLogReading(log, search.x)
  const { all, shown, selected, item: exchange, select, step, details } = reading
  const [filter, setFilter] = useState<ExchangeFilter>({
    isFailedOnly: search.only === 'failed',
    text: search.q ?? '',
  })
  const [isWrapped, setWrapped] = useState(search.bytes === 'wrapped')
  const part = useRef<HTMLElement>(null)
  const client = useQueryClient()

  useEffect(() => log.filter(exchangeTest(filter)), [log, filter])
  const address = useMemo(
    () => ({
      x: selected,
      only: filter.isFailedOnly ? 'failed' : undefined,
      bytes: isWrapped ? 'wrapped' : undefined,
      q: filter.text || undefined,
    }),
    [selected, filter, isWrapped],
  )
  useEffect(() => {
    const isShown = (['x', 'only', 'bytes', 'q'] as const).every(
      (name) => address[name] === search[name],
    )
    if (isShown) return
    const timer = setTimeout(() => onSearch(address, { isTyping: true }), addressPause)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- the function is new with every render
  }, [address])

  const first = all[0]?.seq
  const close = () => {
    reading.deselect()
    part.current?.querySelector<HTMLElement>('[role=listbox]')?.focus()
  }
  useShortcut({ keys: 'j', label: t`Next exchange` }, () => step(1))
  useShortcut({ keys: 'k', label: t`Previous exchange` }, () => step(-1))

  const toFirstError = async (seq: number) => {
    if (first !== undefined && seq < first) log.prepend(await loadEarlier(client, session.id, seq))
    setFilter({ ...filter, text: '' })
    select(seq)
  }

  return (
    <div className={styles.work} data-open={exchange ? 'bytes' : false}>
      <section ref={part} className={styles.log} aria-label={t`Log`}>
        <LogTools
          filter={filter}
          onFilter={setFilter}
          isWrapped={isWrapped}
          onWrapped={setWrapped}
          reading={reading}
          onFirstError={firstError === undefined ? undefined : () => void toFirstError(firstError)}
        />
        {shown.length > 0 ? (
          <LogView
            log={log}
            pausedAt={reading.pausedAt}
            selected={selected}
            label={t`Exchanges`}
            renderRow={(props) => <LogRow {...props} isWrapped={isWrapped} />}
            isFollowing={reading.isFollowing && !reading.isPaused}
            onFollow={reading.setFollowing}
            onSelect={select}
            onOpen={() => details.current?.focus()}
          />
        ) : (
          <p className={styles.empty}>
            {all.length > 0 ? (
              <>
                <Trans>No exchange matches the filter.</Trans>
                <button
                  type="button"
                  className="button"
                  onClick={() => setFilter({ isFailedOnly: false, text: '' })}
                >
                  <Trans>Show all</Trans>
                </button>
              </>
            ) : isLive(session.state) ? (
              <Trans>Nothing has been sent yet. Send a command below.</Trans>
            ) : (
              <Trans>The session ended before anything was sent.</Trans>
            )}
          </p>
        )}
        <footer className={styles.footer}>
          <ConnectionText connection={connection} isOpen={isLive(session.state)} />
          {waiting && isLive(session.state) && (
            <span>
              <Trans>
                Waiting for the card: <CommandWords exchange={waiting} />
              </Trans>
            </span>
          )}
          {first !== undefined && first > 1 && (
            <button
              type="button"
              className="button small"
              onClick={() =>
                void loadEarlier(client, session.id, first - 1).then((items) => log.prepend(items))
              }
            >
              <Trans>Load earlier exchanges</Trans>
            </button>
          )}
          <Unseen count={reading.unseen} />
          <span className={styles.end}>
            <Counts shown={shown.length} all={Math.max(session.exchanges, all.length)} />
          </span>
        </footer>
      </section>
      {exchange && (
        <ExchangeDetails
          key={exchange.seq}
          ref={details}
          exchange={exchange}
          macLength={macLengthAt(all, exchange.seq)}
          onReuse={onReuse}
          isWrapped={isWrapped}
          onClose={close}
        />
      )}
    </div>
  )
}

function Counts({ shown, all }: { shown: number; all: number }) {
  const { i18n } = useLingui()
  if (shown >= all) return <Plural value={all} one="# exchange" other="# exchanges" />
  return (
    <Trans>
      {i18n.number(shown)} of {i18n.number(all)}
    </Trans>
  )
}
