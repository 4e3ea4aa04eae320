import type { MapleAccount } from '@grove/contract/maple/access/account'
import { maxRoles } from '@grove/contract/maple/access/account.rules'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { addProblemTexts } from '../../../../api/problem-text.ts'
import { PersonField } from '../../../../people/person-field.tsx'
import { api } from '../../../../session/api.ts'
import { checkFields, Fields, type FormFields } from '../../../../ui/form/fields.tsx'
import { fromLocalTime, toLocalTime } from '../../../../ui/i18n/local-time.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { EditItem } from '../../../../ui/panel/edit-item.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { ServiceChoice } from '../../base/service-choice.tsx'
import { accounts } from './account.api.ts'
import { RoleField, rolesOf } from './role-field.tsx'

addProblemTexts({
  unknown_user: msg`No account has this ID or confirmed email. Check it, or ask the person to sign in once.`,
})

/** As the form holds them: roles separated by commas, the expiry in the reader's time zone. */
interface AccountValues {
  id: string
  roles: string
  serviceId: string
  expiresAt: string
}

interface NewAccount extends NewItem {
  /** The user, on a page about one. */
  userId?: string
}

export function CreateAccount({ userId, ...panel }: NewAccount) {
  const { t } = useLingui()
  const fields = useAccountFields()
  const rolesProblem = useRolesProblem()
  return (
    <CreateItem
      {...panel}
      items={
        userId === undefined
          ? accounts
          : // A draft for one person must not appear for another.
            { ...accounts, list: { name: `${accounts.list.name} ${userId}` } }
      }
      title={t`New account`}
      submitLabel={t`Create`}
      savedText={() => t`The account is registered.`}
      form={{
        values: { id: userId ?? '', roles: '', serviceId: '', expiresAt: '' },
        check: (values) => ({
          id: values.id.trim() === '' ? t`Choose a person.` : undefined,
          roles: rolesProblem(values.roles),
          ...checkFields(fields, values),
        }),
        submit: ({ id, roles, serviceId, expiresAt }) =>
          api.maple.post('/api/maple/account', {
            body: {
              id: id.trim(),
              roles: rolesOf(roles),
              serviceId: serviceId || null,
              expiresAt: fromLocalTime(expiresAt),
            },
          }),
      }}
    >
      {(form) => (
        <>
          {userId === undefined && (
            <PersonField
              label={t`Person`}
              value={form.values.id}
              error={form.errors['id']}
              onChange={(id) => form.set({ id })}
            />
          )}
          <AccountFields form={form} />
        </>
      )}
    </CreateItem>
  )
}

export function EditAccount({ account, onEnd }: { account: MapleAccount; onEnd: () => void }) {
  const { t } = useLingui()
  const fields = useAccountFields()
  const rolesProblem = useRolesProblem()
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
      form={{
        check: (values) => ({ roles: rolesProblem(values.roles), ...checkFields(fields, values) }),
        submit: ({ id, roles, serviceId, expiresAt }, from, ifMatch) =>
          api.maple.put('/api/maple/account', {
            query: { id },
            ...ifMatch,
            body: {
              roles: rolesOf(roles),
              serviceId: serviceId || null,
              // The field has no seconds, so an unchanged expiry is not sent.
              ...(expiresAt !== from.expiresAt && { expiresAt: fromLocalTime(expiresAt) }),
            },
          }),
      }}
      labels={{
        roles: t`Roles`,
        expiresAt: fields.expiresAt.label,
        serviceId: t`Service provider (optional)`,
      }}
      onEnd={onEnd}
    >
      {(form) => <AccountFields form={form} />}
    </EditItem>
  )
}

function AccountFields({ form }: { form: Form<AccountValues> }) {
  return (
    <>
      <RoleField
        value={form.values.roles}
        error={form.errors['roles']}
        onChange={(roles) => form.set({ roles })}
      />
      <Fields form={form} fields={useAccountFields()} />
      <ServiceField form={form} />
    </>
  )
}

function ServiceField({ form }: { form: Form<AccountValues> }) {
  const { t } = useLingui()
  return (
    <ServiceChoice
      label={t`Service provider (optional)`}
      hint={t`The account then only has rights on that service provider’s objects.`}
      value={form.values.serviceId}
      error={form.errors['serviceId']}
      onChange={(serviceId) => form.set({ serviceId })}
    />
  )
}

function useRolesProblem() {
  const { t } = useLingui()
  return (text: string) =>
    rolesOf(text).length > maxRoles ? t`Enter at most ${maxRoles} roles.` : undefined
}

function useAccountFields() {
  const { t } = useLingui()
  return {
    expiresAt: {
      label: t`Expiry (optional)`,
      type: 'datetime-local',
      hint: t`In your time zone. If empty, the account does not expire.`,
      problemOf: (text) =>
        text === '' || /^2\d{3}-/.test(text) ? undefined : t`Enter a date in 2000 or later.`,
    },
  } satisfies FormFields<AccountValues>
}
