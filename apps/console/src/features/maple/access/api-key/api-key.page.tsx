import type { ApiKey } from '@grove/contract/cedar/api-key'
import type { Provider } from '@grove/contract/cedar/provider'
import { apiKeyWarningDays } from '@grove/contract/cedar/api-key.rules'
import { stageRights } from '@grove/contract/maple/access/right.rules'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useRouteContext } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Person } from '../../../../people/person.tsx'
import { api } from '../../../../session/api.ts'
import { providerName } from '../../../../session/provider-name.ts'
import { providersQuery } from '../../../../session/providers.ts'
import { useWorkingProvider } from '../../../../session/working-provider.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { useMinute } from '../../../../ui/i18n/shared-clock.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { StateBadge } from '../../../../ui/text/state-badge.tsx'
import { useRightWords } from '../right.labels.ts'
import { apiKeys, apiKeysQuery, providerRightsQuery, workWith } from './api-key.api.ts'
import styles from './api-key.module.css'

const CreateApiKey = onDemand(() => import('./api-key.form.tsx').then((file) => file.CreateApiKey))
const CreateProvider = onDemand(() =>
  import('./create-provider.tsx').then((file) => file.CreateProvider),
)

/** The API keys of the reader's organisations: with one, a provider is a working stage. */
export function ApiKeyPage() {
  const { t } = useLingui()
  const { data } = useSuspenseQuery(providersQuery)
  const { data: rights } = useQuery(providerRightsQuery())
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<string>()
  const organisations = data.filter(({ isDefault }) => !isDefault)
  const mayCreate = rights?.create === null
  return (
    <>
      <PageHeader
        title={t`API keys`}
        description={t`With an API key, a provider is a working stage: its people work with its devices, and your programs do so with the key.`}
        action={
          mayCreate && (
            <button
              type="button"
              className={organisations.length === 0 ? 'button primary' : 'button'}
              onClick={() => setCreating(true)}
            >
              <Plus size={16} aria-hidden />
              {t`New provider`}
            </button>
          )
        }
      />
      {organisations.length === 0 && rights && (
        <p>
          {mayCreate ? (
            <Trans>
              You have no provider for devices yet. Create one, then its API key: it owns your
              devices, cards and applets.
            </Trans>
          ) : (
            <Trans>
              You do not belong to an organisation yet. Ask an administrator to link you to a
              provider, then create its key here.
            </Trans>
          )}
        </p>
      )}
      <div className={styles.providers}>
        {organisations.map((provider) => (
          <ProviderKeys key={provider.id} provider={provider} isNew={provider.id === made} />
        ))}
      </div>
      {isCreating && (
        <CreateProvider
          onCreated={({ id }) => {
            setMade(id)
            setCreating(false)
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  )
}

interface ProviderKeysProps {
  provider: Provider
  /** It was just made: its first key comes next. */
  isNew: boolean
}

function ProviderKeys({ provider, isNew }: ProviderKeysProps) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const working = useWorkingProvider(viewer.userId)
  const { data } = useQuery(apiKeysQuery(provider.id))
  const [open, setOpen] = useState<{ replaces: ApiKey | undefined } | undefined>(
    isNew ? { replaces: undefined } : undefined,
  )
  const { id } = provider
  const name = providerName(provider) ?? id
  const work = async () => {
    await workWith(viewer.userId, provider)
    await navigate({ to: '/dashboard/maple/software_cards' })
  }
  const finish = async () => {
    setOpen(undefined)
    await workWith(viewer.userId, provider)
  }
  const items = data?.items ?? []
  const isWorking = working?.id === id && Boolean(provider.mobyApiKey)
  return (
    <Section
      title={name}
      action={
        <div className={styles.actions}>
          {items.length > 0 && !isWorking && (
            <button type="button" className="button" onClick={() => void work()}>
              {t`Work in this stage`}
            </button>
          )}
          <button
            type="button"
            className="button primary"
            onClick={() => setOpen({ replaces: undefined })}
          >
            {t`New key`}
          </button>
        </div>
      }
    >
      {data && items.length === 0 && (
        <p className="muted">
          <Trans>
            No API keys yet. Create the first one to work with devices and secure elements.
          </Trans>
        </p>
      )}
      {isWorking && items.length > 0 && (
        <p className="muted">
          <Trans>
            You are working in this stage. Next,{' '}
            <Link to="/dashboard/maple/software_cards" search={{ create: true }}>
              create a software card
            </Link>{' '}
            to try things out, or{' '}
            <Link to="/dashboard/maple/applets" search={{ create: true }}>
              upload a CAP file
            </Link>
            .
          </Trans>
        </p>
      )}
      {items.length > 0 && (
        <KeyTable
          provider={provider}
          items={items}
          onReplace={(key) => setOpen({ replaces: key })}
        />
      )}
      {open && (
        <CreateApiKey
          provider={provider}
          replaces={open.replaces}
          onCreated={() => void finish()}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Section>
  )
}

interface KeyTableProps {
  provider: Provider
  items: readonly ApiKey[]
  onReplace: (key: ApiKey) => void
}

function KeyTable({ provider: { id }, items, onReplace }: KeyTableProps) {
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
                  {key.name !== null && (
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
