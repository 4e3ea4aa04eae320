import { maxTagLength, maxTags } from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'
import type { ValueProblem } from './device-values.ts'

export function useValueProblemTexts(): Record<ValueProblem, string> {
  const { t } = useLingui()
  return {
    required: t`Enter a value.`,
    unreadable: t`Remove the invisible characters, such as those that change the direction of text.`,
    idForm: t`Start with a letter or digit; then letters, digits and . _ : - only.`,
    cplcNotWhole: t`A CPLC has 84 hex digits. Complete it, or remove this line.`,
    cplcTwice: t`This element is already listed above.`,
    tooManyTags: t`A device can have at most ${maxTags} tags.`,
    longTag: t`A tag can have at most ${maxTagLength} characters.`,
    innerIdMissing: t`Enter the inner ID of the device that the account is bound to.`,
    keyForm: t`Start with a lower-case letter; then lower-case letters, digits and _ only.`,
    keyTwice: t`This key is already used above.`,
    number: t`Enter a number, such as 3.5.`,
    day: t`Choose a day.`,
  }
}
