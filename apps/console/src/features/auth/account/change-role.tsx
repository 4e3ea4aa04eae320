import type { Account } from '@grove/contract/auth/account-admin'
import { accountRoles, type AccountRole } from '@grove/contract/auth/account.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { notify } from '../../../ui/toast/notify.ts'
import { accounts } from './account.api.ts'
import { useRoleHints } from '../parts/role-hints.ts'
import { useRoleWords } from '../parts/role.labels.ts'
import { nameOf } from './use-switch-account.tsx'

/** The one role of an account, and what it allows. */
export function ChangeRole({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useLingui()
  const words = useRoleWords()
  const hints = useRoleHints()
  const who = nameOf(account)
  const role: AccountRole =
    accountRoles.findLast((each) => account.roles.includes(each)) ?? accountRoles[0]
  const form = useForm({
    values: { role },
    submit: (values) =>
      api.auth.put('/api/admin/account/{id}', { params: { id: account.id }, body: values }),
    onSaved: (saved: Account) => {
      notify({ text: t`The role of ${who} is changed.` })
      void accounts.refresh(saved)
      onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog
      title={t`Change the role of ${who}`}
      form={form}
      submitLabel={t`Change role`}
      onClose={onClose}
    >
      <SelectField
        label={t`Role`}
        value={form.values.role}
        words={words}
        onChange={(chosen) => form.set({ role: chosen })}
      />
      <p className="muted">{hints[form.values.role]}</p>
      <p className="muted">
        {t`A role that is taken away ends within seconds. A new one applies when the person’s session is renewed, at most ten minutes later.`}
      </p>
    </FormDialog>
  )
}
