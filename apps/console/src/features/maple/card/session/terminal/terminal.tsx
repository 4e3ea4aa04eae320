import type { ElementSession, RanCommand } from '@grove/contract/maple/card/session'
import { securityLevelTexts } from '@grove/contract/maple/card/session.rules'
import { sessionCommandKinds } from '@grove/secure-element/host/command-kinds'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight, Send, Square } from 'lucide-react'
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { api } from '../../../../../session/api.ts'
import { useTypedDraft } from '../../../../../ui/form/use-typed-draft.ts'
import commandStyles from '../../command/command.module.css'
import { SendProblem } from '../command/send-problem.tsx'
import { useLines } from '../command/use-lines.ts'
import { useSend } from '../command/use-send.ts'
import { path } from '../session.api.ts'
import { completed, completionOf, isHelp } from './complete.ts'
import { lineRefusals } from './line.labels.ts'
import { aidsQuery } from './terminal.api.ts'
import { placeOf, readLines, type TerminalLine, type TerminalStep } from './terminal-line.ts'
import styles from './terminal.module.css'

interface TerminalProps {
  session: ElementSession
  refusal: string | undefined
  /** Has the keyboard focus. */
  takesFocus?: boolean
}

/** The outcome of the last lines, unless the log shows it. */
interface Said {
  lines: TerminalLine[]
  /** The card refused a command that others were to follow. */
  stopped?: { line: string; statusWord: string }
}

