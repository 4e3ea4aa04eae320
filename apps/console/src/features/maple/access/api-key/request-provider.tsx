import type { ProviderRequest } from '@grove/contract/cedar/provider-request'
import { maxRequestTextLength } from '@grove/contract/cedar/provider-request.rules'
import { maxProviderNameLength } from '@grove/contract/cedar/provider.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { providersQuery } from '../../../../session/providers.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { checkFields, Fields, type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import styles from './api-key.module.css'

const path = '/api/provider/request'

const refresh = () =>
  Promise.all([
    api.cedar.invalidate(path),
    queryClient.refetchQueries({ queryKey: providersQuery.queryKey }),
  ])

/** Asks administrators for a provider, and shows the outcome of the last request. */
export function RequestProvider() {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const [isAsking, setAsking] = useState(false)
  const { data } = useQuery({
    ...api.cedar.query(path, { query: { limit: 1 } }),
    refetchInterval: 60_000,
  })
  // An administrator sees everyone's requests, and needs none.
  if (!data || viewer.isAdmin) return null
  const [last] = data.items
  return (
    <div className={styles.request}>
      {last && <LastRequest request={last} />}
      {last?.state !== 'open' && (
        <p>
          <button type="button" className="button" onClick={() => setAsking(true)}>
            <Trans>Request a provider</Trans>
          </button>
        </p>
      )}
      {isAsking && <RequestDialog onClose={() => setAsking(false)} />}
    </div>
  )
}

function LastRequest({ request }: { request: ProviderRequest }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { id, name, state, reason, revision } = request
  const withdraw = () =>
    confirmed({
      question: {
        title: t`Withdraw the request for “${name}”?`,
        text: t`No provider is created. You can make another request.`,
        action: t`Withdraw`,
        isDanger: true,
      },
      change: () => api.cedar.delete(path, { query: { id }, ifMatch: revision }),
      done: () => t`The request is withdrawn.`,
      refresh,
    })
  if (state === 'open')
    return (
      <div className="notice">
        <p>
          <Trans>You requested the provider “{name}”. An administrator decides on it.</Trans>
        </p>
        <button type="button" className="button" onClick={() => void withdraw()}>
          <Trans>Withdraw…</Trans>
        </button>
      </div>
    )
  if (state !== 'refused') return null
  return (
    <div className="notice">
      <p>
        <Trans>Your request for the provider “{name}” was refused:</Trans> <bdi>{reason}</bdi>
      </p>
    </div>
  )
}

function RequestDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const fields = {
    name: useNameField(maxProviderNameLength, t`Such as the name of your organisation`),
    purpose: {
      label: t`What is it for?`,
      hint: t`One sentence for the administrator who decides.`,
      maxLength: maxRequestTextLength,
      autoComplete: 'off',
      problemOf: (text) => (text.trim() === '' ? t`Say what it is for.` : undefined),
    },
  } satisfies FormFields<{ name: string; purpose: string }>
  return (
    <ChangeDialog
      title={t`Request a provider`}
      submitLabel={t`Send the request`}
      form={{
        values: { name: '', purpose: '' },
        check: (values) => checkFields(fields, values),
        submit: (body) => api.cedar.post(path, { body }),
      }}
      done={() => t`The request is sent.`}
      refresh={refresh}
      onClose={onClose}
    >
      {(form) => <Fields form={form} fields={fields} />}
    </ChangeDialog>
  )
}
