import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { defaultLocale, locales } from '@grove/contract/locale.rules'
import type { VersionTextField } from '@grove/contract/cedar/product-version.rules'
import type { Locale } from '../../../../ui/i18n/locale.ts'
import type { Draft } from '../../parts/translations.ts'

interface ListingText {
  text: string
  lang: Locale
}

export interface Listing extends Record<VersionTextField, ListingText | undefined> {
  images: ProductVersion['images']
}

/** The catalogue's own texts: in the language of the listing, not of the console. */
export const catalogueWords: Record<Locale, { open: string; description: string; news: string }> = {
  'en-US': { open: 'Open', description: 'Description', news: 'What’s new' },
  'ru-RU': { open: 'Открыть', description: 'Описание', news: 'Что нового' },
}

/** What a reader of a locale sees: missing texts come from English, then from any other locale. */
export function listingIn(draft: Draft, images: ProductVersion['images'], reader: Locale): Listing {
  const order = [...new Set([reader, defaultLocale, ...locales])]
  const textOf = (field: VersionTextField): ListingText | undefined => {
    const lang = order.find((locale) => draft[locale][field].trim() !== '')
    return lang && { text: draft[lang][field].trim(), lang }
  }
  const imagesIn = order.find((locale) => images.some(({ localeCode }) => localeCode === locale))
  return {
    title: textOf('title'),
    shortDescription: textOf('shortDescription'),
    description: textOf('description'),
    whatsNew: textOf('whatsNew'),
    images: images.filter(({ localeCode }) => localeCode === imagesIn),
  }
}
