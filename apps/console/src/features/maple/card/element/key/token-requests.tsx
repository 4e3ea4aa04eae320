import type { TokenRequest } from '@grove/contract/maple/card/purpose-key'
import { icSerial } from '@grove/secure-element/cplc'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { saveFile } from '../../../../../ui/file/save-file.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { StateBadge, type StateKind } from '../../../../../ui/text/state-badge.tsx'
import { tokensFormat } from '../../delegation-files.ts'
import { tokensQuery } from './key.api.ts'
import styles from './key.module.css'

/** A person's signing requests, and the tokens once someone else has approved. */
export function TokenRequests({ cplc }: { cplc: string }) {
  const { data } = useQuery(tokensQuery(cplc))
  if (!data || data.items.length === 0) return null
  return (
    <ul className={styles.sets}>
      {data.items.map((each) => (
        <RequestItem key={each.id} wanted={each} />
      ))}
    </ul>
  )
}

function RequestItem({ wanted }: { wanted: TokenRequest }) {
  const { t } = useLingui()
  const { cplc, commands, tokens, approval, createdAt } = wanted
  const kinds: Record<TokenRequest['approval']['state'], [StateKind, string]> = {
    pending: ['waiting', t({ message: 'Waiting', context: 'state of a request' })],
    approved: tokens
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
          <strong>
            {t`Tokens for ${plural(commands.length, { one: '# command', other: '# commands' })}`}
          </strong>
          <StateBadge kind={kind} text={text} />
        </p>
        <p className="muted">
          <Trans>
            Requested <DateText value={createdAt} isRelative />
          </Trans>{' '}
          <Link to="/dashboard/maple/approvals" search={{ request: approval.id }} preload={false}>
            <Trans>See the request</Trans>
          </Link>
        </p>
      </div>
      {tokens && (
        <PanelAction
          icon={Download}
          label={t`Save the tokens`}
          onAct={() =>
            saveFile(
              new Blob([JSON.stringify(fileOf(wanted, tokens), null, 2)], {
                type: 'application/json',
              }),
              `tokens-${icSerial(cplc)}.json`,
            )
          }
        />
      )}
    </li>
  )
}

const fileOf = ({ cplc, commands }: TokenRequest, tokens: readonly string[]) => ({
  format: tokensFormat,
  cplc,
  tokens: commands.map((command, index) => ({ command, token: tokens[index] ?? '' })),
})
