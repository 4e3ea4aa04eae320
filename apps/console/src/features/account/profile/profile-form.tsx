import type { LocaleCode, Profile } from '@grove/contract'
import { longestName } from '@grove/contract/auth/account.rules'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '../../../session/api.ts'
import { Field } from '../../../ui/field/field.tsx'
import { chooseLocale, localeNames } from '../../../ui/i18n/locale.ts'
import { fieldErrors } from '../../../api/field-errors.ts'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { notify } from '../../../ui/toast/notify.tsx'
import { profileQuery } from '../account-queries.ts'
import styles from './profile.module.css'

interface Values {
  name: string
  locale: LocaleCode
}

/** Name and language. What was not touched follows the account, wherever it is changed. */
export function ProfileForm({ profile }: { profile: Profile }) {
  const { i18n, t } = useLingui()
  const client = useQueryClient()
  const localeId = useId()
  const [draft, setDraft] = useState<Partial<Values>>({})
  const saved: Values = { name: profile.name ?? '', locale: profile.locale }
  const values = { ...saved, ...draft }
  const isDirty = values.name.trim() !== saved.name || values.locale !== saved.locale
  const change = (part: Partial<Values>) => setDraft((now) => ({ ...now, ...part }))

  const save = useMutation({
    mutationFn: ({ name, locale }: Values) =>
      api.auth.put('/api/user/profile', { body: { name: name.trim() || null, locale } }),
    onSuccess: async (answer) => {
      client.setQueryData(profileQuery.queryKey, answer)
      setDraft({})
      if (answer.locale !== saved.locale) await chooseLocale(answer.locale)
      // In the language that was chosen.
      notify({ text: i18n._(msg`Saved.`) })
    },
  })
  const errors = fieldErrors(save.error, i18n)

  return (
    <FormShell
      submitError={save.error}
      isSubmitting={save.isPending}
      isDirty={isDirty}
      onSubmit={() => save.mutate(values)}
      submitLabel={t`Save`}
      disabledReason={isDirty ? undefined : t`Nothing has changed.`}
    >
      <div className={styles.fields}>
        <Field
          label={<Trans context="of a person">Name</Trans>}
          name="name"
          autoComplete="name"
          maxLength={longestName}
          value={values.name}
          onChange={(event) => change({ name: event.target.value })}
          error={errors['name']}
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
              value={values.locale}
              onChange={(event) => change({ locale: event.target.value as LocaleCode })}
            >
              {Object.entries(localeNames).map(([locale, name]) => (
                <option key={locale} value={locale} lang={locale}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <div id={`${localeId}-hint`} className="field-hint">
            <Trans>Mails to you are written in it. This console changes to it when you save.</Trans>
          </div>
        </div>
      </div>
    </FormShell>
  )
}
