import { isPassword } from '@grove/auth-client/rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { PasswordField } from '../../../ui/field/password-field.tsx'
import { PasswordRulesList } from '../../../ui/field/password-rules.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { notify } from '../../../ui/toast/notify.ts'
import styles from './password-form.module.css'

const nothing = { password: '', newPassword: '' }

export function PasswordForm({ email }: { email: string | null }) {
  const { t } = useLingui()
  const form = useForm({
    values: nothing,
    check: ({ password, newPassword }) => ({
      password: password === '' ? t`Enter your current password.` : undefined,
      newPassword: !isPassword(newPassword)
        ? t`The password must meet every rule.`
        : newPassword === password
          ? t`This is your current password. Choose another one.`
          : undefined,
    }),
    fieldOfCode: { wrong_password: 'password' },
    submit: (body) => api.auth.put('/api/user/password', { body }),
    savedValues: () => nothing,
    onSaved: () => {
      notify({ text: t`Your password is changed. Every other session has ended.` })
      void api.auth.invalidate('/api/user/session')
    },
  })
  return (
    <FormShell form={form} place="section" submitLabel={t`Change the password`}>
      <div className={styles.fields}>
        {/* Tells a password manager which account the password belongs to. */}
        <input hidden readOnly type="email" autoComplete="username" value={email ?? ''} />
        <PasswordField
          label={<Trans>Current password</Trans>}
          autoComplete="current-password"
          {...form.input('password')}
        />
        <PasswordField
          label={<Trans>New password</Trans>}
          autoComplete="new-password"
          {...form.input('newPassword')}
          hint={<PasswordRulesList password={form.values.newPassword} />}
        />
      </div>
    </FormShell>
  )
}
