import { locales } from '@grove/contract/locale.rules'
import { type VersionTextField } from '@grove/contract/cedar/product-version.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Globe } from 'lucide-react'
import { ConflictNotice } from '../../../ui/form/conflict-notice.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useEditForm } from '../../../ui/form/use-edit-form.ts'
import { localeNames } from '../../../ui/i18n/locale.ts'
import { checkDraft, draftPath } from './check-draft.ts'
import { fieldLabels } from './field-labels.ts'
import { TranslationFields } from './translation-fields.tsx'
import { fromDraft, isSameDraft, toDraft, versionFields, type Translation } from './translations.ts'

interface SavedTexts {
  translations: readonly Translation[]
  revision: number
}

interface TranslationsFormProps {
  fields: readonly VersionTextField[]
  saved: SavedTexts
  /** Saving changes what everyone sees, and the default locale must stay. */
  isLive?: boolean
  save: (translations: Translation[], revision: number) => Promise<SavedTexts>
  /** What the service holds now. */
  reload: () => Promise<SavedTexts>
}

const savedOf = ({ translations, revision }: SavedTexts) => ({
  values: toDraft(translations),
  revision,
})

export function TranslationsForm(props: TranslationsFormProps) {
  const { fields, saved, isLive = false, save, reload } = props
  const { t, i18n } = useLingui()
  const form = useEditForm({
    saved: savedOf(saved),
    isSame: isSameDraft,
    check: (draft) => checkDraft(draft, { fields, needsDefaultLocale: isLive }, i18n),
    fieldOf: (path, draft) => draftPath(draft)(path),
    submit: async (draft, { revision = 0 }) => savedOf(await save(fromDraft(draft), revision)),
    load: async () => savedOf(await reload()),
  })
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
