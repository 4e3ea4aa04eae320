import type { KeyExport } from '@grove/contract/maple/card/key'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { icSerial } from '@grove/secure-element/cplc'
import { saveJson } from '../../../../../ui/file/save-json.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { hexVersion } from '../../hex-version.ts'
import { keyExportsQuery } from './key.api.ts'
import { OfDomain } from './of-domain.tsx'
import styles from './key.module.css'
import { RequestItem } from './request-item.tsx'

/** A person's requests to export keys, and the wrapped keys once two others have approved. */
export function KeyExports({ cplc }: { cplc: string }) {
  const { data } = useQuery(keyExportsQuery(cplc))
  if (!data || data.items.length === 0) return null
  return (
    <ul className={styles.sets}>
      {data.items.map((each) => (
        <ExportItem key={each.id} wanted={each} />
      ))}
    </ul>
  )
}

function ExportItem({ wanted }: { wanted: KeyExport }) {
  const { t } = useLingui()
  const { version, domain, wrapping, transportCheckValue, approval, document, createdAt } = wanted
  const name = hexVersion(version)
  return (
    <RequestItem
      title={t`Export of version ${name}`}
      approval={approval}
      saveLabel={t`Save the wrapped keys`}
      onSave={
        document && (() => saveJson(document, `keys-${icSerial(document.cplc)}-${name}.json`))
      }
      about={<OfDomain domain={domain} />}
    >
      {wrapping === 'TR-31' && (
        <>
          <Trans>TR-31 key blocks.</Trans>{' '}
        </>
      )}
      <Trans>
        Transport key with KCV <code>{transportCheckValue}</code>, requested{' '}
        <DateText value={createdAt} isRelative />
      </Trans>
    </RequestItem>
  )
}
