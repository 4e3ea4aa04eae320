import type { Exchange } from '@grove/contract/maple/card/session'
import type { Redaction } from '@grove/contract/maple/card/session.rules'
import type { Part } from '@grove/secure-element/part'
import { Trans, useLingui } from '@lingui/react/macro'
import { EyeOff, Lightbulb, Repeat2, TriangleAlert, X } from 'lucide-react'
import { useMemo, useState, type ReactNode, type Ref } from 'react'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { iconName } from '../../../../../ui/kit/tooltip.ts'
import { CopyButton } from '../../../../../ui/text/copy-button.tsx'
import { ByteTable } from '../../../base/decode/byte-table.tsx'
import { partAt } from '../../../base/decode/part-at.ts'
import { PartTree, type PartChoice } from '../../../base/decode/part-tree.tsx'
import styles from './exchange-details.module.css'
import { messagesOf, useMessageTitles, type Message } from './exchange-messages.ts'
import { exchangeWords } from './exchange-words.ts'
import { likelyCause } from './likely-cause.ts'
import { CommandWords, latencyText, StatusWords } from './log-row.tsx'

/** A part, and the message it belongs to. */
interface PlacedPart {
  message: Message
  part: Part
}

interface ExchangeDetailsProps {
  exchange: Exchange
  /** The MAC length of the secure channel, in bytes. */
  macLength: 8 | 16
  ref: Ref<HTMLElement>
  /** Puts the bytes into the field for raw commands; undefined if none can be sent. */
  onReuse: ((hex: string) => void) | undefined
  /** The bytes are shown as they went over the transport. */
  isWrapped: boolean
  onClose: () => void
}

/** One exchange: every byte of it explained, and why it may have failed. */
export function ExchangeDetails(props: ExchangeDetailsProps) {
  const { exchange, macLength, ref, onReuse, isWrapped, onClose } = props
  const { t, i18n } = useLingui()
  const { seq, at, latencyMs, command, redacted } = exchange
  const titles = useMessageTitles()
  const messages = useMemo(() => messagesOf(exchange, macLength), [exchange, macLength])
  const [chosen, setChosen] = useState<PlacedPart>()
  const [pointed, setPointed] = useState<PlacedPart>()
  const [toggled, setToggled] = useState<Readonly<Record<string, boolean>>>({})
  // The bytes on the transport stay folded unless the log shows them.
  const keyOf = ({ name }: Message) => `${name} ${isWrapped}`
  const isOpen = (message: Message) => toggled[keyOf(message)] ?? (isWrapped || !message.isWrapped)
  // Focus that moved later wins over a pointer resting on another part.
  const choose = (place: PlacedPart | undefined) => {
    setPointed(undefined)
    setChosen(place)
  }
  const placed = (message: Message, part: Part | undefined) => part && { message, part }
  const partOf = (place: PlacedPart | undefined, message: Message) =>
    place?.message === message ? place.part : undefined
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
      <div className={styles.panes}>
        <div className={styles.explained}>
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
          {messages.map((message) => (
            <MessageParts
              key={message.name}
              message={message}
              isOpen={isOpen(message)}
              onToggle={(open) => setToggled({ ...toggled, [keyOf(message)]: open })}
              reason={redacted?.reason}
              marked={partOf(chosen, message)}
              pointed={partOf(pointed, message)}
              onFocus={(part) => choose(placed(message, part))}
              onPoint={(part) => setPointed(placed(message, part))}
              actions={
                message.name === 'command' &&
                command !== null &&
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
          ))}
        </div>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
        <section className={styles.bytes} tabIndex={0} aria-label={t`Bytes`}>
          {messages.filter(isOpen).map((message) => {
            const { name, bytes, hidden, tree } = message
            const partAtByte = (byte: number) =>
              placed(message, partAt(tree?.parts ?? [], byte, hidden))
            return (
              <div key={name}>
                <p className="muted">{titles[name]}</p>
                <ByteTable
                  label={titles[name]}
                  bytes={bytes}
                  hidden={hidden}
                  marked={partOf(pointed ?? chosen, message)}
                  chosen={partOf(chosen, message)}
                  onPoint={(byte) => setPointed(byte === undefined ? undefined : partAtByte(byte))}
                  onChoose={(byte) => choose(partAtByte(byte))}
                />
              </div>
            )
          })}
        </section>
      </div>
    </aside>
  )
}

/** The outcome, with its likely cause. */
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

interface MessagePartsProps extends Omit<PartChoice, 'hidden'> {
  message: Message
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
  reason: Redaction | undefined
  actions: ReactNode
}

/** What the bytes of a message mean, part by part. */
function MessageParts(props: MessagePartsProps) {
  const { message, isOpen, onToggle, reason, actions, ...choice } = props
  const { i18n } = useLingui()
  const titles = useMessageTitles()
  const { name, hex, bytes, hidden, tree } = message
  const length = i18n.number(bytes.length)
  return (
    <details
      className={styles.message}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) onToggle(currentTarget.open)
      }}
    >
      <summary>
        <h3>{titles[name]}</h3>
        <span className="muted">
          <Trans>{length} B</Trans>
        </span>
      </summary>
      <div className={styles.actions}>
        {!hidden && <CopyButton value={hex} />}
        {actions}
      </div>
      {hidden && reason && <Hidden reason={reason} />}
      {tree && <PartTree tree={tree} hidden={hidden} {...choice} />}
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
