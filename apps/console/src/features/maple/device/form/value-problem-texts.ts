import { useLingui } from '@lingui/react/macro'
import type { ValueProblem } from './device-values.ts'

export function useValueProblemTexts(): Record<ValueProblem, string> {
  const { t } = useLingui()
  return {
    required: t`Fill this in.`,
    unreadable: t`Remove the invisible characters, such as those that change the direction of text.`,
    idForm: t`Start with a letter or digit; then letters, digits and . _ : - only.`,
    cplcNotWhole: t`A CPLC has 84 hex digits. Complete it, or remove this line.`,
    cplcTwice: t`This element is listed above already.`,
  }
}
