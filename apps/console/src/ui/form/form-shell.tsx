import { useLingui } from '@lingui/react/macro'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, type FormEvent, type KeyboardEvent, type ReactNode } from 'react'
import { FormProblem } from './form-problem.tsx'
import styles from './form-shell.module.css'
import { confirmLoss, markUnsaved } from './unsaved-changes.ts'

interface FormShellProps {
  /** What was refused, as the mutation has it; null while nothing was. */
  submitError: unknown
  isSubmitting: boolean
  /** Whether something would be lost by leaving. */
  isDirty: boolean
  /** Whether the form is still there after a change of search parameters; so without it. */
  isKeptBy?: (search: Record<string, unknown>) => boolean
  onSubmit: () => void
  /** The button's verb: "Save", "Create". */
  submitLabel: string
  /** Why it cannot be submitted now, such as that nothing has changed. */
  disabledReason?: string | undefined
  onCancel?: () => void
  children: ReactNode
}

/**
 * Every form of the dashboard: guards unsaved changes, submits once at a time (also by
 * Ctrl+Enter), tells why it was refused and moves the focus to the first field that was.
 */
export function FormShell(props: FormShellProps) {
  const { submitError, isSubmitting, isDirty, submitLabel, disabledReason, onCancel } = props
  const { t } = useLingui()
  const form = useRef<HTMLFormElement>(null)

  useUnsavedChangesGuard(isDirty && !isSubmitting, props.isKeptBy)

  useEffect(() => {
    if (submitError) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [submitError])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isSubmitting && disabledReason === undefined) props.onSubmit()
  }
  const submitOnCtrlEnter = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut, not the only way
    <form
      ref={form}
      className={`form ${styles.shell}`}
      noValidate
      onSubmit={submit}
      onKeyDown={submitOnCtrlEnter}
    >
      <FormProblem problem={submitError} />
      {props.children}
      <div className={styles.actions}>
        <button
          type="submit"
          className="button primary"
          aria-disabled={isSubmitting || disabledReason !== undefined}
          title={disabledReason}
        >
          {isSubmitting ? t`Saving…` : submitLabel}
        </button>
        {onCancel && (
          <button type="button" className="button" onClick={onCancel}>
            {t`Cancel`}
          </button>
        )}
      </div>
    </form>
  )
}

/** Asks before a navigation, a sign-out or a closed tab loses what was typed. */
function useUnsavedChangesGuard(isDirty: boolean, isKeptBy: FormShellProps['isKeptBy']) {
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const search: Record<string, unknown> = next.search
      const isKept = current.pathname === next.pathname && (isKeptBy?.(search) ?? true)
      return !isKept && !(await confirmLoss())
    },
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
  })
  useEffect(() => (isDirty ? markUnsaved() : undefined), [isDirty])
}
