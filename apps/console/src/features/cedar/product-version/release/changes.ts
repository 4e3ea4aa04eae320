import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { VersionTextField } from '@grove/contract/cedar/product-version.rules'
import { locales } from '@grove/contract/locale.rules'
import type { Locale } from '../../../../ui/i18n/locale.ts'
import { toDraft, versionFields } from '../../parts/translations.ts'

type Version = Pick<ProductVersion, 'translations' | 'images' | 'package'>
type Package = NonNullable<ProductVersion['package']>

export interface Changes {
  package: { before: Package | null; after: Package } | undefined
  texts: { locale: Locale; fields: VersionTextField[] }[]
  added: number
  removed: number
  /** The same screenshots in a different order. */
  isReordered: boolean
  /** How many there are; each text counts. */
  count: number
}

/** What would change for people if `version` replaced `live`. */
export function changesOf(version: Version, live: Version): Changes {
  const after = version.package
  // A third-party service may say nothing about packages.
  const isOther = !!after && after.sha256 !== live.package?.sha256
  const texts = changedTexts(version, live)
  const added = imagesOnlyIn(version, live)
  const removed = imagesOnlyIn(live, version)
  const isReordered = added + removed === 0 && orderOf(version) !== orderOf(live)
  const fields = texts.reduce((sum, each) => sum + each.fields.length, 0)
  return {
    package: isOther ? { before: live.package, after } : undefined,
    texts,
    added,
    removed,
    isReordered,
    count: (isOther ? 1 : 0) + fields + added + removed + (isReordered ? 1 : 0),
  }
}

function changedTexts(version: Version, live: Version) {
  const [before, after] = [toDraft(live.translations), toDraft(version.translations)]
  return locales
    .map((locale) => ({
      locale,
      fields: versionFields.filter((field) => before[locale][field] !== after[locale][field]),
    }))
    .filter(({ fields }) => fields.length > 0)
}

const imagesOnlyIn = ({ images }: Version, other: Version) =>
  images.filter(
    ({ localeCode, sha256 }) =>
      !other.images.some((image) => image.localeCode === localeCode && image.sha256 === sha256),
  ).length

const orderOf = ({ images }: Version) =>
  locales
    .flatMap((locale) => images.filter(({ localeCode }) => localeCode === locale))
    .map(({ sha256 }) => sha256)
    .join()
