import { plainName } from '@grove/contract/name.rules'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Question } from './confirm.tsx'
import { Dialog } from './dialog.tsx'

/** The question of `confirm`. */
export function ConfirmDialog({ answer, typeToConfirm, ...options }: Question) {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  // A name from before the naming rules may contain characters that cannot be typed.
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
