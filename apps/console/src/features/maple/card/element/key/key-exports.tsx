import type { KeyExport } from '@grove/contract/maple/card/key'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { icSerial } from '@grove/secure-element/cplc'
import { Download } from 'lucide-react'
import { saveFile } from '../../../../../ui/file/save-file.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { StateBadge, type StateKind } from '../../../../../ui/text/state-badge.tsx'
import { hexVersion } from '../../hex-version.ts'
import { keyExportsQuery } from './key.api.ts'
import { OfDomain } from './of-domain.tsx'
import styles from './key.module.css'

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
  const kinds: Record<KeyExport['approval']['state'], [StateKind, string]> = {
    pending: ['waiting', t({ message: 'Waiting', context: 'state of a request' })],
    approved: document
      ? ['good', t({ message: 'Ready', context: 'state of an export of keys' })]
      : ['waiting', t({ message: 'Approved', context: 'state of a request' })],
    refused: ['bad', t({ message: 'Refused', context: 'state of a request' })],
    withdrawn: ['ended', t({ message: 'Withdrawn', context: 'state of a request' })],
    expired: ['idle', t({ message: 'Expired', context: 'state of a request' })],
  }
  const [kind, text] = kinds[approval.state]
  return (
    <li>
      <div>
        <p className={styles.version}>
          <strong>{t`Export of version ${name}`}</strong>
          <StateBadge kind={kind} text={text} />
        </p>
        <OfDomain domain={domain} />
        <p className="muted">
          {wrapping === 'TR-31' && (
            <>
              <Trans>TR-31 key blocks.</Trans>{' '}
            </>
          )}
          <Trans>
            Transport key with KCV <code>{transportCheckValue}</code>, requested{' '}
            <DateText value={createdAt} isRelative />
          </Trans>{' '}
          <Link to="/dashboard/maple/approvals" search={{ request: approval.id }} preload={false}>
            <Trans>See the request</Trans>
          </Link>
        </p>
      </div>
      {document && (
        <PanelAction
          icon={Download}
          label={t`Save the wrapped keys`}
          onAct={() =>
            saveFile(
              new Blob([JSON.stringify(document, null, 2)], { type: 'application/json' }),
              `keys-${icSerial(document.cplc)}-${name}.json`,
            )
          }
        />
      )}
    </li>
  )
}
