import { passwordRules, type PasswordRules } from '@grove/auth-client/rules'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Check, Circle } from 'lucide-react'

const rules: { name: keyof PasswordRules; text: MessageDescriptor }[] = [
  { name: 'length', text: msg`8 to 20 characters` },
  { name: 'lowercase', text: msg`a lowercase letter` },
  { name: 'uppercase', text: msg`an uppercase letter` },
  { name: 'digit', text: msg`a digit` },
  { name: 'special', text: msg`one of @ $ ! % * ? &` },
  { name: 'allowed', text: msg`only Latin letters, digits and these characters` },
]

/** The password rules of spec §5, ticked off while typing. */
export function PasswordRulesList({ password }: { password: string }) {
  const { i18n, t } = useLingui()
  const met = passwordRules(password)
  return (
    <ul className="rules" aria-label={t`Password rules`}>
      {rules.map(({ name, text }) => {
        // An empty password contains no forbidden character, but that deserves no tick.
        const isMet = met[name] && password !== ''
        return (
          <li key={name} className={isMet ? 'met' : undefined}>
            {isMet ? <Check size={14} aria-hidden /> : <Circle size={14} aria-hidden />}
            {i18n._(text)}
            <span className="visually-hidden">{isMet ? t`: met` : t`: not met yet`}</span>
          </li>
        )
      })}
    </ul>
  )
}
