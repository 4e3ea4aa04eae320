import type { Finding } from '@grove/contract/cedar/package-report'
import { Plural, useLingui } from '@lingui/react/macro'
import { OctagonX, TriangleAlert } from 'lucide-react'
import styles from './finding-list.module.css'
import { findingTexts } from './finding-text.ts'

/** The findings of a check, one entry per rule, errors first. */
export function FindingList({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  return (
    <ul className={styles.findings}>
      {findings.map((finding) => (
        <FindingRow key={finding.rule} finding={finding} />
      ))}
    </ul>
  )
}

function FindingRow({ finding }: { finding: Finding }) {
  const { t, i18n } = useLingui()
  const { rule, severity, count, places } = finding
  const texts = findingTexts(finding, i18n)
  const fixes = new Set(texts.map(({ fix }) => fix))
  const isError = severity === 'error'
  return (
    <li className={styles.finding} data-severity={severity}>
      {isError ? <OctagonX size={16} aria-hidden /> : <TriangleAlert size={16} aria-hidden />}
      <div>
        {texts.map(({ message, fix, paths }, index) => (
          <div key={index}>
            <p>
              {index === 0 && <strong>{isError ? t`Error` : t`Warning`} </strong>}
              {message}
              {index === 0 && count > 1 && (
                <span className="muted">
                  {' '}
                  <Plural value={count} one="# time" other="# times" />
                </span>
              )}
            </p>
            {paths.length > 0 && (
              <p className={styles.paths}>
                {paths.map((path) => (
                  <code key={path}>
                    <bdi>{path}</bdi>
                  </code>
                ))}
              </p>
            )}
            {fixes.size > 1 && <p className="muted">{fix}</p>}
          </div>
        ))}
        {count > places.length && (
          <p className="muted">
            <Plural value={count - places.length} one="and # more" other="and # more" />
          </p>
        )}
        {fixes.size === 1 && <p className="muted">{texts[0]?.fix}</p>}
      </div>
      <code className={styles.rule}>{rule}</code>
    </li>
  )
}
