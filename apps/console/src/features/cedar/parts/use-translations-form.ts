import type { VersionTextField } from '@grove/contract/cedar/product-version.rules'
import { useLingui } from '@lingui/react'
import { useEditForm } from '../../../ui/form/use-edit-form.ts'
import { checkDraft, draftPath } from './check-draft.ts'
import { fromDraft, isSameDraft, toDraft, type Translation } from './translations.ts'

interface SavedTexts {
  translations: readonly Translation[]
  revision: number
}

interface TranslationsFormOptions {
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

/** The form of an app's or a version's texts. */
export function useTranslationsForm(options: TranslationsFormOptions) {
  const { fields, saved, isLive = false, save, reload } = options
  const { i18n } = useLingui()
  return useEditForm({
    saved: savedOf(saved),
    isSame: isSameDraft,
    check: (draft) => checkDraft(draft, { fields, needsDefaultLocale: isLive }, i18n),
    fieldOf: (path, draft) => draftPath(draft)(path),
    submit: async (draft, { revision = 0 }) => savedOf(await save(fromDraft(draft), revision)),
    load: async () => savedOf(await reload()),
  })
}