/** A prompt for bytes, and for commands of GPShell and `gp`. What they send is in the log. */
export function Terminal({ session, refusal, takesFocus = false }: TerminalProps) {
  const { t, i18n } = useLingui()
  const id = useId()
  const [text, setText] = useState('')
  const [said, setSaid] = useState<Said>()
  const [isRunning, setRunning] = useState(false)
  const isStopped = useRef(false)
  const unsent = useRef<string>(undefined)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => () => void (isStopped.current = true), [])
  useEffect(() => {
    if (takesFocus) field.current?.focus()
  }, [takesFocus])
  const { send, problem, forget } = useSend()
  const { data: aids = [] } = useQuery(aidsQuery(session.cplc))
  const isKept = readLines(text, placeOf(session)).every((line) => line.isKept)
  useTypedDraft('terminal', {
    typed: { text: isKept ? text : '' },
    first: { text: '' },
    restore: (draft) => setText(draft.text),
  })
  const lines = useLines('terminal', setText)
  const completion = completionOf(text, aids)

  const submit = async () => {
    if (refusal !== undefined || isRunning || text.trim() === '' || isHelp(text)) return
    const read = readLines(text, placeOf(session))
    setSaid({ lines: read.filter(({ refused, hasKeys }) => refused.length > 0 || hasKeys) })
    // A script with a mistake sends nothing, so that it can be corrected and sent as a whole.
    if (read.some(({ refused }) => refused.length > 0)) return
    const steps = read.flatMap((line, at) =>
      line.steps.map((step) => ({ step, at, on: line.logicalChannel })),
    )
    // Only the same command may ask for its outcome; another must not get its answer.
    if (unsent.current !== text) forget()
    isStopped.current = false
    for (const line of read) if (line.isKept) lines.add(line.text)
    setRunning(true)
    // Immediately, so that the next line can be typed meanwhile.
    setText('')
    let next = 0
    try {
      for (const [index, { step, at, on }] of steps.entries()) {
        next = index
        if (isStopped.current) return
        const ran = await send((command) => sendStep(session.id, command, step, on))
        if (!ran) return
        const statusWord = ran.items.at(-1)?.statusWord ?? ''
        if (index < steps.length - 1 && !/^(9|6[1-3])/.test(statusWord)) {
          setSaid({ lines: [], stopped: { line: read[at]?.text ?? '', statusWord } })
          return
        }
      }
      next = steps.length
    } finally {
      setRunning(false)
      // The line that failed, or was stopped at, comes back with those after it.
      const from = steps[next]?.at ?? read.length
      const left = read
        .slice(from)
        .map((line) => line.text)
        .join('\n')
      const beginsLine = steps[next - 1]?.at !== from
      unsent.current = beginsLine ? left : undefined
      setText((typed) => (typed === '' ? left : typed))
      field.current?.focus()
    }
  }
  const change = (typed: string) => {
    setText(typed)
    setSaid(undefined)
    forget()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void submit()
    }
    if (event.key === 'Tab' && !event.shiftKey && completion.candidates.length > 0) {
      const next = completed(text, completion)
      // A second Tab in the same place leaves the field.
      if (next === text) return
      event.preventDefault()
      change(next)
    }
    if (event.key === 'ArrowUp' && lines.back(text)) event.preventDefault()
    if (event.key === 'ArrowDown' && lines.forth()) event.preventDefault()
  }

  return (
    <form
      className={commandStyles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <div className={styles.prompt}>
        <ChevronRight size={16} aria-hidden />
        <textarea
          ref={field}
          className={`input mono ${styles.line}`}
          rows={Math.min(8, text.split('\n').length)}
          value={text}
          placeholder="get_status -element 40"
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          aria-label={t`Command line`}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => change(target.value)}
          onKeyDown={onKeyDown}
        />
        {isRunning ? (
          <button type="button" className="button" onClick={() => (isStopped.current = true)}>
            <Square size={16} aria-hidden />
            {t`Stop`}
          </button>
        ) : (
          <button type="submit" className="button primary" aria-disabled={refusal !== undefined}>
            <Send size={16} aria-hidden />
            {t`Send`}
          </button>
        )}
      </div>
      {completion.candidates.length > 0 && (
        <ul className={styles.candidates} aria-label={t`Completions`}>
          {completion.candidates.map((candidate) => (
            <li key={candidate}>
              <button
                type="button"
                className="mono"
                tabIndex={-1}
                onClick={() => {
                  change(`${text.slice(0, completion.from)}${candidate} `)
                  field.current?.focus()
                }}
              >
                {candidate}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div id={`${id}-hint`} className="field-hint">
        <Trans>
          Bytes in hex, commands of GPShell or options of gp. Tab completes, the up arrow brings
          back earlier lines, and several lines are sent one after the other. manage_channel open
          opens a logical channel, and “on 1” before a command sends it there.
        </Trans>
      </div>
      {said && (
        <output className={styles.said}>
          {said.lines.map((line) => (
            <div key={line.text}>
              {line.refused.map((each) => (
                <p key={`${each.reason} ${each.text}`} className="field-error">
                  <code>{each.text}</code>: {i18n._(lineRefusals[each.reason])}
                </p>
              ))}
              {line.hasKeys && line.refused.length === 0 && (
                <p className="muted">
                  {t`The keys in it are not used: Grove has those of the element.`}
                </p>
              )}
            </div>
          ))}
          {said.stopped && <Stopped {...said.stopped} />}
        </output>
      )}
      <SendProblem problem={problem} />
      {refusal !== undefined && <p className="field-hint">{refusal}</p>}
    </form>
  )
}

function Stopped({ line, statusWord }: NonNullable<Said['stopped']>) {
  const { t } = useLingui()
  return (
    <p className="field-error">
      <code>{line}</code>: {t`the card answered ${statusWord}. What follows was not sent.`}
    </p>
  )
}

/** Sends a step with the call for its kind. */
function sendStep(
  session: string,
  id: string,
  step: TerminalStep,
  on: number,
): Promise<RanCommand> {
  const where = on > 0 && { logicalChannel: on }
  const { kind, values } = step
  const params = { id: session }
  if (kind === 'openChannel') {
    const { level, keyVersion } = values
    return api.maple.post(`${path}/{id}/channel`, {
      params,
      body: {
        id,
        level: securityLevelTexts.find((each) => each === level) ?? '03',
        ...(typeof keyVersion === 'number' && { keyVersion }),
        ...where,
      },
    })
  }
  if (kind === 'raw')
    return api.maple.post(`${path}/{id}/raw`, {
      params,
      body: {
        id,
        command: String(values['command']),
        ...(values['isPlain'] === true && { isPlain: true }),
      },
    })
  const known = sessionCommandKinds.find((each) => each === kind)
  if (!known) throw new Error(`A session has no ${kind}.`)
  return api.maple.post(`${path}/{id}/command`, {
    params,
    body: { id, kind: known, values, ...where },
  })
}
