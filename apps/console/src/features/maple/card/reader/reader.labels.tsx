import type { Reader } from '@grove/contract/maple/card/reader'
import { readAtr } from '@grove/secure-element/atr'
import { readHex } from '@grove/secure-element/bytes'
import { icSerial } from '@grove/secure-element/cplc'
import { attempt } from '@grove/secure-element/decode-error'
import { Trans, useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const kinds: Record<Reader['state'], StateKind> = {
  connected: 'good',
  waiting: 'waiting',
  away: 'idle',
}

export function ReaderStateBadge({ state }: Pick<Reader, 'state'>) {
  const { t } = useLingui()
  const words: Record<Reader['state'], string> = {
    connected: t({ message: 'Connected', context: 'a card reader' }),
    waiting: t({ message: 'Waiting for its program', context: 'a card reader' }),
    away: t({ message: 'Offline', context: 'a card reader' }),
  }
  return <StateBadge kind={kinds[state]} text={words[state]} />
}

/** The card in a reader, in a few words. */
export function CardText({ state, atr, cplc, isKnown }: Reader) {
  const { t } = useLingui()
  if (state !== 'connected') return '–'
  if (atr === null)
    return (
      <span className="muted">
        <Trans>No card</Trans>
      </span>
    )
  if (cplc === null) return <Trans>A card without a CPLC</Trans>
  const serial = icSerial(cplc)
  return (
    <>
      <code>{serial}</code>
      {!isKnown && (
        <>
          {' '}
          <StateBadge kind="warning" text={t`not registered`} />
        </>
      )}
    </>
  )
}

/** The card's answer to reset, in words. */
export function AtrText({ atr }: { atr: string }) {
  const { t } = useLingui()
  const found = attempt(() => readAtr(readHex(atr)))
  if (!found) return t`This is not an answer to reset.`
  const { protocols, historical, isCheckRight } = found
  const names = protocols.map((protocol) => `T=${protocol}`).join(', ')
  const text = String.fromCharCode(...historical)
  const isText = /^[\x20-\x7e]+$/.test(text)
  return (
    <>
      <code>{atr}</code>
      <div>
        {t`Protocols: ${names}`}
        {isText && ` · ${t`It identifies itself as “${text.trim()}”.`}`}
        {isCheckRight === false && ` · ${t`Its check byte is wrong.`}`}
      </div>
    </>
  )
}
