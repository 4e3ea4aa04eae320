import { readHex } from '@grove/secure-element/bytes'
import { commandName, installPurpose } from '@grove/secure-element/command-names'
import { attempt } from '@grove/secure-element/decode-error'
import { explainCommand, explainResponse } from '@grove/secure-element/explain-apdu'
import { statusWord } from '@grove/secure-element/status-word'
import { gsmtapPcap } from '@grove/secure-element/trace/gsmtap'
import type { ReadExchange, ReadTrace, TraceTool } from '@grove/secure-element/trace/read-trace'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, Download } from 'lucide-react'
import { useState } from 'react'
import { saveFile } from '../../../../ui/file/save-file.ts'
import { ExplainedBytes } from './explained-bytes.tsx'
import { termText } from './meaning-text.ts'
import styles from './trace-view.module.css'

/** Product names, the same in every language; undefined for a format that several tools share. */
const toolNames: Record<TraceTool, string | undefined> = {
  gp: 'GlobalPlatformPro',
  gpshell: 'GPShell',
  opensc: 'OpenSC',
  pcsc: 'PC/SC',
  pysim: 'pySim',
  pcap: 'GSMTAP',
  other: undefined,
}

/** The number of exchanges shown at first, and added at each press. */
const step = 200

/** The exchanges of another tool's trace, each decoded once it is opened. */
export function TraceView({ trace: { tool, exchanges } }: { trace: ReadTrace }) {
  const [shown, setShown] = useState(step)
  const name = toolNames[tool]
  const left = exchanges.length - shown
  return (
    <section className={styles.trace}>
      <div className={styles.head}>
        <span>
          <strong>
            {name === undefined ? <Trans>A trace</Trans> : <Trans>A trace of {name}</Trans>}
          </strong>{' '}
          <span className="muted">
            <Plural value={exchanges.length} one="# exchange" other="# exchanges" />
          </span>
        </span>
        <button type="button" className="button" onClick={() => savePcap(exchanges)}>
          <Download size={16} aria-hidden />
          <Trans>Save for Wireshark</Trans>
        </button>
      </div>
      <ol className={styles.exchanges}>
        {exchanges.slice(0, shown).map((exchange, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the list never changes its order
          <li key={index}>
            <Exchange exchange={exchange} number={index + 1} />
          </li>
        ))}
      </ol>
      {left > 0 && (
        <button type="button" className="button" onClick={() => setShown(shown + step)}>
          <Trans>Show more</Trans>
        </button>
      )}
    </section>
  )
}

function Exchange({ exchange, number }: { exchange: ReadExchange; number: number }) {
  const { i18n } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { command, reply } = exchange
  const word = reply === undefined ? undefined : statusWord(Number.parseInt(reply.slice(-4), 16))
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={styles.summary}>
        <span className={styles.number}>
          <ChevronRight size={14} aria-hidden />
          {number}
        </span>
        <strong>{nameOf(command)}</strong>
        <code className={styles.bytes}>{command}</code>
        {word ? (
          <span data-failed={word.kind === 'error' || undefined} className={styles.status}>
            {word.code} {i18n._(termText(`status.${word.name}`, word.value))}
          </span>
        ) : (
          <span className="muted">
            <Trans>no reply</Trans>
          </span>
        )}
      </summary>
      {isOpen && (
        <div className={styles.parts}>
          <Explained hex={command} isCommand />
          {reply !== undefined && <Explained hex={reply} isCommand={false} />}
        </div>
      )}
    </details>
  )
}

/** The name of a command, for INSTALL with its purpose; its header if it is unknown. */
function nameOf(hex: string): string {
  const [cla = 0, ins = 0, p1 = 0] = [0, 2, 4].map((at) =>
    Number.parseInt(hex.slice(at, at + 2), 16),
  )
  const name = commandName(cla & 0x80, ins)
  const purpose = name === 'INSTALL' ? installPurpose(p1) : undefined
  return purpose === undefined ? (name ?? hex.slice(0, 8)) : `${name} [${purpose}]`
}

function Explained({ hex, isCommand }: { hex: string; isCommand: boolean }) {
  const bytes = attempt(() => readHex(hex))
  const [now] = useState(() => new Date())
  const parts =
    bytes && attempt(() => (isCommand ? explainCommand(bytes, now) : explainResponse(bytes, now)))
  return bytes && parts ? (
    <ExplainedBytes bytes={bytes} parts={parts} />
  ) : (
    <code className={styles.bytes}>{hex}</code>
  )
}

function savePcap(exchanges: readonly ReadExchange[]) {
  const from = Date.now()
  const file = gsmtapPcap(
    exchanges.flatMap(({ command, reply, at }, index) => {
      const bytes = attempt(() => readHex(command))
      // A trace without timestamps keeps its order.
      return bytes
        ? [
            {
              at: at ?? from + index,
              command: bytes,
              reply: reply === undefined ? undefined : attempt(() => readHex(reply)),
            },
          ]
        : []
    }),
  )
  saveFile(new Blob([file.slice()], { type: 'application/vnd.tcpdump.pcap' }), 'trace.pcap')
}
