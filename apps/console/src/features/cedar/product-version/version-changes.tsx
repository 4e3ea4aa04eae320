import type { ProductVersion } from '@grove/contract'
import { locales } from '@grove/contract/locale.rules'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Bytes } from '../../../ui/i18n/bytes.tsx'
import { localeNames } from '../../../ui/i18n/locale.ts'
import { fieldLabels } from '../parts/field-labels.ts'
import { versionQuery } from './product-version.api.ts'
import { toDraft, versionFields } from '../parts/translations.ts'
import styles from './version-changes.module.css'

interface VersionChangesProps {
  version: ProductVersion
  liveId: string
}

/** What would change for people if this version replaced the live one. */
export function VersionChanges({ version, liveId }: VersionChangesProps) {
  const { t, i18n } = useLingui()
  const { data: live } = useQuery(versionQuery(liveId))
  if (!live) return null
  const { version: number, package: livePackage } = live
  const texts = changedTexts(live, version)
  const added = imagesOnlyIn(version, live)
  const removed = imagesOnlyIn(live, version)
  const file = version.package
  const isOtherPackage = file !== null && file.sha256 !== livePackage?.sha256
  const isSame = texts.length + added + removed === 0 && !isOtherPackage
  return (
    <section className={styles.changes} aria-label={t`Changes from ${number}`}>
      <h3>
        <Trans>Changes from {number}</Trans>
      </h3>
      {isSame && (
        <p className="muted">
          <Trans>None yet</Trans>
        </p>
      )}
      <ul>
        {isOtherPackage && livePackage && (
          <li>
            <Trans>
              Package: <Bytes value={livePackage.bytes} /> → <Bytes value={file.bytes} />
            </Trans>
            {', '}
            {i18n.number(livePackage.files)} →{' '}
            <Plural value={file.files} one="# file" other="# files" />
          </li>
        )}
        {texts.map(({ locale, fields }) => (
          <li key={locale}>
            {localeNames[locale]}: {fields.map((field) => i18n._(fieldLabels[field])).join(', ')}
          </li>
        ))}
        {added > 0 && (
          <li>
            <Plural value={added} one="# screenshot added" other="# screenshots added" />
          </li>
        )}
        {removed > 0 && (
          <li>
            <Plural value={removed} one="# screenshot removed" other="# screenshots removed" />
          </li>
        )}
      </ul>
    </section>
  )
}

function changedTexts(one: ProductVersion, other: ProductVersion) {
  const [before, after] = [toDraft(one.translations), toDraft(other.translations)]
  return locales
    .map((locale) => ({
      locale,
      fields: versionFields.filter((field) => before[locale][field] !== after[locale][field]),
    }))
    .filter(({ fields }) => fields.length > 0)
}

const imagesOnlyIn = ({ images }: ProductVersion, other: ProductVersion) =>
  images.filter(
    ({ localeCode, sha256 }) =>
      !other.images.some((image) => image.localeCode === localeCode && image.sha256 === sha256),
  ).length
