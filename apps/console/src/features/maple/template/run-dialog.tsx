import type { Template, TemplateVersion } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useRef, useState } from 'react'
import { problemText } from '../../../api/problem-text.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import type { ComboboxOption } from '../../../ui/kit/combobox-options.ts'
import { notify } from '../../../ui/toast/notify.ts'
import { ElementChoice } from '../parts/element-choice.tsx'
import { startRun, templates, versionsQuery } from './template.api.ts'
import styles from './template.module.css'
import { areValid, ValuesForm, type Input } from '../parts/template/values-form.tsx'

/** What is chosen when the dialog opens. */
export interface RunChoice {
  elements: ComboboxOption[]
  input: Input
}

interface RunDialogProps {
  template: Template
  first?: RunChoice
  onClose: () => void
}

/** Chooses elements and values, and runs the newest version on them. */
export function RunDialog({ template, first, onClose }: RunDialogProps) {
  const { t } = useLingui()
  const { name, version: number } = template
  const { data } = useQuery(versionsQuery(template.id))
  const version = data?.items.find((each) => each.number === number)
  return (
    <Dialog title={t`Run “${name}”`} onClose={onClose}>
      {version ? (
        <RunForm
          template={template}
          version={version}
          {...(first && { first })}
          onClose={onClose}
        />
      ) : (
        <p className="muted">
          <Trans>Loading…</Trans>
        </p>
      )}
    </Dialog>
  )
}

function RunForm({
  template,
  version,
  first = { elements: [], input: {} },
  onClose,
}: RunDialogProps & { version: TemplateVersion }) {
  const { t, i18n } = useLingui()
  const [chosen, setChosen] = useState(first.elements)
  const [input, setInput] = useState(first.input)
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  // Two clicks in one frame see the same state.
  const lock = useRef(false)
  const { parameters, number } = version
  const isReady = chosen.length > 0

  const run = async () => {
    setTried(true)
    if (!isReady || lock.current || !areValid(parameters, input)) return
    lock.current = true
    setBusy(true)
    try {
      await startRun(
        template.id,
        chosen.map(({ id }) => id),
        input,
      )
      await templates.refresh()
      onClose()
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
      lock.current = false
      setBusy(false)
    }
  }
  return (
    <form
      className={styles.run}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <p className="muted">
        <Trans>
          Version {number}. Each element has a session of its own, which you can watch command by
          command.
        </Trans>
      </p>
      <ValuesForm parameters={parameters} input={input} isTried={isTried} onChange={setInput} />
      <ElementChoice chosen={chosen} onChange={setChosen} />
      {isTried && !isReady && (
        <p className="field-error">
          <Trans>Add an element first.</Trans>
        </p>
      )}
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          <Trans>Cancel</Trans>
        </button>
        <button type="submit" className="button primary" aria-disabled={isBusy}>
          <Play size={16} aria-hidden />
          {t({ message: 'Run', context: 'a template' })}
        </button>
      </div>
    </form>
  )
}
