import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { localeNames } from '../../../../ui/i18n/locale.ts'
import { fieldLabels } from '../../parts/field-labels.ts'
import styles from './change-list.module.css'
import type { Changes } from './changes.ts'

export function ChangeList({ changes }: { changes: Changes }) {
  const { i18n } = useLingui()
  const { package: file, texts, added, removed, isReordered } = changes
  return (
    <ul className={styles.changes}>
      {file && (
        <li>
          {file.before ? (
            <>
              <Trans>
                Package: <Bytes value={file.before.bytes} /> → <Bytes value={file.after.bytes} />
              </Trans>
              {', '}
              {i18n.number(file.before.files)} →{' '}
              <Plural value={file.after.files} one="# file" other="# files" />
            </>
          ) : (
            <Trans>Another package</Trans>
          )}
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
      {isReordered && (
        <li>
          <Trans>Screenshots in another order</Trans>
        </li>
      )}
    </ul>
  )
}
