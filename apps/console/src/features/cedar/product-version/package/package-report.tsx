import type { PackageReport } from '@grove/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { CircleCheck, Download, OctagonX, TriangleAlert } from 'lucide-react'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { findingText, type Finding } from './finding-text.ts'
import styles from './package-report.module.css'

interface PackageReportProps {
  report: PackageReport
  /** Names the file that the report is saved as. */
  version: string
}

/** What the check of the last package sent found: worst first, each with its way out. */
export function ReportView({ report, version }: PackageReportProps) {
  const { t } = useLingui()
  const json = JSON.stringify(report, null, 2)
  const errors = report.findings.filter(({ severity }) => severity === 'error')
  const warnings = report.findings.filter(({ severity }) => severity === 'warning')
  return (
    <div className={styles.report}>
      <header className={styles.head}>
        <div className={styles.verdict} data-ok={report.ok}>
          {report.ok ? <CircleCheck size={16} aria-hidden /> : <OctagonX size={16} aria-hidden />}
          <h3>{report.ok ? t`The package passed its checks` : t`The package was refused`}</h3>
        </div>
        <div className={styles.export}>
          <CopyButton value={json} label={t`Copy the report as JSON`} />
          <button
            type="button"
            className="button quiet icon small"
            aria-label={t`Save the report as JSON`}
            title={t`Save the report as JSON`}
            onClick={() =>
              saveFile(
                new Blob([json], { type: 'application/json' }),
                `package-report-${version}.json`,
              )
            }
          >
            <Download size={14} aria-hidden />
          </button>
        </div>
      </header>
      <p className={styles.facts}>
        <span>{report.fileName}</span>
        <Bytes value={report.bytes} />
        {report.files > 0 && (
          <span>
            <Plural value={report.files} one="# file" other="# files" />
          </span>
        )}
        {report.inflatedBytes > 0 && (
          <span>
            <Trans>
              <Bytes value={report.inflatedBytes} /> unpacked
            </Trans>
          </span>
        )}
        <DateText value={report.checkedAt} />
      </p>
      {!report.ok && (
        <p className="muted">
          <Trans>Correct what is listed, make the zip again and upload it.</Trans>
        </p>
      )}
      {report.findings.length > 0 && (
        <ul className={styles.findings}>
          {[...errors, ...warnings].map((finding, index) => (
            <FindingRow key={index} finding={finding} />
          ))}
        </ul>
      )}
      {report.heaviest.length > 0 && (
        <details className={styles.heaviest}>
          <summary>{t`Heaviest files`}</summary>
          <ul>
            {report.heaviest.map(({ path, bytes }) => (
              <li key={path}>
                <code>{path}</code>
                <Bytes value={bytes} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function FindingRow({ finding }: { finding: Finding }) {
  const { t, i18n } = useLingui()
  const { message, fix } = findingText(finding, i18n)
  const isError = finding.severity === 'error'
  return (
    <li className={styles.finding} data-severity={finding.severity}>
      {isError ? <OctagonX size={16} aria-hidden /> : <TriangleAlert size={16} aria-hidden />}
      <div>
        <p>
          <strong>{isError ? t`Error` : t`Warning`}</strong> {message}
        </p>
        {finding.path !== null && <code className={styles.path}>{finding.path}</code>}
        <p className="muted">{fix}</p>
      </div>
      <code className={styles.rule}>{finding.rule}</code>
    </li>
  )
}
