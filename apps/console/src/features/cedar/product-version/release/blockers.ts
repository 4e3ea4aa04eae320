import { defaultLocale } from '@grove/contract/locale.rules'
import type { ProductVersion } from '@grove/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export interface Step {
  label: MessageDescriptor
  isDone: boolean
  /** A version can go live without it. */
  isOptional?: boolean
}

/** What a version needs before it goes live, and what it had better have. */
export function stepsOf({ state, package: file, translations, images }: ProductVersion): Step[] {
  const russian = translations.find(({ localeCode }) => localeCode === 'ru-RU')
  return [
    {
      label:
        state === 'failed_checks'
          ? msg`A package that passes its checks`
          : state === 'checking'
            ? msg`A package: it is being checked`
            : msg`A package`,
      isDone: file !== null,
    },
    {
      label: msg`A title in English`,
      isDone: translations.some(({ localeCode }) => localeCode === defaultLocale),
    },
    {
      label: russian?.description
        ? msg`Texts in Russian`
        : russian
          ? msg`Texts in Russian: the description is missing`
          : msg`Texts in Russian: the title and the description are missing`,
      isDone: Boolean(russian?.description),
      isOptional: true,
    },
    { label: msg`Screenshots`, isDone: images.length > 0, isOptional: true },
  ]
}

/** The first thing that keeps a version from going live. */
export function blockerOf(version: ProductVersion): MessageDescriptor | undefined {
  if (version.package === null) return msg`Upload a package that passes its checks first.`
  const hasDefault = version.translations.some(({ localeCode }) => localeCode === defaultLocale)
  return hasDefault ? undefined : msg`Give the version a title in English first.`
}
