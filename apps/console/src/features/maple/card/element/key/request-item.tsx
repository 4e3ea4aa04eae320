import type { TokenRequest } from '@grove/contract/maple/card/purpose-key'
import { Trans, useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from '../../../../../ui/link/link.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { StateBadge, type StateKind } from '../../../../../ui/text/state-badge.tsx'
import styles from './key.module.css'

type Approval = TokenRequest['approval']

interface RequestItemProps {
  title: string
  approval: Approval
  /** Saves what was requested; null until it is there. */
  onSave: (() => void) | null
  saveLabel: string
  /** What is not said in the line about when it was requested. */
  about?: ReactNode
  /** When it was requested, and with what. */
  children: ReactNode
}

/** What a person requested and others approve, with its file once they have. */
export function RequestItem(props: RequestItemProps) {
  const { title, approval, onSave, saveLabel, about, children } = props
  const [kind, text] = useRequestState(approval, onSave !== null)
  return (
    <li>
      <div>
        <p className={styles.version}>
          <strong>{title}</strong>
          <StateBadge kind={kind} text={text} />
        </p>
        {about}
        <p className="muted">
          {children}{' '}
          <Link to="/dashboard/maple/approvals" search={{ request: approval.id }} preload={false}>
            <Trans>See the request</Trans>
          </Link>
        </p>
      </div>
      {onSave && <PanelAction icon={Download} label={saveLabel} onAct={onSave} />}
    </li>
  )
}

function useRequestState({ state }: Approval, isReady: boolean): [StateKind, string] {
  const { t } = useLingui()
  const kinds: Record<Approval['state'], [StateKind, string]> = {
    pending: ['waiting', t({ message: 'Waiting', context: 'state of a request' })],
    approved: isReady
      ? ['good', t({ message: 'Ready', context: 'state of an export of keys' })]
      : ['waiting', t({ message: 'Approved', context: 'state of a request' })],
    refused: ['bad', t({ message: 'Refused', context: 'state of a request' })],
    withdrawn: ['ended', t({ message: 'Withdrawn', context: 'state of a request' })],
    expired: ['idle', t({ message: 'Expired', context: 'state of a request' })],
  }
  return kinds[state]
}
