import type { DeviceImport, ImportPreview } from '@grove/contract/maple/fleet/device-import'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { previewQuery } from './device-import.api.ts'
import styles from './device-import.module.css'

/** The first rows as the devices they would become. */
export function ImportPreviewTable({ id, mapping }: Pick<DeviceImport, 'id' | 'mapping'>) {
  const { t, i18n } = useLingui()
  const { data } = useQuery(previewQuery(id, mapping))
  return (
    <section className={styles.preview} aria-label={t`The first rows as devices`}>
      <h3>
        <Trans>The first rows as devices</Trans>
      </h3>
      <ul>
        {data?.items.map(({ row, device, errors }) => (
          <li key={row}>
            <span className="muted">{i18n.number(row)}</span>
            {device ? (
              <Device device={device} />
            ) : (
              <div className={styles.wrong}>
                {errors.map(({ column, code, message }) => (
                  <p key={`${column} ${code}`}>
                    {column !== null && (
                      <strong>
                        <bdi>{column}</bdi>:{' '}
                      </strong>
                    )}
                    {message}
                  </p>
                ))}
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Device({ device }: { device: ImportPreview }) {
  const { t } = useLingui()
  const { cplc, attributes, tags, innerId, serviceId } = device
  const facts = [
    device.type,
    device.state,
    ...(cplc.length > 0
      ? [t`${plural(cplc.length, { one: '# element', other: '# elements' })}`]
      : []),
    ...(innerId === null ? [] : [innerId]),
    ...(serviceId === null ? [] : [serviceId]),
    ...tags.map((tag) => `#${tag}`),
    ...Object.entries(attributes).map(([key, { value }]) => `${key}=${value}`),
  ]
  return (
    <div>
      <p>
        <bdi>{device.name}</bdi> <code>{device.id}</code>
      </p>
      <p className="muted">{facts.join(' · ')}</p>
    </div>
  )
}
