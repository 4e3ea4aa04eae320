import { isUuid } from '@grove/auth-client/rules'
import type { MapleAccount } from '@grove/contract/maple/access/account'
import { isRole, maxRoles } from '@grove/contract/maple/access/account.rules'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { addProblemTexts } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { codeField, type FormFields } from '../../../../ui/form/fields.tsx'
import { fromLocalTime, toLocalTime } from '../../../../ui/i18n/local-time.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { EditItem } from '../../../../ui/panel/edit-item.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { Choice } from '../../base/choice.tsx'
import { searchServices } from '../../base/search-services.ts'
import { accounts, userIdOf } from './account.api.ts'

addProblemTexts({
  unknown_user: msg`No account has this ID or confirmed email. Check it, or ask the person to sign in once.`,
})

/** As the fields hold them: roles separated by commas, the expiry in the reader's time zone. */
interface AccountValues {
  id: string
  roles: string
  serviceId: string
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
        values: { id: '', roles: '', serviceId: '', expiresAt: '' },
        submit: async ({ id, roles, serviceId, expiresAt }) =>
          api.maple.post('/api/maple/account', {
            body: {
              id: await userIdOf(id.trim(), t`No account has this email address.`),
              roles: rolesOf(roles),
              serviceId: serviceId || null,
              expiresAt: fromLocalTime(expiresAt),
            },
          }),
      }}
    >
      {(form) => <ServiceField form={form} />}
    </CreateItem>
  )
}

export function EditAccount({ account, onEnd }: { account: MapleAccount; onEnd: () => void }) {
  const { t } = useLingui()
  const { id: _, ...fields } = useAccountFields()
  return (
    <EditItem
      items={accounts}
      item={account}
      valuesOf={({ id, roles, serviceId, expiresAt }): AccountValues => ({
        id,
        serviceId: serviceId ?? '',
        roles: roles.join(', '),
        expiresAt: toLocalTime(expiresAt),
      })}
      fields={fields}
      form={{
        submit: ({ id, roles, serviceId, expiresAt }, from, ifMatch) =>
          api.maple.put('/api/maple/account', {
            query: { id },
            ...ifMatch,
            body: {
              roles: rolesOf(roles),
              serviceId: serviceId || null,
              // The field has no seconds: an expiry that is not changed is not sent.
              ...(expiresAt !== from.expiresAt && { expiresAt: fromLocalTime(expiresAt) }),
            },
          }),
      }}
      labels={{ serviceId: t`Service provider (optional)` }}
      onEnd={onEnd}
    >
      {(form) => <ServiceField form={form} />}
    </EditItem>
  )
}

function ServiceField({ form }: { form: Form<AccountValues> }) {
  const { t } = useLingui()
  return (
    <Choice
      label={t`Service provider (optional)`}
      hint={t`The account then only has rights on that service provider’s objects.`}
      value={form.values.serviceId}
      options={searchServices}
      error={form.errors['serviceId']}
      onChange={(serviceId) => form.set({ serviceId })}
    />
  )
}

function useAccountFields() {
  const { t } = useLingui()
  return {
    id: {
      label: t`User ID or email`,
      hint: t`Copy the ID from People. It cannot be changed later.`,
      problemOf: (id) =>
        isUuid(id.trim()) || /^\S+@\S+$/.test(id.trim())
          ? undefined
          : t`Enter an email address, or a user ID such as 0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55.`,
      ...codeField,
    },
    roles: {
      label: t`Roles`,
      hint: t`Names separated by commas, such as operator, auditor`,
      problemOf: (text) => {
        const wrong = rolesOf(text).find((role) => !isRole(role))
        if (wrong !== undefined)
          return t`“${wrong}” is not a role name. Start with a letter; use letters, digits and . _ -`
        return rolesOf(text).length > maxRoles ? t`Enter at most ${maxRoles} roles.` : undefined
      },
      ...codeField,
    },
    expiresAt: {
      label: t`Expiry (optional)`,
      type: 'datetime-local',
      hint: t`In your time zone. If empty, the account does not expire.`,
      problemOf: (text) =>
        text === '' || /^2\d{3}-/.test(text) ? undefined : t`Enter a date in 2000 or later.`,
    },
  } satisfies FormFields<AccountValues>
}
