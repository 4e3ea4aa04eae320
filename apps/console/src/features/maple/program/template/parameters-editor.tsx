import { maxParameters } from '@grove/contract/maple/program/template.rules'
import {
  problemsOfTemplate,
  type TemplateContent,
} from '@grove/contract/maple/program/template-step.rules'
import {
  parameterTypes,
  type TemplateParameter,
} from '@grove/contract/maple/program/template-parameter.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus, Trash2 } from 'lucide-react'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { parameterTypeLabels } from './step.labels.ts'
import { templateProblems } from '../template-values/template-problems.ts'
import styles from './template.module.css'
import { useListText } from './use-list-text.ts'

interface ParametersEditorProps {
  content: TemplateContent
  onChange: (parameters: TemplateParameter[]) => void
}

/** The parameters requested when someone runs the template. */
export function ParametersEditor({ content, onChange }: ParametersEditorProps) {
  const { t } = useLingui()
  const { parameters } = content
  const problems = problemsOfTemplate(content)
  const change = (index: number, next: TemplateParameter) =>
    onChange(parameters.map((each, at) => (at === index ? next : each)))
  const add = () => {
    const taken = new Set(parameters.map(({ name }) => name))
    let number = parameters.length + 1
    while (taken.has(`value${number}`)) number++
    onChange([...parameters, { name: `value${number}`, type: 'text' }])
  }
  return (
    <Section
      title={t`Parameters`}
      description={t`Entered for each run. In a step, write its name in double braces; append .length for its length in bytes.`}
    >
      <ul className={styles.parameters}>
        {parameters.map((parameter, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- its name changes while it is being typed
          <li key={index}>
            <ParameterFields
              parameter={parameter}
              problems={Object.fromEntries(
                problems
                  .filter(({ parameterAt }) => parameterAt === index)
                  .map(({ field, code }) => [field, code]),
              )}
              onChange={(next) => change(index, next)}
              onRemove={() => onChange(parameters.filter((_, at) => at !== index))}
            />
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="button"
        aria-disabled={parameters.length >= maxParameters}
        onClick={() => parameters.length < maxParameters && add()}
      >
        <Plus size={16} aria-hidden />
        <Trans>Add parameter</Trans>
      </button>
    </Section>
  )
}

interface ParameterFieldsProps {
  parameter: TemplateParameter
  problems: Readonly<Record<string, keyof typeof templateProblems>>
  onChange: (parameter: TemplateParameter) => void
  onRemove: () => void
}

function ParameterFields({ parameter, problems, onChange, onRemove }: ParameterFieldsProps) {
  const { t, i18n } = useLingui()
  const { name, type, label = '', isRequired = false, isSecret = false } = parameter
  const choices = useListText(parameter.choices, /,/, (next) =>
    onChange({ ...parameter, choices: next }),
  )
  const textOf = (field: string) => {
    const code = problems[field]
    return code && i18n._(templateProblems[code])
  }
  return (
    <fieldset className={styles.parameter}>
      <legend className="visually-hidden">{name}</legend>
      <div className={styles.row}>
        <Field
          label={t({ message: 'Name', context: 'of a parameter' })}
          value={name}
          error={textOf('name')}
          {...codeField}
          onChange={({ target }) => onChange({ ...parameter, name: target.value })}
        />
        <SelectField
          label={t({ message: 'Type', context: 'of a parameter' })}
          value={type}
          words={Object.fromEntries(
            parameterTypes.map((each) => [each, i18n._(parameterTypeLabels[each])]),
          )}
          onChange={(next) => onChange({ ...parameter, type: next })}
        />
        <Field
          label={t`Label (optional)`}
          value={label}
          onChange={({ target }) => onChange({ ...parameter, label: target.value })}
        />
        <Field
          label={t`Default (optional)`}
          value={parameter.default ?? ''}
          error={textOf('default')}
          onChange={({ target }) => onChange({ ...parameter, default: target.value })}
        />
        {type === 'choice' && (
          <Field label={t`Choices, separated by commas`} error={textOf('choices')} {...choices} />
        )}
      </div>
      <div className={styles.parameterEnd}>
        <label>
          <input
            type="checkbox"
            checked={isRequired}
            onChange={({ target }) => onChange({ ...parameter, isRequired: target.checked })}
          />{' '}
          <Trans>Required</Trans>
        </label>
        <label>
          <input
            type="checkbox"
            checked={isSecret}
            onChange={({ target }) => onChange({ ...parameter, isSecret: target.checked })}
          />{' '}
          <Trans>Secret: never shown again</Trans>
        </label>
        <button type="button" className="button quiet" onClick={onRemove}>
          <Trash2 size={16} aria-hidden />
          {t`Remove ${name}`}
        </button>
      </div>
    </fieldset>
  )
}
