import type { MapleAccount } from '@grove/contract'
import { isRole, mostRoles } from '@grove/contract/maple/account.rules'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { api } from '../../../session/api.ts'
import { Field } from '../../../ui/field/field.tsx'
import { ConflictNotice } from '../../../ui/form/conflict-notice.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useEditForm } from '../../../ui/form/use-edit-form.ts'
import { useForm, type Form } from '../../../ui/form/use-form.ts'
import { SidePanel } from '../../../ui/panel/side-panel.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { accounts } from './account.api.ts'

/** As the fields hold them: roles separated by commas, the expiry in the reader's time zone. */
interface AccountValues {
  id: string
  roles: string
  expiresAt: string
}

const rolesOf = (text: string) => text.split(/[\s,]+/).filter((role) => role !== '')
const expiryOf = (text: string) => (text === '' ? null : new Date(text).toISOString())

function localTime(expiresAt: string | null): string {
  if (expiresAt === null) return ''
  const date = new Date(expiresAt)
  const offset = date.getTimezoneOffset() * 60_000
  return new Date(date.getTime() - offset).toISOString().slice(0, 16)
}

const savedOf = ({ id, roles, expiresAt, revision }: MapleAccount) => ({
  values: { id, roles: roles.join(', '), expiresAt: localTime(expiresAt) },
  revision,
})

const fieldOf = (path: string) => path.replace(/^roles\.\d+$/, 'roles')

function useAccountCheck() {
  const { t } = useLingui()
  return ({ id, roles, expiresAt }: AccountValues) => {
    const wrong = rolesOf(roles).find((role) => !isRole(role))
    return {
      id: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id.trim())
        ? undefined
        : t`Enter a user id, such as 0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55.`,
      roles:
        wrong !== undefined
          ? t`“${wrong}” is not a role name. Start with a letter; use letters, digits and . _ -`
          : rolesOf(roles).length > mostRoles
            ? t`Enter at most ${mostRoles} roles.`
            : undefined,
      expiresAt:
        expiresAt === '' || /^2\d{3}-/.test(expiresAt)
          ? undefined
          : t`Enter a date from the year 2000 on.`,
    }
  }
}

export function CreateAccount(props: { onCreated: (id: string) => void; onClose: () => void }) {
  const { t } = useLingui()
  const form = useForm({
    values: { id: '', roles: '', expiresAt: '' },
    check: useAccountCheck(),
    fieldOf,
    submit: ({ id, roles, expiresAt }) =>
      api.maple.post('/api/maple/account', {
        body: { id: id.trim(), roles: rolesOf(roles), expiresAt: expiryOf(expiresAt) },
      }),
    onSaved: ({ id }) => {
      void accounts.refresh()
      notify({ text: t`The account is registered.` })
      props.onCreated(id)
    },
    isOnce: true,
  })
  return (
    <SidePanel title={t`Register an account`} mode="form" onClose={props.onClose}>
      <AccountFields
        form={form}
        isNew
        submitLabel={t`Register`}
        draft="new-account"
        isKeptBy={(search) => search['create'] === true}
        onCancel={props.onClose}
      />
    </SidePanel>
  )
}

/** The form of an account. What others change meanwhile is merged into it. */
export function EditAccount({ account, onEnd }: { account: MapleAccount; onEnd: () => void }) {
  const { t } = useLingui()
  const { id } = account
  const form = useEditForm<AccountValues>({
    saved: savedOf(account),
    check: useAccountCheck(),
    fieldOf,
    submit: async ({ roles, expiresAt }, from) => {
      const saved = await api.maple.put('/api/maple/account', {
        query: { id },
        ...(from.revision !== undefined && { ifMatch: from.revision }),
        body: {
          roles: rolesOf(roles),
          // The field has no seconds: an expiry that is not changed is not sent.
          ...(expiresAt !== from.values.expiresAt && { expiresAt: expiryOf(expiresAt) }),
        },
      })
      void accounts.refresh(saved)
      return savedOf(saved)
    },
    load: async () => savedOf(await accounts.read(id)),
    onSaved: () => {
      notify({ text: t`Saved.` })
      onEnd()
    },
  })
  return (
    <AccountFields
      form={form}
      isNew={false}
      submitLabel={t`Save`}
      draft={`account ${id}`}
      isKeptBy={(search) => search['account'] === id && search['edit'] === true}
      onCancel={onEnd}
    >
      <ConflictNotice
        form={form}
        labelOf={(path) => (path === 'roles' ? t`Roles` : t`Expiry (optional)`)}
      />
    </AccountFields>
  )
}

interface AccountFieldsProps {
  form: Form<AccountValues>
  isNew: boolean
  submitLabel: string
  draft: string
  isKeptBy: (search: Record<string, unknown>) => boolean
  onCancel: () => void
  children?: ReactNode
}

function AccountFields({ form, isNew, children, ...shell }: AccountFieldsProps) {
  const { t } = useLingui()
  const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }
  return (
    <FormShell form={form} place="panel" {...shell}>
      {isNew && (
        <Field
          label={t`User id`}
          hint={t`Copy it from the People page. It cannot be changed later.`}
          {...plain}
          {...form.input('id')}
        />
      )}
      <Field
        label={t`Roles`}
        hint={t`Names separated by commas, such as operator, auditor`}
        {...plain}
        {...form.input('roles')}
      />
      <Field
        label={t`Expiry (optional)`}
        type="datetime-local"
        hint={t`In your time zone. Left empty, the account does not expire.`}
        {...form.input('expiresAt')}
      />
      {children}
    </FormShell>
  )
}
