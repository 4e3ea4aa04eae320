import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'

export interface ConfirmOptions {
  title: string
  text?: ReactNode
  /** The button that does it: a verb, such as "Delete". */
  action: string
  cancel?: string
  isDanger?: boolean
  /** The reader must type this before the action can be taken. */
  typeToConfirm?: string
}

interface Question extends ConfirmOptions {
  answer: (agreed: boolean) => void
}

let question: Question | undefined
const listeners = new Set<() => void>()

const ask = (next: Question | undefined) => {
  question = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Asks once and answers true when the reader agrees. A second question answers the first with no. */
export function confirm(options: ConfirmOptions): Promise<boolean> {
  question?.answer(false)
  return new Promise((resolve) => {
    const answer = (agreed: boolean) => {
      ask(undefined)
      resolve(agreed)
    }
    ask({ ...options, answer })
  })
}

/** Shows the question of `confirm`; mounted once, by the shell. */
export function ConfirmHost() {
  const current = useSyncExternalStore(subscribe, () => question)
  return current && <ConfirmDialog key={current.title} question={current} />
}

function ConfirmDialog({ question: { answer, ...options } }: { question: Question }) {
  const { t } = useLingui()
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const { typeToConfirm } = options
  const isReady = typeToConfirm === undefined || typed.trim() === typeToConfirm.trim()

  useEffect(() => dialog.current?.showModal(), [])

  return (
    <dialog
      ref={dialog}
      className="dialog"
      role="alertdialog"
      aria-labelledby="confirm-title"
      aria-describedby="confirm-text"
      onClose={() => answer(false)}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) answer(true)
        }}
      >
        <h2 id="confirm-title">{options.title}</h2>
        <div id="confirm-text">{options.text}</div>
        {typeToConfirm !== undefined && (
          <label className="field">
            <span>
              {t`To confirm, type`} <code>{typeToConfirm}</code>
            </span>
            <input
              className="input"
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
        )}
        <div className="dialog-actions">
          {/* First, so that it has the focus: Enter must not destroy anything. */}
          <button type="button" className="button" onClick={() => answer(false)}>
            {options.cancel ?? t`Cancel`}
          </button>
          <button
            type="submit"
            className={`button ${options.isDanger ? 'danger' : 'primary'}`}
            disabled={!isReady}
          >
            {options.action}
          </button>
        </div>
      </form>
    </dialog>
  )
}
