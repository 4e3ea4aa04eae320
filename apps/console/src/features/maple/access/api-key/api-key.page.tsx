import type { ApiKey } from '@grove/contract/cedar/api-key'
import type { Provider } from '@grove/contract/cedar/provider'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useRouteContext } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { providerName } from '../../../../session/provider-name.ts'
import { providersQuery } from '../../../../session/providers.ts'
import { useWorkingProvider } from '../../../../session/working-provider.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { apiKeysQuery } from '../keys/api-keys.ts'
import { KeyTable } from '../keys/key-table.tsx'
import { providerRightsQuery, workWith } from './api-key.api.ts'
import styles from './api-key.module.css'

const CreateApiKey = onDemand(() => import('./api-key.form.tsx').then((file) => file.CreateApiKey))
const RequestProvider = onDemand(() =>
  import('./request-provider.tsx').then((file) => file.RequestProvider),
)
const CreateProvider = onDemand(() =>
  import('./create-provider.tsx').then((file) => file.CreateProvider),
)

/** The API keys of the reader's organisations: a provider with a key is a working stage. */
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
              You do not belong to an organisation yet. Request a provider, or ask an administrator
              to link you to one; then create its key here.
            </Trans>
          )}
        </p>
      )}
      {rights && !mayCreate && <RequestProvider />}
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
  /** It was just created: its first key comes next. */
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
          <Link
            to="/dashboard/cedar/providers/$providerId"
            params={{ providerId: id }}
            className="button quiet"
            preload={false}
          >
            {t`Open the provider`}
          </Link>
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
            <Link to="/dashboard/maple/products" search={{ create: true }}>
              create a product
            </Link>{' '}
            to connect devices,{' '}
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
        <KeyTable providerId={id} items={items} onReplace={(key) => setOpen({ replaces: key })} />
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
