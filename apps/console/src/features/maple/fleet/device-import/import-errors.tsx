import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useSave } from '../../../../ui/file/use-save.ts'
import { errorsQuery, importLanguage } from './device-import.api.ts'
import styles from './device-import.module.css'

/**
 * The errors of an import by column and rule, each with its count and first row, and a download of
 * the failed rows.
 */
export function ImportErrors({ item }: { item: DeviceImport }) {
  const { t, i18n } = useLingui()
  const { data } = useQuery(errorsQuery(item))
  const save = useSave()
  const { id, format, hasFile, state, counts } = item
  const query = { id, language: importLanguage() }
  const canRepair = hasFile && (state === 'checked' || state === 'completed')
  const repair = () =>
    save(
      () => api.maple.download('/api/maple/device/import/row/file', { query }),
      `failed-rows.${format}`,
    )
  const download = () =>
    save(() => api.maple.download('/api/maple/device/import/error/file', { query }), 'errors.csv')
  const wrong = counts.wrong
  return (
    <section className={styles.errors} aria-label={t`Invalid rows`}>
      <h3>
        <Trans>Invalid rows</Trans>
      </h3>
      <ul>
        {data?.groups.map(({ row, column, code, value, message, count }) => (
          <li key={`${column} ${code}`}>
            <p>
              <strong>
                <Plural value={count} one="# error" other="# errors" />
                {column !== null && (
                  <>
                    {' · '}
                    <bdi>{column}</bdi>
                  </>
                )}
              </strong>
            </p>
            <p className="muted">
              {message}{' '}
              {value === '' ? (
                <Trans>First in row {i18n.number(row)}.</Trans>
              ) : (
                <Trans>
                  First in row {i18n.number(row)}: <code>{value}</code>
                </Trans>
              )}
            </p>
          </li>
        ))}
      </ul>
      {canRepair && (
        <p className="muted">
          <Trans>
            Download the rows, correct them, and import the file as it is: its column{' '}
            <code>import_errors</code> is ignored. The rows are kept for seven days.
          </Trans>
        </p>
      )}
      <p className={styles.buttons}>
        {canRepair && (
          <button type="button" className="button" onClick={() => void repair()}>
            <Download size={16} aria-hidden />
            <Plural
              value={wrong}
              one="Download # row to correct"
              other="Download # rows to correct"
            />
          </button>
        )}
        <button type="button" className="button" onClick={() => void download()}>
          <Download size={16} aria-hidden />
          <Trans>Download the list of errors</Trans>
        </button>
      </p>
    </section>
  )
}
