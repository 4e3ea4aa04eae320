import type { Exchange } from '@grove/contract/maple/card/session'
import type { Redaction } from '@grove/contract/maple/card/session.rules'
import { attempt } from '@grove/secure-element/decode-error'
import { readHex } from '@grove/secure-element/bytes'
import { explainCommand, explainResponse } from '@grove/secure-element/explain-apdu'
import type { Part } from '@grove/secure-element/part'
import { Trans, useLingui } from '@lingui/react/macro'
import { EyeOff, Lightbulb, Repeat2, TriangleAlert, X } from 'lucide-react'
import { useMemo, type ReactNode, type Ref } from 'react'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { iconName } from '../../../../../ui/kit/tooltip.ts'
import { CopyButton } from '../../../../../ui/text/copy-button.tsx'
import { ByteDump } from '../../../base/decode/byte-dump.tsx'
import { ExplainedBytes } from '../../../base/decode/explained-bytes.tsx'
import styles from './exchange-details.module.css'
import { exchangeWords } from './exchange-words.ts'
import { likelyCause } from './likely-cause.ts'
import { CommandWords, latencyText, StatusWords } from './log-row.tsx'

interface ExchangeDetailsProps {
  exchange: Exchange
  ref: Ref<HTMLElement>
  /** Puts the bytes into the field for raw commands; undefined where nobody may send any. */
  onReuse: ((hex: string) => void) | undefined
  /** The reader looks at the bytes as they went over the transport. */
  isWrapped: boolean
  onClose: () => void
}

/** One exchange: every byte of it explained, and why it may have failed. */
export function ExchangeDetails({
  exchange,
  ref,
  onReuse,
  isWrapped,
  onClose,
}: ExchangeDetailsProps) {
  const { t, i18n } = useLingui()
  const { seq, at, latencyMs, command, reply, wrapped, redacted } = exchange
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut, not the only way
    <aside
      ref={ref}
      tabIndex={-1}
      className={styles.details}
      aria-label={t`Exchange ${seq}`}
      onKeyDown={({ key, defaultPrevented }) => {
        if (key === 'Escape' && !defaultPrevented) onClose()
      }}
    >
      <header className={styles.head}>
        <h2>
          <span className="muted">#{seq}</span> <CommandWords exchange={exchange} />
        </h2>
        <button
          type="button"
          className="button quiet icon small"
          {...iconName(t`Close the exchange`)}
          onClick={onClose}
        >
          <X size={14} aria-hidden />
        </button>
        <p className="muted">
          <DateText value={at} />
          {latencyMs !== null && ` · ${latencyText(latencyMs, i18n.locale)}`}
        </p>
      </header>
      <Outcome exchange={exchange} />
      {command !== null && (
        <Bytes
          title={t`Command`}
          hex={command}
          at={at}
          explain={explainCommand}
          hidden={redacted?.command}
          reason={redacted?.reason}
          actions={
            onReuse &&
            !redacted && (
              <button
                type="button"
                className="button quiet icon small"
                {...iconName(t`Edit and resend these bytes`)}
                onClick={() => onReuse(command)}
              >
                <Repeat2 size={14} aria-hidden />
              </button>
            )
          }
        />
      )}
      {reply !== null && <Bytes title={t`Reply`} hex={reply} at={at} explain={explainResponse} />}
      {typeof wrapped?.command === 'string' && (
        <Bytes
          title={t`Command as sent over the transport`}
          hex={wrapped.command}
          at={at}
          explain={explainCommand}
          hidden={redacted?.wrapped}
          reason={redacted?.reason}
          isFolded={!isWrapped}
        />
      )}
      {typeof wrapped?.reply === 'string' && (
        <Bytes
          title={t`Reply as received over the transport`}
          hex={wrapped.reply}
          at={at}
          explain={explainResponse}
          isFolded={!isWrapped}
        />
      )}
    </aside>
  )
}

/** What came of it, with its likely cause. */
function Outcome({ exchange }: { exchange: Exchange }) {
  const { t, i18n } = useLingui()
  const { outcome, statusWord, problem } = exchange
  const cause = statusWord && likelyCause(exchangeWords(exchange).name, statusWord)
  return (
    <div className={styles.outcome} data-failed={exchange.isFailed || outcome === 'unknown'}>
      <StatusWords exchange={exchange} />
      {outcome === 'unknown' && (
        <p>
          <TriangleAlert size={14} aria-hidden />
          {t`The card may or may not have run this command: the outcome is unknown, and it is not resent automatically. Read the card before you repeat it.`}
        </p>
      )}
      {problem && (
        <p>
          <TriangleAlert size={14} aria-hidden />
          {problem}
        </p>
      )}
      {cause && (
        <p>
          <Lightbulb size={14} aria-hidden />
          {i18n._(cause)}
        </p>
      )}
    </div>
  )
}

interface BytesProps {
  title: string
  hex: string
  at: string
  explain: (bytes: Uint8Array, now: Date) => Part[]
  hidden?: readonly [number, number] | null | undefined
  reason?: Redaction | undefined
  actions?: ReactNode
  isFolded?: boolean
}

function Bytes({ title, hex, at, explain, hidden, reason, actions, isFolded = false }: BytesProps) {
  const { i18n } = useLingui()
  // Dates of chips are read as of the day of the exchange.
  const now = useMemo(() => new Date(at), [at])
  const bytes = useMemo(() => readHex(hex), [hex])
  const parts = useMemo(() => attempt(() => explain(bytes, now)), [bytes, explain, now])
  const range = hidden ? { from: hidden[0], to: hidden[1] } : undefined
  const length = i18n.number(bytes.length)
  return (
    <details className={styles.bytes} open={!isFolded}>
      <summary>
        <h3>{title}</h3>
        <span className="muted">
          <Trans>{length} B</Trans>
        </span>
      </summary>
      <div className={styles.actions}>
        {!range && <CopyButton value={hex} />}
        {actions}
      </div>
      {range && reason && <Hidden reason={reason} />}
      {parts ? (
        <ExplainedBytes bytes={bytes} parts={parts} hidden={range} />
      ) : (
        <ByteDump bytes={bytes} marked={undefined} hidden={range} />
      )}
    </details>
  )
}

function Hidden({ reason }: { reason: Redaction }) {
  const { t } = useLingui()
  const words: Record<Redaction, string> = {
    keys: t`The command contains new keys: they were sent to the card and never stored.`,
    pin: t`The command contains a PIN: it was sent to the card and never stored.`,
    secret: t`The data was marked as secret: it was sent to the card and never stored.`,
  }
  return (
    <p className={styles.hidden}>
      <EyeOff size={14} aria-hidden />
      {words[reason]}
    </p>
  )
}
