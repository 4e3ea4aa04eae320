import { Field, type FieldProps } from '../field/field.tsx'
import type { FieldTexts } from './form-values.ts'
import type { Form, TextName } from './use-form.ts'

/** How a form asks for a text, and how it validates it. */
interface FieldRules extends Omit<FieldProps, 'label' | 'name' | 'value' | 'error' | 'onChange'> {
  label: string
  problemOf?: (text: string) => string | undefined
}

/** The plain fields of a form, in their order. */
export type FormFields<V> = { [Name in TextName<V>]?: FieldRules }

const rulesOf = <V,>(fields: FormFields<V>) => Object.entries(fields) as [TextName<V>, FieldRules][]

/** The errors in the fields' values. */
export const checkFields = <V,>(fields: FormFields<V>, values: V): FieldTexts =>
  Object.fromEntries(
    rulesOf(fields).map(([name, { problemOf }]) => [name, problemOf?.(values[name] as string)]),
  )

export const labelOfField = <V,>(fields: FormFields<V>, path: string): string | undefined =>
  rulesOf(fields).find(([name]) => name === path)?.[1].label

interface FieldsProps<V extends object> {
  form: Form<V>
  fields: FormFields<V>
}

export const Fields = <V extends object>({ form, fields }: FieldsProps<V>) =>
  rulesOf(fields).map(([name, rules]) => {
    const { problemOf: _, ...field } = rules
    return <Field key={name} {...field} {...form.input(name)} />
  })

/** For a field with an ID or identifiers of the system: the keyboard must not correct anything. */
export const codeField = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const
