import type { LocaleCode } from '@grove/contract/locale.rules'
import type { Profile } from '@grove/contract/auth/profile'
import { maxNameLength } from '@grove/contract/auth/account.rules'
import { normaliseName } from '@grove/contract/name.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { api } from '../../../session/api.ts'
import { Field } from '../../../ui/field/field.tsx'
import { useNameProblem } from '../../../ui/form/name-problem.ts'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useEditForm } from '../../../ui/form/use-edit-form.ts'
import { followAccount, localeNames } from '../../../ui/i18n/locale.ts'
import { profileQuery } from '../../../session/profile.ts'
import styles from './profile.module.css'

const savedOf = ({ name, locale }: Profile) => ({ values: { name: name ?? '', locale } })

/** Name and language. */
export function ProfileForm({ profile }: { profile: Profile }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const localeId = useId()
  const nameProblem = useNameProblem()
  const form = useEditForm({
    saved: savedOf(profile),
    isSame: (one, other) =>
      normaliseName(one.name) === normaliseName(other.name) && one.locale === other.locale,
    check: ({ name }) => ({ name: nameProblem(name, { isOptional: true }) }),
    submit: async ({ name, locale }) => {
      const body = { name: normaliseName(name) || null, locale }
      const answer = await api.auth.put('/api/user/profile', { body })
      client.setQueryData(profileQuery.queryKey, answer)
      if (answer.locale !== profile.locale) await followAccount(answer.locale)
      return savedOf(answer)
    },
  })
  return (
    <FormShell form={form} place="section" submitLabel={t`Save`} draft="profile">
      <div className={styles.fields}>
        <Field
          label={<Trans context="of a person">Name</Trans>}
          autoComplete="name"
          maxLength={maxNameLength}
          {...form.input('name')}
        />
        <div className="field">
          <label htmlFor={localeId}>
            <Trans>Language</Trans>
          </label>
          <div>
            <select
              id={localeId}
              className="select"
              aria-describedby={`${localeId}-hint`}
              value={form.values.locale}
              onChange={(event) => form.set({ locale: event.target.value as LocaleCode })}
            >
              {Object.entries(localeNames).map(([locale, name]) => (
                <option key={locale} value={locale} lang={locale}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <div id={`${localeId}-hint`} className="field-hint">
            <Trans>The language of this console and of the emails you get.</Trans>
          </div>
        </div>
      </div>
    </FormShell>
  )
}
