import { isEmail } from '@grove/auth-client/rules'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ComponentProps } from 'react'
import { keepEmail } from '../../session/typed-email.ts'
import { Field } from '../../ui/field/field.tsx'

type EmailFieldProps = Omit<ComponentProps<typeof Field>, 'label' | 'type'>

/** The email of an account, shared with the other sign-in pages. */
export const EmailField = ({ onChange, ...field }: EmailFieldProps) => (
  <Field
    {...field}
    label={<Trans>Email</Trans>}
    type="email"
    // The name that password managers look for.
    autoComplete="username"
    inputMode="email"
    autoCapitalize="none"
    spellCheck={false}
    onChange={(event) => {
      keepEmail(event.target.value)
      onChange?.(event)
    }}
  />
)

/** What is wrong with an email. */
export function useEmailProblem() {
  const { t } = useLingui()
  return (email: string) =>
    isEmail(email.trim()) ? undefined : t`Enter a valid email address, such as name@example.com.`
}
