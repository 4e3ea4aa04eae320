import type { Template, TemplateVersion } from '@grove/contract/maple/program/template'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { useForm } from '../../../../ui/form/use-form.ts'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'
import { ElementChoice } from '../../card/element-choice/element-choice.tsx'
import { areValid, ValuesForm, type Input } from '../template-values/values-form.tsx'
import { startRun, templates, versionsQuery } from './template.api.ts'

/** The initial selection. */
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
export function RunDialog(props: RunDialogProps) {
  const { template, onClose } = props
  const { name } = template
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(versionsQuery(template.id))
  const version = data?.items.find(({ number }) => number === template.version)
  if (version) return <RunForm {...props} version={version} />
  return (
    <Dialog title={t`Run “${name}”`} closeLabel={t`Close`} onClose={onClose}>
      {error ? (
        <PartFailure error={error} refetch={refetch} />
      ) : (
        <p className="muted">
          <Trans>Loading…</Trans>
        </p>
      )}
    </Dialog>
  )
}

const nothing: RunChoice = { elements: [], input: {} }

function RunForm({
  template,
  version: { number, parameters },
  first = nothing,
  onClose,
}: RunDialogProps & { version: TemplateVersion }) {
  const { t } = useLingui()
  const { id, name } = template
  const form = useForm<RunChoice>({
    values: first,
    check: ({ elements, input }) => ({
      ...(elements.length === 0 && { elements: t`Add an element first.` }),
      ...(!areValid(parameters, input) && { input: 'wrong' }),
    }),
    submit: ({ elements, input }) =>
      startRun(
        id,
        elements.map((element) => element.id),
        input,
      ),
    onSaved: () => {
      void templates.refresh()
      onClose()
    },
    isOnce: true,
  })
  const { elements, input } = form.values
  return (
    <FormDialog
      title={t`Run “${name}”`}
      form={form}
      submitLabel={t({ message: 'Run', context: 'a template' })}
      onClose={onClose}
    >
      <p className="muted">
        <Trans>
          Version {number}. Each element has a session of its own, which you can watch command by
          command.
        </Trans>
      </p>
      <ValuesForm
        parameters={parameters}
        input={input}
        isTried={form.errors['input'] !== undefined}
        onChange={(next) => form.set({ input: next })}
      />
      <ElementChoice chosen={elements} onChange={(next) => form.set({ elements: next })} />
      {form.errors['elements'] && (
        <p className="field-error" data-problem tabIndex={-1}>
          {form.errors['elements']}
        </p>
      )}
    </FormDialog>
  )
}
