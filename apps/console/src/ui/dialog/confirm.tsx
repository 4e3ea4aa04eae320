import { plainName } from '@grove/contract/name.rules'
import { useLingui } from '@lingui/react/macro'
import { useState, useSyncExternalStore, type ReactNode } from 'react'
import { Dialog } from './dialog.tsx'

export interface ConfirmOptions {
  title: ReactNode
  text?: ReactNode
  /** The button that does it: a verb, such as "Delete". */
  action: string
  cancel?: string
  isDanger?: boolean
  /** The reader must type this before the action can be taken. */
  typeToConfirm?: string
  /** Where the focus goes when what was pressed is gone (`Dialog`). */
  focusAfter?: () => HTMLElement | null
}

interface Question extends ConfirmOptions {
  id: number
  answer: (agreed: boolean) => void
}

let question: Question | undefined
let lastId = 0
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
    lastId += 1
    ask({ ...options, id: lastId, answer })
  })
}

/** Shows the question of `confirm`; mounted once, by the shell. */
export function ConfirmHost() {
  const current = useSyncExternalStore(subscribe, () => question)
  return current && <ConfirmDialog key={current.id} {...current} />
}

function ConfirmDialog({ answer, typeToConfirm, ...options }: Question) {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  // A name from before the rules for names may hold characters that no keyboard types.
  const expected = typeToConfirm === undefined ? undefined : plainName(typeToConfirm)
  const isReady = expected === undefined || plainName(typed) === expected
  const cancel = () => answer(false)
  return (
    <Dialog
      title={options.title}
      question={options.text ?? null}
      onClose={cancel}
      {...(options.focusAfter && { focusAfter: options.focusAfter })}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) answer(true)
        }}
      >
        {expected !== undefined && (
          <label className="field">
            <span>
              {t`To confirm, type`} <code dir="auto">{expected}</code>
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
          <button type="button" className="button" onClick={cancel}>
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
    </Dialog>
  )
}
