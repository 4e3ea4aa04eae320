import { useLingui } from '@lingui/react/macro'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, type ReactNode, type RefObject, type SyntheticEvent } from 'react'
import { notify } from '../toast/notify.ts'
import { FormProblem } from './form-problem.tsx'
import { tooltip } from '../kit/tooltip.ts'
import styles from './form-shell.module.css'
import { confirmLoss, leavesUnasked, markUnsaved } from './unsaved-changes.ts'
import { useDraft } from './use-draft.ts'
import type { Form } from './use-form.ts'

interface FormShellProps<V extends object> {
  form: Form<V>
  /** The button's label, a verb: "Save", "Create". */
  submitLabel: string
  /** In a multi-step form, goes to the next step: the main button, and what Enter does. */
  nextStep?: { label: string; go: () => void } | undefined
  /**
   * What surrounds the form; its footer sticks to the bottom edge. One of several short forms on a
   * page is a section, and its footer stays below its fields.
   */
  place?: 'page' | 'section' | 'panel' | 'dialog'
  /** The name of the draft on this page. Without it no draft is kept, as is required for passwords. */
  draft?: string
  /** Whether the form stays after a change of search parameters; it does by default. */
  isKeptBy?: (search: Record<string, unknown>) => boolean
  onCancel?: () => void
  children: ReactNode
}

/**
 * Every form of the dashboard: keeps a draft, asks before unsaved changes are lost, and shows the
 * result beside its buttons.
 */
export function FormShell<V extends object>(props: FormShellProps<V>) {
  const { form, submitLabel, nextStep, place = 'page', onCancel } = props
  const { t } = useLingui()
  const draft = useDraft(form, props.draft)
  const isSaving = form.status === 'saving'
  const isUnchanged = form.needsChange && !form.isDirty
  const isOnPage = place === 'page' || place === 'section'

  useUnsavedChangesGuard(form.props.ref, form.isDirty && !isSaving, props.isKeptBy, draft.drop)

  const discard = () => {
    const { snapshot, restore } = form
    form.reset()
    form.props.ref.current?.querySelector<HTMLElement>('[type="submit"]')?.focus()
    notify({
      text: t`Your changes are discarded.`,
      action: { label: t`Undo`, run: () => void restore(snapshot) },
    })
  }
  const send = (event: SyntheticEvent<HTMLFormElement, SubmitEvent>) => {
    if (!nextStep || !event.nativeEvent.submitter) return form.props.onSubmit(event)
    event.preventDefault()
    nextStep.go()
  }
  const submit = (
    <button
      key="submit"
      // Without a button that submitted it, a multi-step form is sent.
      {...(nextStep
        ? { type: 'button', onClick: () => form.props.ref.current?.requestSubmit() }
        : { type: 'submit' })}
      className={nextStep ? 'button' : 'button primary'}
      aria-disabled={isSaving || isUnchanged}
      {...tooltip(isUnchanged ? t`Nothing has changed.` : undefined)}
    >
      {isSaving ? t`Saving…` : submitLabel}
    </button>
  )
  const cancel = onCancel && (
    <button key="cancel" type="button" className="button" onClick={onCancel}>
      {t`Cancel`}
    </button>
  )
  const canDiscard = form.isDirty && !isSaving && (!onCancel || draft.isRestored)

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut, not the only way
    <form {...form.props} onSubmit={send} className={`form ${styles.shell}`}>
      {props.children}
      <footer className={styles.footer} data-place={place}>
        <FormProblem problem={form.problem} />
        <div className={styles.actions}>
          {place === 'dialog' ? [cancel, submit] : [submit, cancel]}
          {nextStep && (
            <button type="submit" className="button primary">
              {nextStep.label}
            </button>
          )}
          <output className={styles.status}>
            {draft.isRestored
              ? t`Restored what you typed.`
              : form.status === 'saved' && !form.isDirty
                ? t`Saved`
                : form.isDirty && !isSaving && isOnPage && t`Unsaved changes`}
          </output>
          {canDiscard && (
            <button type="button" className="button" onClick={discard}>
              {t`Discard`}
            </button>
          )}
        </div>
      </footer>
    </form>
  )
}

/** Asks before a navigation, a sign-out or closing the tab loses what was typed. */
function useUnsavedChangesGuard(
  form: RefObject<HTMLFormElement | null>,
  isDirty: boolean,
  isKeptBy: FormShellProps<object>['isKeptBy'],
  dropDraft: () => void,
) {
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const search: Record<string, unknown> = next.search
      const isKept = current.pathname === next.pathname && (isKeptBy?.(search) ?? true)
      // After the session has ended, the draft waits for the next sign-in.
      if (isKept || leavesUnasked()) return false
      if (!(await confirmLoss())) return true
      dropDraft()
      return false
    },
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
  })
  useEffect(() => {
    const element = form.current
    return isDirty && element ? markUnsaved(element) : undefined
  }, [form, isDirty])
}
