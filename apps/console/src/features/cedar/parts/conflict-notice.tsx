import { type VersionTextField } from '@grove/contract/cedar/product-version.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { localeNames, type Locale } from '../../../ui/i18n/locale.ts'
import styles from './conflict-notice.module.css'
import { fieldLabels } from './field-labels.ts'
import { differences, type Draft } from './translations.ts'

interface ConflictNoticeProps {
  fields: readonly VersionTextField[]
  mine: Draft
  theirs: Draft
  onReload: () => void
  onOverwrite: () => void
}

/** Someone else saved first: shows both sides and lets the reader choose. */
export function ConflictNotice(props: ConflictNoticeProps) {
  const { fields, mine, theirs, onReload, onOverwrite } = props
  const { i18n } = useLingui()
  const changed = differences(mine, theirs, fields)
  return (
    <div className={styles.notice} role="alert">
      <p className={styles.title}>
        <TriangleAlert size={16} aria-hidden />
        <Trans>Someone else saved these texts after you opened them. Nothing is lost yet.</Trans>
      </p>
      <ul className={styles.list}>
        {changed.map(({ locale, field }) => (
          <li key={`${locale}.${field}`}>
            <strong>
              {localeNames[locale]}, {i18n._(fieldLabels[field])}
            </strong>
            <span className="muted">
              <Trans>Theirs</Trans>
            </span>
            <Side locale={locale} text={theirs[locale][field]} />
            <span className="muted">
              <Trans>Yours</Trans>
            </span>
            <Side locale={locale} text={mine[locale][field]} />
          </li>
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="button" onClick={onReload}>
          <Trans>Take theirs</Trans>
        </button>
        <button type="button" className="button" onClick={onOverwrite}>
          <Trans>Overwrite with yours</Trans>
        </button>
      </div>
    </div>
  )
}

const Side = ({ locale, text }: { locale: Locale; text: string }) =>
  text === '' ? (
    <em>
      <Trans>empty</Trans>
    </em>
  ) : (
    <q lang={locale}>{text}</q>
  )
