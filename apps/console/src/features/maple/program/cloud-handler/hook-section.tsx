import type { OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { Trans, useLingui } from '@lingui/react/macro'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { SecretDialog } from '../../../../ui/dialog/secret-dialog.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { path, refreshHandler } from './cloud-handler.api.ts'

/** The URL of a webhook, and what authenticates its sender. */
export function HookSection({ handler }: { handler: OpenCloudHandler }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const [secret, setSecret] = useState<string>()
  const { id, hookPath, hasHookSecret, trigger, rights } = handler
  const isSigned = trigger.type === 'webhook' && trigger.proof === 'hmac'
  const make = () =>
    confirmed({
      question: {
        title: t`Create a secret for the webhook?`,
        text: hasHookSecret
          ? t`The callers’ current secret stops working.`
          : t`Callers use it to authenticate. It is shown once.`,
        action: t`Create a secret`,
        isDanger: hasHookSecret,
      },
      change: async () => {
        const made = await api.maple.post(`${path}/{id}/hookSecret`, { params: { id } })
        setSecret(made.secret)
      },
      done: () => t`The secret is created.`,
      refresh: () => refreshHandler(),
    })
  return (
    <Section title={t`Webhook`}>
      <p>
        <Trans>Send a POST to this address:</Trans>
      </p>
      <CopyableId value={`${location.origin}${hookPath}`} />
      <p className="muted">
        {isSigned ? (
          <Trans>
            With the header <code>grove-signature: t=…,v1=…</code>, the HMAC-SHA256 of “t.body” in
            hex, or <code>x-hub-signature-256: sha256=…</code> of the body. Without a timestamp, the
            same body is accepted once in five minutes.
          </Trans>
        ) : (
          <Trans>
            With the header <code>authorization: Bearer …</code> or <code>x-grove-token</code>.
          </Trans>
        )}{' '}
        {!hasHookSecret && <Trans>It has no secret yet, so all calls are refused.</Trans>}
      </p>
      <div className="actions">
        <PanelAction
          icon={KeyRound}
          label={hasHookSecret ? t`Replace the secret…` : t`Create a secret…`}
          refusal={rights.change ? t`You do not have the right to change handlers.` : undefined}
          onAct={() => void make()}
        />
      </div>
      {secret !== undefined && (
        <SecretDialog
          title={t`The secret of the webhook`}
          text={t`Give it to the service that calls the webhook. It is not shown again.`}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Section>
  )
}
