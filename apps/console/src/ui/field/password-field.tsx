import { Trans, useLingui } from '@lingui/react/macro'
import { Eye, EyeOff } from 'lucide-react'
import { useState, type ComponentProps, type KeyboardEvent, type ReactNode } from 'react'
import { Field } from './field.tsx'

interface PasswordFieldProps extends Omit<
  ComponentProps<typeof Field>,
  'type' | 'adornment' | 'label'
> {
  label?: ReactNode
}

/** A password with a switch to show it, and a warning when Caps Lock is on. */
export function PasswordField({ hint, label, ...field }: PasswordFieldProps) {
  const { t } = useLingui()
  const [isShown, setShown] = useState(false)
  const [isCapsLock, setCapsLock] = useState(false)
  const watchCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <Field
      name="password"
      {...field}
      label={label ?? <Trans>Password</Trans>}
      type={isShown ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      onKeyDown={watchCapsLock}
      onKeyUp={watchCapsLock}
      onBlur={() => setCapsLock(false)}
      hint={
        <>
          <output>{isCapsLock && <Trans>Caps Lock is on.</Trans>}</output>
          {hint}
        </>
      }
      adornment={
        <button
          type="button"
          className="field-button"
          aria-label={isShown ? t`Hide the password` : t`Show the password`}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOff size={16} /> : <Eye size={16} />}
        </button>
      }
    />
  )
}
