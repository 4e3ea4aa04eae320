import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import {
  apiKeyOverlapHours,
  isPublicHttps,
  isStrongApiKey,
} from '@grove/contract/cedar/moby-api.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { KeyRound } from 'lucide-react'
import { useId, useState } from 'react'
import { api } from '../../../session/api.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { Field } from '../../../ui/field/field.tsx'
import { checkFields, codeField, Fields, type FormFields } from '../../../ui/form/fields.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useNewest } from '../../../ui/form/use-newest.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { providers } from './provider.api.ts'
import { newApiKey } from './new-api-key.ts'
import styles from './provider-users.module.css'

/** The keys of the provider's Moby API, its URL and its role names. */
export const ProviderApi = ({ provider }: { provider: AdminProvider }) => (
  <>
    <ApiKeys provider={provider} />
    <ApiAddress provider={provider} />
  </>
)

function ApiKeys({ provider }: { provider: AdminProvider }) {
  const { t } = useLingui()
  const heading = useId()
  const confirmed = useConfirmed()
  const [shown, setShown] = useState<string>()
  const { id, apiKeys, revision, rights } = provider
  const mayChange = rights.change === null
  const hours = apiKeyOverlapHours
  const [isOwn, setOwn] = useState(false)
  const make = () => {
    // Generated here: no answer of the service ever contains a key.
    const key = newApiKey()
    return confirmed({
      question: {
        title: apiKeys.length === 0 ? t`Create an API key?` : t`Create a new API key?`,
        text:
          apiKeys.length === 0
            ? t`It is shown once. Store it with your other secrets.`
            : t`It is shown once. The current key stays valid for ${hours} more hours; older ones end now.`,
        action: t`Create the key`,
      },
      change: () =>
        api.cedar.put('/api/admin/provider/{id}', {
          params: { id },
          ifMatch: revision,
          body: { mobyApiKey: key },
        }),
      done: () => t`The key is active.`,
      onDone: () => setShown(key),
      refresh: providers.refresh,
    })
  }
  const revoke = (keyId: string, last4: string) =>
    confirmed({
      question: {
        title: t`Revoke the key that ends in ${last4}?`,
        text: t`Programs that use it are refused immediately.`,
        action: t`Revoke`,
        isDanger: true,
      },
      change: () =>
        api.cedar.delete('/api/admin/provider/{id}/key/{keyId}', { params: { id, keyId } }),
      done: () => t`The key is revoked.`,
      refresh: providers.refresh,
    })
  return (
    <section className={styles.users} aria-labelledby={heading}>
      <h3 id={heading}>
        <Trans>API keys</Trans>
      </h3>
      {apiKeys.length === 0 && provider.mobyApiKey === null && (
        <p className="muted">
          <Trans>No key yet. With a key, the provider’s developers can use its IoT API.</Trans>
        </p>
      )}
      <ul>
        {apiKeys.map((key) => (
          <li key={key.id}>
            <span>
              {key.name !== null && <bdi>{key.name} </bdi>}
              <code>••••{key.last4}</code>{' '}
              <span className="muted">
                {key.endsAt === null ? (
                  <Trans>
                    active since <DateText value={key.createdAt} />
                  </Trans>
                ) : (
                  <Trans>
                    valid until <DateText value={key.endsAt} />
                  </Trans>
                )}
              </span>
            </span>
            {mayChange && (
              <button
                type="button"
                className="button small"
                aria-label={t`Revoke ${key.last4}`}
                onClick={() => void revoke(key.id, key.last4)}
              >
                <Trans>Revoke…</Trans>
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayChange ? (
        <p>
          <button type="button" className="button" onClick={() => void make()}>
            <KeyRound size={16} aria-hidden />
            {apiKeys.length === 0 ? t`New key…` : t`Replace the key…`}
          </button>{' '}
          <button type="button" className="button quiet" onClick={() => setOwn(true)}>
            <Trans>Use your own key…</Trans>
          </button>
        </p>
      ) : (
        !provider.isDefault && (
          <p>
            <Link to="/dashboard/maple/keys" preload={false}>
              <Trans>Create, replace and revoke keys</Trans>
            </Link>
          </p>
        )
      )}
      {isOwn && <OwnKey provider={provider} onClose={() => setOwn(false)} />}
      {shown !== undefined && (
        <Dialog title={t`Your new API key`} onClose={() => setShown(undefined)}>
          <div className="form">
            <p>
              <Trans>Copy it now: it is not stored and cannot be shown again.</Trans>
            </p>
            <CopyableId value={shown} />
            <p>
              <button type="button" className="button primary" onClick={() => setShown(undefined)}>
                <Trans>I have copied it</Trans>
              </button>
            </p>
          </div>
        </Dialog>
      )}
    </section>
  )
}

/** A key created elsewhere by an administrator, such as one the API already has. */
function OwnKey({ provider, onClose }: { provider: AdminProvider; onClose: () => void }) {
  const { t } = useLingui()
  const hours = apiKeyOverlapHours
  const form = useForm({
    values: { mobyApiKey: '' },
    check: ({ mobyApiKey }) => ({
      mobyApiKey: isStrongApiKey(mobyApiKey)
        ? undefined
        : t`Enter a random key of 32 to 128 characters, such as the output of: openssl rand -base64 32`,
    }),
    submit: ({ mobyApiKey }) =>
      api.cedar.put('/api/admin/provider/{id}', {
        params: { id: provider.id },
        ifMatch: provider.revision,
        body: { mobyApiKey },
      }),
    onSaved: (saved) => {
      notify({ text: t`The key is active.` })
      void providers.refresh(saved)
      onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog title={t`Use your own key`} form={form} submitLabel={t`Activate`} onClose={onClose}>
      <p className="muted">
        <Trans>The current key stays valid for {hours} more hours; older ones end now.</Trans>
      </p>
      <Field label={t`API key`} {...codeField} {...form.input('mobyApiKey')} />
    </FormDialog>
  )
}

const namesOf = (text: string) => [...new Set(text.split(/[\s,]+/).filter(Boolean))]

function ApiAddress({ provider }: { provider: AdminProvider }) {
  const heading = useId()
  return (
    <section className={styles.users} aria-labelledby={heading}>
      <h3 id={heading}>
        <Trans>IoT API</Trans>
      </h3>
      {provider.rights.change === null ? (
        <AddressForm provider={provider} />
      ) : (
        <AddressFacts {...provider} />
      )}
    </section>
  )
}

function AddressFacts({ mobyApiUrl, mobyRoles }: Pick<AdminProvider, 'mobyApiUrl' | 'mobyRoles'>) {
  const { t } = useLingui()
  const named = (roles: string[]) => roles.join(', ') || '–'
  return (
    <PanelFacts
      facts={[
        [t`API URL`, mobyApiUrl ?? t`The platform’s own`],
        [t`Roles of the owner there`, named(mobyRoles.owner)],
        [t`Roles of other members there`, named(mobyRoles.member)],
      ]}
    />
  )
}

function AddressForm({ provider }: { provider: AdminProvider }) {
  const { t } = useLingui()
  const values = {
    mobyApiUrl: provider.mobyApiUrl ?? '',
    owner: provider.mobyRoles.owner.join(' '),
    member: provider.mobyRoles.member.join(' '),
  }
  const namesProblem = (text: string) =>
    namesOf(text).every((name) => /^[\w.:-]{1,64}$/.test(name))
      ? undefined
      : t`Use letters, digits and . _ : - only.`
  const fields = {
    mobyApiUrl: {
      label: t`API URL (optional)`,
      hint: t`If empty, this platform’s own URL. It must begin with https:// and a public host name.`,
      ...codeField,
      problemOf: (url: string) =>
        url.trim() === '' || isPublicHttps(url.trim())
          ? undefined
          : t`Enter a URL that begins with https:// and a public host name.`,
    },
    owner: {
      label: t`Roles of the owner there`,
      hint: t`Names known to the API, separated by spaces.`,
      ...codeField,
      problemOf: namesProblem,
    },
    member: { label: t`Roles of other members there`, ...codeField, problemOf: namesProblem },
  } satisfies FormFields<typeof values>
  const form = useForm({
    values,
    needsChange: true,
    check: (given) => checkFields(fields, given),
    fieldOf: (path) => path.replace(/^mobyRoles\.(owner|member).*/, '$1'),
    submit: ({ mobyApiUrl, owner, member }) =>
      api.cedar.put('/api/admin/provider/{id}', {
        params: { id: provider.id },
        ifMatch: provider.revision,
        body: {
          mobyApiUrl: mobyApiUrl.trim() || null,
          mobyRoles: { owner: namesOf(owner), member: namesOf(member) },
        },
      }),
    onSaved: (saved) => {
      notify({ text: t`Saved.` })
      void providers.refresh(saved)
    },
  })
  useNewest(form, provider.revision, values)
  return (
    <FormShell
      form={form}
      place="section"
      submitLabel={t`Save`}
      draft={`provider api ${provider.id}`}
    >
      <Fields form={form} fields={fields} />
    </FormShell>
  )
}
