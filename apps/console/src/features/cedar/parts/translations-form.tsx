import type { VersionTextField } from '@grove/contract/cedar/product-version.rules'
import { locales } from '@grove/contract/locale.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Globe } from 'lucide-react'
import { ConflictNotice } from '../../../ui/form/conflict-notice.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import type { EditForm } from '../../../ui/form/use-edit-form.ts'
import { localeNames } from '../../../ui/i18n/locale.ts'
import { fieldLabels } from './field-labels.ts'
import { TranslationFields } from './translation-fields.tsx'
import { versionFields, type Draft } from './translations.ts'

interface TranslationsFormProps {
  form: EditForm<Draft>
  fields: readonly VersionTextField[]
  /** Saving changes what everyone sees. */
  isLive?: boolean
}

export function TranslationsForm({ form, fields, isLive = false }: TranslationsFormProps) {
  const { t, i18n } = useLingui()
  /** The language and the field of a path such as `en-US.title`. */
  const labelOf = (path: string) => {
    const locale = locales.find((each) => path.startsWith(each))
    const field = versionFields.find((each) => path.endsWith(`.${each}`))
    return locale && field ? `${localeNames[locale]}, ${i18n._(fieldLabels[field])}` : path
  }
  return (
    <FormShell form={form} submitLabel={isLive ? t`Publish changes` : t`Save`} draft="texts">
      <TranslationFields
        fields={fields}
        draft={form.values}
        onChange={form.set}
        errors={form.errors}
      />
      <ConflictNotice form={form} labelOf={labelOf} />
      {isLive && (
        <p className="form-notice">
          <Globe size={16} aria-hidden />
          <Trans>This version is live: what you publish is visible to everyone at once.</Trans>
        </p>
      )}
    </FormShell>
  )
}
