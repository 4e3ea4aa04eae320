import { Plural, useLingui } from '@lingui/react/macro'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { cplcDigits } from '@grove/secure-element/cplc'
import { decode, type Decoded, type DecodedKind } from '@grove/secure-element/decode'
import { attempt, DecodeError } from '@grove/secure-element/decode-error'
import { Camera, FileText } from 'lucide-react'
import {
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { isPcap, readPcap } from '@grove/secure-element/trace/read-pcap'
import { maxTraceLength, readTrace, type ReadTrace } from '@grove/secure-element/trace/read-trace'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { useFileChoice } from '../../../../ui/file/use-file-choice.tsx'
import { useFileDrop } from '../../../../ui/file/use-file-drop.ts'
import { ByteDump } from './byte-dump.tsx'
import { ChipFacts } from './chip-facts.tsx'
import { CplcView } from './cplc-view.tsx'
import styles from './decode-dialog.module.css'
import { errorLabels } from './decode-error.labels.ts'
import { ExplainedBytes } from './explained-bytes.tsx'
import { kindLabels } from './kind.labels.ts'
import { canScan } from './scan.ts'
import { ScanView } from './scan-view.tsx'
import { TraceView } from './trace-view.tsx'

export interface DecodeDialogProps {
  /** The initial input. */
  text?: string
  /** What a page offers for a CPLC, such as a link to its element. */
  actions?: (cplc: string) => ReactNode
  onClose: () => void
}

/** Decodes pasted or scanned bytes, updating on every key. */
export function DecodeDialog({ text: given = '', actions, onClose }: DecodeDialogProps) {
  const { t } = useLingui()
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // A dialog focuses its first button when it opens.
  useEffect(() => field.current?.focus(), [])
  const [text, setText] = useState(given)
  const [kind, setKind] = useState<DecodedKind>()
  const [isScanning, setScanning] = useState(false)
  const typed = useDeferredValue(text)
  const result = useMemo(() => decoded(typed, kind), [typed, kind])

  const [packets, setPackets] = useState<ReadTrace>()
  const [problem, setProblem] = useState<string>()
  const pasted = useMemo(
    () => (result instanceof DecodeError ? readTrace(typed) : undefined),
    [result, typed],
  )
  const trace = packets ?? pasted

  const change = (next: string) => {
    setText(next)
    setKind(undefined)
    setPackets(undefined)
    setProblem(undefined)
  }
  const read = async (file: File | undefined) => {
    if (!file) return
    if (file.size > maxTraceLength) return setProblem(t`This file is too large.`)
    const content = new Uint8Array(await file.arrayBuffer())
    if (!isPcap(content)) return change(new TextDecoder().decode(content))
    const found = readPcap(content)
    change('')
    if (found.exchanges.length > 0) setPackets(found)
    else setProblem(t`This file has no exchanges with a card (GSMTAP).`)
  }
  const onFiles = ([file]: File[]) => void read(file)
  const { choose, input } = useFileChoice({ accept: '.pcap,.pcapng,.log,.txt,text/plain', onFiles })
  const { isOver, dropProps } = useFileDrop({ onFiles })
  return (
    <Dialog title={t`Decode bytes`} size="content" closeLabel={t`Close`} onClose={onClose}>
      <div className={styles.content} {...dropProps} data-over={isOver || undefined}>
        <div className="field">
          <label
            htmlFor={id}
          >{t`CPLC, reply, APDU or AID in hex, or a trace of another tool`}</label>
          <textarea
            id={id}
            className={`input mono ${styles.text}`}
            rows={3}
            value={text}
            placeholder="9F7F2A…"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            ref={field}
            aria-describedby={`${id}-result`}
            aria-invalid={(!trace && isWrong(result)) || undefined}
            onChange={(event) => change(event.target.value)}
          />
        </div>
        <div className="actions">
          {canScan() && (
            <button
              type="button"
              className="button"
              aria-expanded={isScanning}
              onClick={() => setScanning(!isScanning)}
            >
              <Camera size={16} aria-hidden />
              {isScanning ? t`Stop the camera` : t`Scan a code`}
            </button>
          )}
          <button type="button" className="button" onClick={choose}>
            <FileText size={16} aria-hidden />
            {t`Open a trace…`}
          </button>
          {input}
        </div>
        {isScanning && (
          <ScanView
            onText={(found) => {
              setScanning(false)
              change(found)
            }}
          />
        )}
        <output id={`${id}-result`} className={styles.status}>
          {problem === undefined ? (
            !trace &&
            (result instanceof DecodeError ? (
              <Problem error={result} />
            ) : (
              <Kind result={result} onChange={setKind} />
            ))
          ) : (
            <span className="field-error">{problem}</span>
          )}
        </output>
        {trace ? (
          <TraceView trace={trace} />
        ) : result instanceof DecodeError ? (
          <WrongByte text={typed} error={result} />
        ) : (
          <Explanation result={result} actions={actions} />
        )}
      </div>
    </Dialog>
  )
}

function decoded(text: string, as: DecodedKind | undefined): Decoded | DecodeError {
  try {
    return decode(text, as && { as })
  } catch (error) {
    if (error instanceof DecodeError) return error
    throw error
  }
}

const isWrong = (result: Decoded | DecodeError) =>
  result instanceof DecodeError && result.code !== 'empty'

function Problem({ error }: { error: DecodeError }) {
  const { i18n } = useLingui()
  const { code, at, expected = '', found = '' } = error
  return (
    <span className={code === 'empty' ? 'field-hint' : 'field-error'}>
      {i18n._(errorLabels[code]({ at, expected, found }))}
    </span>
  )
}

/** The bytes with the wrong one highlighted, if they could be read at all. */
function WrongByte({ text, error: { at } }: { text: string; error: DecodeError }) {
  const bytes = attempt(() => readHex(text))
  return bytes && <ByteDump bytes={bytes} marked={{ from: at, to: at + 1 }} isWrong />
}

interface KindProps {
  result: Decoded
  onChange: (kind: DecodedKind) => void
}

function Kind({ result: { kind, alternatives, bytes }, onChange }: KindProps) {
  const { i18n, t } = useLingui()
  const { length } = bytes
  return (
    <span className={styles.kind}>
      {alternatives.length === 0 ? (
        <strong>{i18n._(kindLabels[kind])}</strong>
      ) : (
        <select
          className="select"
          aria-label={t`Decode as`}
          value={kind}
          onChange={(event) => {
            const chosen = alternatives.find((other) => other === event.target.value)
            if (chosen) onChange(chosen)
          }}
        >
          {[kind, ...alternatives].map((each) => (
            <option key={each} value={each}>
              {i18n._(kindLabels[each])}
            </option>
          ))}
        </select>
      )}
      <span className="muted">
        <Plural value={length} one="# byte" other="# bytes" />
      </span>
    </span>
  )
}

function Explanation({
  result,
  actions,
}: {
  result: Decoded
  actions: DecodeDialogProps['actions']
}) {
  const { kind, bytes, parts } = result
  if (kind !== 'cplc' && kind !== 'cplcReply') return <ExplainedBytes bytes={bytes} parts={parts} />
  const from = kind === 'cplc' ? 0 : 3
  const cplc = toHex(bytes.subarray(from, from + cplcDigits / 2))
  return (
    <>
      <ChipFacts cplc={cplc} />
      <CplcView cplc={cplc} />
      {actions && <div className="actions">{actions(cplc)}</div>}
    </>
  )
}
