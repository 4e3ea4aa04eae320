import { isReadableName } from '@grove/contract/name.rules'
import { useLingui } from '@lingui/react/macro'

/** Validates a name given by a person. */
export function useNameProblem() {
  const { t } = useLingui()
  return (name: string, { isOptional = false } = {}) => {
    if (name.trim() === '') return isOptional ? undefined : t`Enter a value.`
    return isReadableName(name)
      ? undefined
      : t`Remove the invisible characters, such as those that change the direction of text.`
  }
}

/** The field for such a name. */
export function useNameField(maxLength: number, hint?: string) {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  return {
    label: t`Name`,
    hint,
    maxLength,
    autoComplete: 'off',
    problemOf: (text: string) => nameProblem(text),
  } as const
}
