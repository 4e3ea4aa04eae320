import {
  readParameter,
  TemplateValueError,
  type TemplateParameter,
} from '@grove/contract/maple/program/template-parameter.rules'
import { useLingui } from '@lingui/react/macro'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import { templateProblems } from './template-problems.ts'
import styles from './values-form.module.css'

/** The input for each parameter, by name. */
export type Input = Readonly<Record<string, string>>

/** Whether every parameter has a valid value. */
export const areValid = (parameters: readonly TemplateParameter[], input: Input): boolean =>
  parameters.every((parameter) => problemOf(parameter, input) === undefined)

function problemOf(parameter: TemplateParameter, input: Input) {
  try {
    readParameter(parameter, valueIn(parameter, input) || undefined)
    return undefined
  } catch (error) {
    if (error instanceof TemplateValueError) return error.code
    throw error
  }
}

const valueIn = ({ name }: TemplateParameter, input: Input) =>
  Object.hasOwn(input, name) ? (input[name] ?? '') : ''

interface ValuesFormProps {
  parameters: readonly TemplateParameter[]
  input: Input
  /** Empty fields are not an error until someone runs it. */
  isTried: boolean
  onChange: (input: Input) => void
}

/** The values of the parameters for one run. */
export function ValuesForm({ parameters, input, isTried, onChange }: ValuesFormProps) {
  const { t, i18n } = useLingui()
  if (parameters.length === 0) return null
  return (
    <div className={styles.values}>
      {parameters.map((parameter) => {
        const { name, type, label, isRequired, isSecret, choices = [] } = parameter
        const value = valueIn(parameter, input)
        const code = problemOf(parameter, input)
        const text = label || name
        const change = (next: string) => onChange({ ...input, [name]: next })
        if (type === 'choice')
          return (
            <SelectField
              key={name}
              label={text}
              value={value}
              words={{
                '': parameter.default || '–',
                ...Object.fromEntries(choices.map((choice) => [choice, choice])),
              }}
              onChange={change}
            />
          )
        return (
          <Field
            key={name}
            label={isRequired ? text : t`${text} (optional)`}
            value={value}
            placeholder={parameter.default ?? ''}
            type={isSecret ? 'password' : 'text'}
            inputMode={type === 'number' ? 'numeric' : 'text'}
            error={
              code && (isTried || code !== 'required') ? i18n._(templateProblems[code]) : undefined
            }
            {...codeField}
            onChange={({ target }) => change(target.value)}
          />
        )
      })}
    </div>
  )
}
