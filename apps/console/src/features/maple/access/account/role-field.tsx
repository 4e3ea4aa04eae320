import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { useRightWords } from '../right.labels.ts'
import { isRightsKnown, rolesQuery } from './account.api.ts'

/** Roles as a form holds them: names separated by commas. */
export const rolesOf = (text: string) => text.split(/[\s,]+/).filter((role) => role !== '')

interface HintedRole {
  role: string
  rights?: readonly string[] | undefined
}

interface RoleFieldProps {
  /** The roles, separated by commas. */
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

/** The roles of an account as checkboxes, each with a description. */
export function RoleField({ value, error, onChange }: RoleFieldProps) {
  const { t } = useLingui()
  const { data, error: failure, refetch } = useQuery(rolesQuery())
  const hintOf = useRoleHint()
  const chosen = rolesOf(value)
  // Roles it had when the form opened stay visible once they are unchecked.
  const [former] = useState(chosen)
  const known = data?.items.filter(({ isKnown }) => isKnown) ?? []
  const others = [...new Set([...former, ...chosen])].filter(
    (name) => !known.some(({ role }) => role === name),
  )
  const rights = isRightsKnown(known) ? [] : undefined
  const roles: HintedRole[] = [...known, ...others.map((role) => ({ role, rights }))]
  const set = (role: string, isChosen: boolean) =>
    onChange([...chosen.filter((each) => each !== role), ...(isChosen ? [role] : [])].join(', '))
  return (
    <fieldset className="choice">
      <legend>{t`Roles`}</legend>
      {roles.map(({ role, rights }) => (
        <label key={role}>
          <input
            type="checkbox"
            checked={chosen.includes(role)}
            onChange={({ target }) => set(role, target.checked)}
          />
          <span>
            {role}
            <small>{hintOf(role, rights)}</small>
          </span>
        </label>
      ))}
      {!data && !failure && <div className="skeleton" />}
      {!data && failure && <PartFailure error={failure} refetch={refetch} />}
      {error && (
        <div className="field-error" role="alert">
          {error}
        </div>
      )}
    </fieldset>
  )
}

/** What a role is for; if the console does not know it, its rights. */
function useRoleHint() {
  const { t } = useLingui()
  const words: Partial<Record<string, string>> = useRightWords()
  const hints: Partial<Record<string, string>> = {
    admin: t`Does everything, also with keys of secure elements.`,
    provider_admin: t`Runs a service provider: everything but keys of secure elements, approvals and the providers themselves.`,
    developer: t`Writes and runs programs, uploads applets and firmware, and sends commands to devices.`,
    operator: t`Registers, imports and changes devices, and runs programs and rollouts.`,
    security_officer: t`Changes keys of secure elements and approves requests; changes no devices and no accounts.`,
    auditor: t`Sees everything, the audit trail too, and changes nothing.`,
    viewer: t`Sees devices, secure elements and service providers.`,
  }
  return (role: string, rights: readonly string[] | undefined) =>
    rights === undefined
      ? ''
      : rights.length === 0
        ? t`grants no rights`
        : (hints[role] ?? rights.map((right) => words[right] ?? right).join(', '))
}
