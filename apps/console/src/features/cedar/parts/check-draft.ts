import { defaultLocale, locales } from '@grove/contract/locale.rules'
import {
  versionTextLimits,
  type VersionTextField,
} from '@grove/contract/cedar/product-version.rules'
import { isReadableName, normaliseName } from '@grove/contract/name.rules'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { countCharacters, fromDraft, isBlank, type Draft } from './translations.ts'

interface Rules {
  fields: readonly VersionTextField[]
  /** A live version must keep its default locale. */
  needsDefaultLocale?: boolean
}

/** The error of each field, keyed like `en-US.title`. */
export function checkDraft(draft: Draft, { fields, needsDefaultLocale }: Rules, i18n: I18n) {
  const errors: Record<string, string> = {}
  for (const locale of locales) {
    const texts = draft[locale]
    for (const field of fields) {
      const limit = versionTextLimits[field]
      if (countCharacters(texts[field]) > limit)
        errors[`${locale}.${field}`] = i18n._(msg`At most ${limit} characters.`)
    }
    const title = normaliseName(texts.title)
    if (title !== '' && !isReadableName(title))
      errors[`${locale}.title`] = i18n._(
        msg`Remove the invisible characters, such as those that change the direction of text.`,
      )
    if (!isBlank(texts) && texts.title.trim() === '')
      errors[`${locale}.title`] = i18n._(msg`A language with other texts also needs a title.`)
  }
  const hasDefault = draft[defaultLocale].title.trim() !== ''
  if (needsDefaultLocale && !hasDefault)
    errors[`${defaultLocale}.title`] = i18n._(msg`A live version needs a title in English.`)
  if (fromDraft(draft).length === 0)
    errors[`${defaultLocale}.title`] = i18n._(msg`Enter a title in at least one language.`)
  return errors
}

/** Maps a request path to a field of the form: `translations.0.title` is `en-US.title`. */
export const draftPath = (draft: Draft) => (path: string) => {
  const match = /^translations\.(\d+)\.(\w+)$/.exec(path)
  const locale = match && fromDraft(draft)[Number(match[1])]?.localeCode
  return locale ? `${locale}.${match[2]}` : path
}
