import { Trans } from '@lingui/react/macro'
import type { ComponentProps } from 'react'
import { Field } from '../../ui/field/field.tsx'

/** The email of an account; `username` is what password managers look for. */
export const EmailField = (
  field: Omit<ComponentProps<typeof Field>, 'label' | 'name' | 'type'>,
) => (
  <Field
    {...field}
    label={<Trans>Email</Trans>}
    name="email"
    type="email"
    autoComplete="username"
    inputMode="email"
    autoCapitalize="none"
    spellCheck={false}
  />
)
