import type { Reader } from '@grove/contract/maple/card/reader'
import { chipId, icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus, SquareTerminal, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { useMinute } from '../../../../ui/i18n/shared-clock.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { Person } from '../../../../people/person.tsx'
import { Command, PairingSteps, WithKey } from './reader-commands.tsx'
import { codeOf, command, path, readers, refreshElements } from './reader.api.ts'
import { AtrText, ReaderStateBadge } from './reader.labels.tsx'

/** One card reader: how to connect it, or where it is and which card it holds. */
export function ReaderPanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={readers.one(panel.id)}
      title={({ name }) => name}
      missing={t`There is no reader with this ID. A reader without --state is forgotten when its program ends.`}
      renderActions={(reader) => <ReaderActions reader={reader} onGone={panel.onClose} />}
    >
      {(reader) => (
        <div className="form">
          {reader.state === 'waiting' && <Waiting reader={reader} />}
          {reader.state === 'away' && <Away />}
          <ReaderFacts reader={reader} />
          {reader.state === 'connected' && <CardFacts reader={reader} />}
        </div>
      )}
    </ItemPanel>
  )
}

function Waiting({ reader: { id } }: { reader: Reader }) {
  const code = codeOf(id, useMinute())
  return (
    <>
      {code === undefined ? (
        <p className="notice">
          <Trans>
            The pairing code was shown once and is valid for ten minutes. If you no longer have it,
            disconnect this reader and connect it again.
          </Trans>
        </p>
      ) : (
        <PairingSteps code={code} />
      )}
      <WithKey />
    </>
  )
}

function Away() {
  return (
    <div className="notice">
      <p>
        <Trans>
          Its program is not running, or cannot reach Grove. With a state file it reconnects:
        </Trans>
      </p>
      <Command text={command('--state reader.json')} />
    </div>
  )
}

function ReaderActions({ reader, onGone }: { reader: Reader; onGone: () => void }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { id, name, cplc, isKnown } = reader
  const register = (found: string) => {
    const serial = icSerial(found)
    return confirmed({
      question: {
        title: t`Register the element ${serial}?`,
        text: t`Grove then recognises the card by its CPLC, and sessions can reach it through any reader of this stage.`,
        action: t`Register`,
      },
      change: () => api.maple.post('/api/maple/se/element', { body: { cplc: found } }),
      done: () => t`The element is registered.`,
      refresh: refreshElements,
    })
  }
  const disconnect = () =>
    confirmed({
      question: {
        title: t`Disconnect “${name}”?`,
        text: t`Its program stops and its key becomes invalid. A session with its card fails. To connect it again, create a new pairing code.`,
        action: t`Disconnect`,
        isDanger: true,
      },
      change: () => api.maple.delete(path, { query: { id } }),
      done: () => t`The reader is disconnected.`,
      onDone: onGone,
      refresh: readers.refresh,
    })
  return (
    <>
      {cplc !== null && isKnown && (
        <Link
          className="button primary"
          to="/dashboard/maple/sessions/se"
          search={{ cplc, create: true }}
          preload={false}
        >
          <SquareTerminal size={16} aria-hidden />
          <Trans>Open a session</Trans>
        </Link>
      )}
      {cplc !== null && !isKnown && (
        <button type="button" className="button primary" onClick={() => void register(cplc)}>
          <Plus size={16} aria-hidden />
          <Trans>Register the element…</Trans>
        </button>
      )}
      <PanelAction icon={Unplug} label={t`Disconnect…`} onAct={() => void disconnect()} />
    </>
  )
}

function ReaderFacts({ reader }: { reader: Reader }) {
  const { t } = useLingui()
  const { state, pcscName, host, connectedAt, seenAt, createdAt, addedBy } = reader
  const place: [string, ReactNode][] =
    state === 'waiting'
      ? []
      : [
          [t`Machine`, <bdi key="host">{host ?? '–'}</bdi>],
          [t`Reader`, <bdi key="pcsc">{pcscName ?? '–'}</bdi>],
          connectedAt === null
            ? [t`Last seen`, seenAt === null ? '–' : <DateText key="seen" value={seenAt} />]
            : [t`Connected since`, <DateText key="since" value={connectedAt} />],
        ]
  return (
    <PanelFacts
      facts={[
        [t`State`, <ReaderStateBadge key="state" state={state} />],
        ...place,
        [t`Added`, <DateText key="added" value={createdAt} />],
        [t`Added by`, addedBy === null ? '–' : <Person key="by" id={addedBy} isCopyable />],
      ]}
    />
  )
}

function CardFacts({ reader: { atr, cplc, isKnown } }: { reader: Reader }) {
  const { t } = useLingui()
  if (atr === null)
    return (
      <p className="muted">
        <Trans>There is no card in the reader.</Trans>
      </p>
    )
  if (cplc === null)
    return (
      <PanelFacts
        facts={[
          [t`Card`, t`It has no CPLC and no other number, so Grove cannot recognise it.`],
          [t`Answer to reset`, <AtrText key="atr" atr={atr} />],
        ]}
      />
    )
  return (
    <PanelFacts
      facts={[
        [
          t`Card`,
          isKnown ? (
            <Link
              key="element"
              to="/dashboard/maple/secure_elements/$cplc"
              params={{ cplc }}
              preload={false}
            >
              {icSerial(cplc)}
            </Link>
          ) : (
            t`Not registered in this stage`
          ),
        ],
        ['CPLC', <CopyableId key="cplc" value={cplc} />],
        [t`Chip ID`, <code key="chip">{chipId(cplc)}</code>],
        [t`Answer to reset`, <AtrText key="atr" atr={atr} />],
      ]}
    />
  )
}
