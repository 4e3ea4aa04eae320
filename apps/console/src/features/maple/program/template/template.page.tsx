import type { Template, TemplateDryRun } from '@grove/contract/maple/program/template'
import {
  maxTemplateNameLength,
  maxTemplateTextLength,
} from '@grove/contract/maple/program/template.rules'
import type {
  TemplateContent,
  TemplateStep,
} from '@grove/contract/maple/program/template-step.rules'
import type { TemplateParameter } from '@grove/contract/maple/program/template-parameter.rules'
import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../../../api/query-client.ts'
import { ConflictNotice } from '../../../../ui/form/conflict-notice.tsx'
import { checkFields, Fields, labelOfField, type FormFields } from '../../../../ui/form/fields.tsx'
import { FormShell } from '../../../../ui/form/form-shell.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { useEditForm } from '../../../../ui/form/use-edit-form.ts'
import { Columns } from '../../../../ui/page/columns.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { DryRunSection } from './dry-run-section.tsx'
import { ParametersEditor } from './parameters-editor.tsx'
import { RunsSection } from './runs-section.tsx'
import { StepsEditor } from './steps-editor.tsx'
import { stepLine } from './step.labels.ts'
import { oneTemplate, saveTemplate, templates } from './template.api.ts'
import { TemplateActions } from './template-actions.tsx'
import { TemplateStateBadge } from './template.labels.tsx'
import { VersionsSection } from './versions-section.tsx'

interface Values extends TemplateContent {
  name: string
  about: string
}

const savedOf = ({ name, about, parameters, steps, revision }: Template) => ({
  values: { name, about, parameters, steps },
  revision,
})

/** A list that conflicts with someone else's change, as text. */
function listText(
  items: readonly unknown[],
  isSteps: boolean,
  translate: (message: MessageDescriptor) => string,
): string {
  const lines = isSteps
    ? (items as TemplateStep[]).map((step) => stepLine(step, translate))
    : (items as TemplateParameter[]).map(({ name, type }) => `${name}: ${type}`)
  return lines.join('; ')
}

/** The editor of a template with its dry run, runs and versions; the loader has found it. */
export function TemplatePage({ id, runId }: { id: string; runId: string | undefined }) {
  const { t, i18n } = useLingui()
  const { data: template } = useSuspenseQuery(oneTemplate(id))
  const [tried, setTried] = useState<TemplateDryRun>()
  const fields: FormFields<Values> = {
    name: useNameField(maxTemplateNameLength),
    about: { label: t`Purpose (optional)`, maxLength: maxTemplateTextLength },
  }
  const form = useEditForm<Values>({
    saved: savedOf(template),
    check: (values) => checkFields(fields, values),
    submit: async (values, { revision }) => {
      const saved = await saveTemplate(
        id,
        values,
        revision === undefined ? {} : { ifMatch: revision },
      )
      queryClient.setQueryData(oneTemplate(id).queryKey, saved)
      void templates.refresh()
      return savedOf(saved)
    },
    load: async () => savedOf(await queryClient.fetchQuery({ ...oneTemplate(id), staleTime: 0 })),
  })
  const showClash = (value: unknown, field: string) =>
    Array.isArray(value)
      ? listText(value, field === 'steps', (message) => i18n._(message))
      : undefined
  const { parameters, steps } = form.values
  const content = { parameters, steps }
  const change = (next: Partial<TemplateContent>) => {
    form.set(next)
    // The results of the dry run no longer match the steps.
    setTried(undefined)
  }
  return (
    <article>
      <PageHeader
        title={template.name}
        badge={<TemplateStateBadge state={template.state} />}
        description={template.about}
        action={<TemplateActions template={template} isDirty={form.isDirty} />}
      />
      <Columns
        aside={
          <>
            <DryRunSection content={content} tried={tried} onTried={setTried} />
            <RunsSection template={template} runId={runId} />
            <VersionsSection template={template} />
          </>
        }
      >
        <FormShell form={form} submitLabel={t`Save draft`} draft={`template ${id}`}>
          <Fields form={form} fields={fields} />
          <ParametersEditor content={content} onChange={(next) => change({ parameters: next })} />
          <StepsEditor
            name={form.values.name}
            content={content}
            tried={tried}
            onChange={(next) => change({ steps: next })}
          />
          <ConflictNotice
            form={form}
            labelOf={(name) =>
              name.startsWith('steps')
                ? t({ message: 'Steps', context: 'of a template' })
                : name.startsWith('parameters')
                  ? t`Parameters`
                  : (labelOfField(fields, name) ?? name)
            }
            show={showClash}
          />
        </FormShell>
      </Columns>
    </article>
  )
}
