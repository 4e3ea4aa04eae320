import { Plural, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { tooltip } from '../../../../ui/kit/tooltip.ts'
import styles from './file-map.module.css'
import { treemap } from './treemap.ts'

interface FileMapProps {
  versionId: string
  /** Of the package: another package has other files. */
  sha256: string
}

const shownFiles = 24
const ratio = 2.5
/** In per cent of the map: smaller tiles have no room for a name. */
const leastNamed = { width: 9, height: 9 }

/** What makes a package large: its biggest files as areas, and as a table. */
export function FileMap({ versionId, sha256 }: FileMapProps) {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery({
    ...api.cedar.query('/api/developer/productVersion/{id}/files', { params: { id: versionId } }),
    queryHash: `cedar files ${versionId} ${sha256}`,
  })
  if (error)
    return (
      <p role="alert" className="field-error">
        {problemText(error, i18n)}
      </p>
    )
  if (!data) return <output className={`skeleton ${styles.waiting}`} aria-label={t`Loading`} />
  const files = data.files.toSorted((a, b) => b.bytes - a.bytes)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const shown = files.slice(0, shownFiles)
  const others = files.slice(shownFiles)
  const otherBytes = others.reduce((sum, { bytes }) => sum + bytes, 0)
  const percent = (bytes: number) =>
    i18n.number(total === 0 ? 0 : bytes / total, { style: 'percent', maximumFractionDigits: 1 })
  return (
    <div className={styles.frame}>
      <div className={styles.map} aria-hidden>
        {treemap([...shown, { path: '', bytes: otherBytes }], ratio).map((tile) => (
          <div
            key={tile.item.path}
            className={styles.tile}
            data-other={tile.item.path === '' || undefined}
            style={{
              left: `${tile.left}%`,
              top: `${tile.top}%`,
              width: `${tile.width}%`,
              height: `${tile.height}%`,
            }}
            {...tooltip(`${tile.item.path || '…'} · ${percent(tile.item.bytes)}`)}
          >
            {tile.width > leastNamed.width && tile.height > leastNamed.height && (
              <bdi>{nameOf(tile.item.path) || '…'}</bdi>
            )}
          </div>
        ))}
      </div>
      <table className={styles.table} aria-label={t`Files of the package by size`}>
        <thead>
          <tr>
            <th scope="col">{t`File`}</th>
            <th scope="col">{t`Size`}</th>
            <th scope="col">{t`Share of the package`}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ path, bytes }) => (
            <tr key={path}>
              <th scope="row">
                <bdi className={styles.path}>{path}</bdi>
              </th>
              <td>
                <Bytes value={bytes} />
              </td>
              <td>{percent(bytes)}</td>
            </tr>
          ))}
          {others.length > 0 && (
            <tr>
              <td>
                <Plural value={others.length} one="# other file" other="# other files" />
              </td>
              <td>
                <Bytes value={otherBytes} />
              </td>
              <td>{percent(otherBytes)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
