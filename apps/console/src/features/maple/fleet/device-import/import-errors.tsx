import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useSave } from '../../../../ui/file/use-save.ts'
import { errorsQuery, importLanguage } from './device-import.api.ts'
import styles from './device-import.module.css'

const shown = 10

/** The first rows that are wrong, and all of them as a file. */
export function ImportErrors({ item }: { item: DeviceImport }) {
  const { t, i18n } = useLingui()
  const { data } = useQuery(errorsQuery(item))
  const save = useSave()
  const query = { id: item.id, language: importLanguage() }
  const download = () =>
    save(() => api.maple.download('/api/maple/device/import/error/file', { query }), 'errors.csv')
  const kept = i18n.number(data?.kept ?? 0)
  return (
    <section className={styles.errors} aria-label={t`Invalid rows`}>
      <h3>
        <Trans>Invalid rows</Trans>
      </h3>
      <ul>
        {data?.items.slice(0, shown).map(({ row, column, code, value, message }) => (
          <li key={`${row} ${column} ${code}`}>
            <p>
              <strong>
                {column === null ? (
                  <Trans>Row {i18n.number(row)}</Trans>
                ) : (
                  <Trans>
                    Row {i18n.number(row)}, <bdi>{column}</bdi>
                  </Trans>
                )}
              </strong>{' '}
              {value !== '' && <code>{value}</code>}
            </p>
            <p className="muted">{message}</p>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" className="button" onClick={() => void download()}>
          <Download size={16} aria-hidden />
          <Trans>Download errors as CSV ({kept})</Trans>
        </button>
      </p>
    </section>
  )
}
