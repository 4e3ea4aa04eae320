import type { ApiKey } from '@grove/contract/cedar/api-key'
import { apiKeyWarningDays } from '@grove/contract/cedar/api-key.rules'
import { stageRights } from '@grove/contract/maple/access/right.rules'
import { Plural, useLingui } from '@lingui/react/macro'
import { Person } from '../../../../people/person.tsx'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { useMinute } from '../../../../ui/i18n/shared-clock.ts'
import { SmallTable, type SmallColumn } from '../../../../ui/table/small-table.tsx'
import { StateBadge } from '../../../../ui/text/state-badge.tsx'
import { useRightWords } from '../right.labels.ts'
import { apiKeys } from './api-keys.ts'
import styles from './key-table.module.css'

interface KeyTableProps {
  providerId: string
  items: readonly ApiKey[]
  onReplace?: (key: ApiKey) => void
}

/** A provider's keys: what each allows, who created it and when it expires. */
export function KeyTable({ providerId: id, items, onReplace }: KeyTableProps) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const revoke = (key: ApiKey) =>
    confirmed({
      question: {
        title: t`Revoke the key that ends in ${key.last4}?`,
        text: t`Programs that use it are refused within half a minute. This cannot be undone.`,
        action: t`Revoke the key`,
        isDanger: true,
      },
      change: () =>
        api.cedar.delete('/api/provider/{id}/key/{keyId}', { params: { id, keyId: key.id } }),
      done: () => t`The key is revoked.`,
      refresh: apiKeys(id).refresh,
    })
  const columns = useKeyColumns({ onReplace, onRevoke: (key) => void revoke(key) })
  return (
    <div className={styles.keys}>
      <SmallTable
        label={t`API keys`}
        rows={items}
        rowId={({ id: keyId }) => keyId}
        columns={columns}
      />
    </div>
  )
}

function useKeyColumns({
  onReplace,
  onRevoke,
}: {
  onReplace: KeyTableProps['onReplace']
  onRevoke: (key: ApiKey) => void
}): SmallColumn<ApiKey>[] {
  const { t } = useLingui()
  return [
    {
      header: t`Name`,
      cell: ({ name, last4 }) => (
        <>
          {name ?? t`Set by an administrator`} <code>…{last4}</code>
        </>
      ),
    },
    { header: t`Scopes`, cell: (key) => <Scopes apiKey={key} /> },
    {
      header: t`Created by`,
      cell: ({ createdBy }) => (createdBy === null ? '–' : <Person id={createdBy} />),
    },
    {
      header: t`Last used`,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <DateText value={lastUsedAt} /> : t`Not yet`),
    },
    { header: t`Expires`, cell: ({ endsAt }) => <KeyEnd endsAt={endsAt} /> },
    {
      header: t`Actions`,
      hasActions: true,
      cell: (key) => (
        <>
          {onReplace && key.name !== null && (
            <button type="button" className="button" onClick={() => onReplace(key)}>
              {t`Replace…`}
            </button>
          )}
          <button type="button" className="button" onClick={() => onRevoke(key)}>
            {t`Revoke…`}
          </button>
        </>
      ),
    },
  ]
}

function Scopes({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useLingui()
  const words: Partial<Record<string, string>> = useRightWords()
  const scopes = apiKey.scopes ?? []
  if (hasEveryScope(apiKey)) return t`Every scope`
  return (
    <details className={styles.scopesOfKey}>
      <summary>
        <Plural value={scopes.length} one="# scope" other="# scopes" />
      </summary>
      <ul>
        {scopes.map((scope) => (
          <li key={scope}>
            {words[scope]} <code className="muted">{scope}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

const hasEveryScope = ({ scopes }: ApiKey) =>
  scopes === null || stageRights.every((right) => scopes.includes(right))

const dayMs = 86_400_000

function KeyEnd({ endsAt }: Pick<ApiKey, 'endsAt'>) {
  const { t } = useLingui()
  const now = useMinute()
  if (endsAt === null) return t`Never`
  const isSoon = Date.parse(endsAt) - now < apiKeyWarningDays * dayMs
  return (
    <>
      <DateText value={endsAt} />{' '}
      {isSoon && (
        <StateBadge kind="warning" text={t({ message: 'Ends soon', context: 'of a key' })} />
      )}
    </>
  )
}
