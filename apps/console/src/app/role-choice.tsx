import { Trans } from '@lingui/react/macro'

export type Role = 'DEVELOPER' | 'CUSTOMER'

interface RoleChoiceProps {
  value: Role
  onChange: (role: Role) => void
}

/** The roles that a new account may choose for itself (design decision 7). */
export const RoleChoice = ({ value, onChange }: RoleChoiceProps) => (
  <fieldset className="choice">
    <legend>
      <Trans>I am</Trans>
    </legend>
    <label>
      <input
        type="radio"
        name="role"
        checked={value === 'DEVELOPER'}
        onChange={() => onChange('DEVELOPER')}
      />
      <span>
        <Trans>a developer</Trans>
        <small>
          <Trans>I publish mini-apps and use the dashboard.</Trans>
        </small>
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
        <Trans>a customer</Trans>
        <small>
          <Trans>I use mini-apps; there is no dashboard for me.</Trans>
        </small>
      </span>
    </label>
  </fieldset>
)
