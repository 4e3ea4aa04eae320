import type { Template } from '@grove/contract/maple/program/template'
import { maxTemplateNameLength } from '@grove/contract/maple/program/template.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../session/api.ts'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import type { FormFields } from '../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { path, sentOf, templates } from './template.api.ts'
import { exampleNames, useExamples, type ExampleName } from './template-examples.ts'

interface NewValues {
  name: string
  from: ExampleName | 'empty'
}

/** The form for a new template: empty, or an example to adapt. Its page opens. */
export function CreateTemplate({ onClose }: NewItem) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const examples = useExamples()
  const fields: FormFields<NewValues> = {
    name: useNameField(maxTemplateNameLength),
  }
  const words = {
    empty: t`Nothing`,
    ...Object.fromEntries(exampleNames.map((name) => [name, examples[name].name])),
  } as Record<NewValues['from'], string>
  return (
    <CreateItem<NewValues, Pick<Template, 'id'>>
      onClose={onClose}
      onCreated={(id) => void navigate({ to: '/dashboard/maple/templates/$id', params: { id } })}
      items={templates}
      title={t`New template`}
      submitLabel={t`Create`}
      savedText={() => t`The template is ready. Open its steps to change and try them.`}
      fields={fields}
      form={{
        values: { name: '', from: 'lock' },
        submit: ({ name, from }) => {
          const example = from === 'empty' ? undefined : examples[from]
          return api.maple.post(path, {
            body: {
              name,
              ...(example && { about: example.about, ...sentOf(contentOf(example)) }),
            },
          })
        },
      }}
    >
      {(form) => (
        <>
          <SelectField
            label={t`Start from`}
            value={form.values.from}
            words={words}
            onChange={(from) =>
              form.set((now) => ({
                from,
                // An example also provides the name, until someone types one.
                ...(isOurs(now.name) && { name: from === 'empty' ? '' : examples[from].name }),
              }))
            }
          />
          {form.values.from !== 'empty' && (
            <p className="muted">{examples[form.values.from].about}</p>
          )}
        </>
      )}
    </CreateItem>
  )

  function isOurs(name: string) {
    return name === '' || exampleNames.some((each) => examples[each].name === name)
  }
}

const contentOf = ({ parameters, steps }: ReturnType<typeof useExamples>[ExampleName]) => ({
  parameters,
  steps,
})
