import { isPassword } from '@grove/auth-client'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../../session/api.ts'
import { ApiProblem } from '../../../api/problem.ts'
import { PasswordField } from '../../../ui/field/password-field.tsx'
import { PasswordRulesList } from '../../../ui/field/password-rules.tsx'
import { fieldErrors } from '../../../api/field-errors.ts'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { notify } from '../../../ui/toast/notify.tsx'
import styles from './password-form.module.css'

const nothing = { password: '', newPassword: '' }
type Passwords = typeof nothing

const isWrongPassword = (error: unknown) =>
  error instanceof ApiProblem && error.code === 'wrong_password'

export function PasswordForm({ email }: { email: string | null }) {
  const { i18n, t } = useLingui()
  const fields = useRef<HTMLDivElement>(null)
  const [values, setValues] = useState(nothing)
  const [isChecked, setChecked] = useState(false)
  const { password, newPassword } = values
  const set = (part: Partial<Passwords>) => setValues((now) => ({ ...now, ...part }))

  const change = useMutation({
    mutationFn: (body: Passwords) => api.auth.put('/api/user/password', { body }),
    onSuccess: () => {
      setValues(nothing)
      setChecked(false)
      notify({ text: t`The password is changed. Every other session has ended.` })
      void api.auth.invalidate('/api/user/session')
    },
  })

  const found = {
    password: password === '' ? t`Enter your present password.` : undefined,
    newPassword: !isPassword(newPassword)
      ? t`The password must meet every rule.`
      : newPassword === password
        ? t`This is your present password. Choose another one.`
        : undefined,
  }
  const refused: Record<string, string> = isWrongPassword(change.error)
    ? { password: t`This is not your present password.` }
    : fieldErrors(change.error, i18n)
  // A refusal is about what was sent: it goes when the field is changed.
  const errorOf = (name: keyof Passwords) =>
    (isChecked ? found[name] : undefined) ??
    (values[name] === change.variables?.[name] ? refused[name] : undefined)

  const submit = () => {
    setChecked(true)
    const first = found.password ? 'password' : found.newPassword ? 'newPassword' : undefined
    if (first) fields.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus()
    else change.mutate(values)
  }

  return (
    <FormShell
      submitError={change.error}
      isSubmitting={change.isPending}
      isDirty={password !== '' || newPassword !== ''}
      onSubmit={submit}
      submitLabel={t`Change the password`}
    >
      <div ref={fields} className={styles.fields}>
        {/* Tells a password manager whose password this is. */}
        <input hidden readOnly type="email" autoComplete="username" value={email ?? ''} />
        <PasswordField
          label={<Trans>Present password</Trans>}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => set({ password: event.target.value })}
          error={errorOf('password')}
        />
        <PasswordField
          label={<Trans>New password</Trans>}
          name="newPassword"
          autoComplete="new-password"
          value={newPassword}
          onChange={(event) => set({ newPassword: event.target.value })}
          error={errorOf('newPassword')}
          hint={<PasswordRulesList password={newPassword} />}
        />
      </div>
    </FormShell>
  )
}
