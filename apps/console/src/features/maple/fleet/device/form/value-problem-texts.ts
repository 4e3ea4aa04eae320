import { maxTagLength, maxTags } from '@grove/contract/maple/fleet/device.rules'
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
    tooManyTags: t`A device has at most ${maxTags} tags.`,
    longTag: t`A tag has at most ${maxTagLength} characters.`,
    innerIdMissing: t`Enter the inner id of the device that the account is bound to.`,
    keyForm: t`Start with a small letter; then small letters, digits and _ only.`,
    keyTwice: t`This key is used above already.`,
    number: t`Enter a number, such as 3.5.`,
    day: t`Choose a day.`,
  }
}
