import { isEmail } from '@grove/auth-client/rules'
import type { Invitation } from '@grove/contract/auth/invitation'
import { accountRoles, maxEmailLength, type AccountRole } from '@grove/contract/auth/account.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ApiProblem } from '../../../api/problem.ts'
import { api } from '../../../session/api.ts'
import { SelectField } from '../../../ui/field/select-field.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { currentLocale, localeNames, type Locale } from '../../../ui/i18n/locale.ts'
import { Link } from '../../../ui/link/link.tsx'
import { CreateItem, type NewItem } from '../../../ui/panel/create-item.tsx'
import { useRoleHints } from '../parts/role-hints.ts'
import { useRoleWords } from '../parts/role.labels.ts'
import { invitations, path } from './invitation.api.ts'

interface InvitationValues {
  email: string
  role: AccountRole
  locale: Locale
}

/** Invites a person by email. */
export function CreateInvitation(panel: NewItem) {
  const { t } = useLingui()
  return (
    <CreateItem<InvitationValues, Invitation>
      {...panel}
      items={invitations}
      title={t`Invite a person`}
      submitLabel={t`Send invitation`}
      savedText={({ email }) => t`The invitation is sent to ${email}.`}
      fields={{
        email: {
          label: t`Email`,
          type: 'email',
          inputMode: 'email',
          autoComplete: 'off',
          autoCapitalize: 'none',
          spellCheck: false,
          maxLength: maxEmailLength,
          problemOf: (email) =>
            isEmail(email.trim())
              ? undefined
              : t`Enter a valid email address, such as name@example.com.`,
        },
      }}
      form={{
        values: { email: '', role: 'DEVELOPER', locale: currentLocale() },
        submit: ({ email, ...choice }) =>
          api.auth.post(path, { body: { ...choice, email: email.trim() } }),
      }}
    >
      {(form) => (
        <>
          <WhoHasIt form={form} />
          <RoleField form={form} />
          <SelectField
            label={t`Language of the email`}
            value={form.values.locale}
            words={localeNames}
            onChange={(locale) => form.set({ locale })}
          />
        </>
      )}
    </CreateItem>
  )
}

/** The form on the People page; it opens the new invitation. */
export function InvitePerson({ onClose }: NewItem) {
  const navigate = useNavigate()
  const open = (invitation: string) =>
    void navigate({ to: '/dashboard/cedar/account/invitations', search: { invitation } })
  return <CreateInvitation onClose={onClose} onCreated={open} />
}

/** Links to the person who already has the address, or to the invitation that is pending. */
function WhoHasIt({ form }: { form: Form<InvitationValues> }) {
  const { error, errors, values } = form
  if (!(error instanceof ApiProblem) || errors['email'] === undefined) return null
  const email = values.email.trim()
  if (error.code === 'account_exists') return <ExistingPerson email={email.toLowerCase()} />
  if (error.code !== 'already_invited') return null
  return (
    <p>
      <Link to="/dashboard/cedar/account/invitations" search={{ q: email }}>
        <Trans>Open the invitation of {email}</Trans>
      </Link>
    </p>
  )
}

function ExistingPerson({ email }: { email: string }) {
  const { data } = useQuery(api.auth.query('/api/admin/account', { query: { q: email, limit: 5 } }))
  const person = data?.items.find((each) => each.email === email)
  if (!person) return null
  return (
    <p>
      <Link to="/dashboard/cedar/account/people/$userId" params={{ userId: person.id }}>
        <Trans>Open the page of {email}</Trans>
      </Link>
    </p>
  )
}

function RoleField({ form }: { form: Form<InvitationValues> }) {
  const { t } = useLingui()
  const words = useRoleWords()
  const hints = useRoleHints()
  return (
    <fieldset className="choice">
      <legend>{t`Role`}</legend>
      {accountRoles.map((role) => (
        <label key={role}>
          <input
            type="radio"
            name="role"
            checked={form.values.role === role}
            onChange={() => form.set({ role })}
          />
          <span>
            {words[role]}
            <small>{hints[role]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
