import { useLingui } from '@lingui/react/macro'

export type Role = 'DEVELOPER' | 'CUSTOMER'

interface RoleChoiceProps {
  value: Role
  onChange: (role: Role) => void
  error?: string | undefined
}

/** The roles that a new account may choose (design decision 7). */
export function RoleChoice({ value, onChange, error }: RoleChoiceProps) {
  const { t } = useLingui()
  return (
    <fieldset className="choice">
      <legend>{t`I am`}</legend>
      <label>
        <input
          type="radio"
          name="role"
          checked={value === 'DEVELOPER'}
          onChange={() => onChange('DEVELOPER')}
        />
        <span>
          {t`a developer`}
          <small>{t`I publish mini-apps and use the dashboard.`}</small>
        </span>
      </label>
      <label>
        <input
          type="radio"
          name="role"
          checked={value === 'CUSTOMER'}
          onChange={() => onChange('CUSTOMER')}
        />
        <span>
          {t`a customer`}
          <small>{t`I use mini-apps; I do not need the dashboard.`}</small>
        </span>
      </label>
      {error && (
        <div className="field-error" role="alert">
          {error}
        </div>
      )}
    </fieldset>
  )
}
