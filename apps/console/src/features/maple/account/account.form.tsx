import { isUuid } from '@grove/auth-client/rules'
import type { MapleAccount } from '@grove/contract'
import { isRole, mostRoles } from '@grove/contract/maple/account.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { codeField, type FormFields } from '../../../ui/form/fields.tsx'
import { fromLocalTime, toLocalTime } from '../../../ui/i18n/local-time.ts'
import { CreateItem, type NewItem } from '../../../ui/panel/create-item.tsx'
import { EditItem } from '../../../ui/panel/edit-item.tsx'
import { accounts } from './account.api.ts'

/** As the fields hold them: roles separated by commas, the expiry in the reader's time zone. */
interface AccountValues {
  id: string
  roles: string
  expiresAt: string
}

const rolesOf = (text: string) => text.split(/[\s,]+/).filter((role) => role !== '')

export function CreateAccount(panel: NewItem) {
  const { t } = useLingui()
  return (
    <CreateItem
      {...panel}
      items={accounts}
      title={t`Register an account`}
      submitLabel={t`Register`}
      savedText={() => t`The account is registered.`}
      fields={useAccountFields()}
      form={{
        values: { id: '', roles: '', expiresAt: '' },
        submit: ({ id, roles, expiresAt }) =>
          api.maple.post('/api/maple/account', {
            body: { id: id.trim(), roles: rolesOf(roles), expiresAt: fromLocalTime(expiresAt) },
          }),
      }}
    />
  )
}

export function EditAccount({ account, onEnd }: { account: MapleAccount; onEnd: () => void }) {
  const { id: _, ...fields } = useAccountFields()
  return (
    <EditItem
      items={accounts}
      item={account}
      valuesOf={({ id, roles, expiresAt }): AccountValues => ({
        id,
        roles: roles.join(', '),
        expiresAt: toLocalTime(expiresAt),
      })}
      fields={fields}
      form={{
        submit: ({ id, roles, expiresAt }, from, ifMatch) =>
          api.maple.put('/api/maple/account', {
            query: { id },
            ...ifMatch,
            body: {
              roles: rolesOf(roles),
              // The field has no seconds: an expiry that is not changed is not sent.
              ...(expiresAt !== from.expiresAt && { expiresAt: fromLocalTime(expiresAt) }),
            },
          }),
      }}
      onEnd={onEnd}
    />
  )
}

function useAccountFields() {
  const { t } = useLingui()
  return {
    id: {
      label: t`User id`,
      hint: t`Copy it from the People page. It cannot be changed later.`,
      problemOf: (id) =>
        isUuid(id.trim())
          ? undefined
          : t`Enter a user id, such as 0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55.`,
      ...codeField,
    },
    roles: {
      label: t`Roles`,
      hint: t`Names separated by commas, such as operator, auditor`,
      problemOf: (text) => {
        const wrong = rolesOf(text).find((role) => !isRole(role))
        if (wrong !== undefined)
          return t`“${wrong}” is not a role name. Start with a letter; use letters, digits and . _ -`
        return rolesOf(text).length > mostRoles ? t`Enter at most ${mostRoles} roles.` : undefined
      },
      ...codeField,
    },
    expiresAt: {
      label: t`Expiry (optional)`,
      type: 'datetime-local',
      hint: t`In your time zone. Left empty, the account does not expire.`,
      problemOf: (text) =>
        text === '' || /^2\d{3}-/.test(text) ? undefined : t`Enter a date from the year 2000 on.`,
    },
  } satisfies FormFields<AccountValues>
}
