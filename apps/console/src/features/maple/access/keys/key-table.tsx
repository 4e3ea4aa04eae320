import type { ApiKey } from '@grove/contract/cedar/api-key'
import { apiKeyWarningDays } from '@grove/contract/cedar/api-key.rules'
import { stageRights } from '@grove/contract/maple/access/right.rules'
import { Plural, useLingui } from '@lingui/react/macro'
import { Person } from '../../../../people/person.tsx'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { useMinute } from '../../../../ui/i18n/shared-clock.ts'
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
  return (
    <div className={styles.keys}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t`Name`}</th>
            <th scope="col">{t`Scopes`}</th>
            <th scope="col">{t`Created by`}</th>
            <th scope="col">{t`Last used`}</th>
            <th scope="col">{t`Expires`}</th>
            <th scope="col">
              <span className="visually-hidden">{t`Actions`}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                {key.name ?? t`Set by an administrator`} <code>…{key.last4}</code>
              </th>
              <td data-label={t`Scopes`}>
                <Scopes apiKey={key} />
              </td>
              <td data-label={t`Created by`}>
                {key.createdBy === null ? '–' : <Person id={key.createdBy} />}
              </td>
              <td data-label={t`Last used`}>
                {key.lastUsedAt ? <DateText value={key.lastUsedAt} /> : t`Not yet`}
              </td>
              <td data-label={t`Expires`}>
                <KeyEnd endsAt={key.endsAt} />
              </td>
              <td>
                <div className={styles.actions}>
                  {onReplace && key.name !== null && (
                    <button type="button" className="button" onClick={() => onReplace(key)}>
                      {t`Replace…`}
                    </button>
                  )}
                  <button type="button" className="button" onClick={() => void revoke(key)}>
                    {t`Revoke…`}
                  </button>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
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
