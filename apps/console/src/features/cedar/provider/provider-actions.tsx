import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { FolderInput, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { useProviderName } from '../parts/use-provider-name.ts'
import { providers } from './provider.api.ts'
import { TransferApps } from './transfer-apps.tsx'

interface ProviderActionsProps {
  provider: AdminProvider
  onGone: () => void
}

/** The actions on a provider, for those who may change it. */
export function ProviderActions({ provider, onGone }: ProviderActionsProps) {
  const { t } = useLingui()
  const { remove, setEnabled, refusalOf } = useProviderActions(onGone)
  const [isTransferring, setIsTransferring] = useState(false)
  if (provider.rights.change !== null) return null
  return (
    <>
      <PanelAction
        icon={Power}
        label={provider.enabled ? t`Disable…` : t`Enable…`}
        onAct={() => void setEnabled(provider)}
      />
      <PanelAction
        icon={FolderInput}
        label={t`Transfer apps here…`}
        onAct={() => setIsTransferring(true)}
      />
      <PanelAction
        icon={Trash2}
        label={t`Delete…`}
        refusal={refusalOf(provider)}
        onAct={() => void remove(provider)}
      />
      {isTransferring && (
        <TransferApps provider={provider} onClose={() => setIsTransferring(false)} />
      )}
    </>
  )
}

function useProviderActions(onClose: () => void) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const nameOf = useProviderName()
  const remove = (provider: AdminProvider) => {
    const name = nameOf(provider)
    return confirmed({
      question: {
        title: t`Delete ${name}?`,
        text: t`The provider and its members’ access to it are deleted. This cannot be undone.`,
        action: t`Delete the provider`,
        isDanger: true,
        typeToConfirm: name,
      },
      change: () =>
        api.cedar.delete('/api/cedar/provider', {
          query: { provider: provider.id },
          ifMatch: provider.revision,
        }),
      done: () => t`${name} is deleted.`,
      onDone: onClose,
      refresh: providers.refresh,
    })
  }
  const setEnabled = (provider: AdminProvider) => {
    const name = nameOf(provider)
    const { enabled, id, revision, use } = provider
    const liveApps = plural(use.liveProducts, { one: '# live app', other: '# live apps' })
    const links = plural(use.links, { one: '# link', other: '# links' })
    const linksText =
      use.links === 0 ? '' : ` ${t`During this time, ${links} of its apps will not work.`}`
    return confirmed({
      question: enabled
        ? {
            title: t`Disable ${name}?`,
            text:
              use.liveProducts === 0
                ? t`It has no live app. Apps that go live later stay out of the catalogue until you enable it again.`
                : t`It has ${liveApps}: they leave the catalogue immediately and return when you enable it again.` +
                  linksText,
            action: t({ message: 'Disable', context: 'a provider' }),
            isDanger: true,
          }
        : {
            title: t`Enable ${name}?`,
            text: t`Its live apps return to the catalogue immediately.`,
            action: t`Enable`,
          },
      change: () =>
        api.cedar.put('/api/admin/provider/{id}', {
          params: { id },
          ifMatch: revision,
          body: { enabled: !enabled },
        }),
      done: () => (enabled ? t`${name} is disabled.` : t`${name} is enabled.`),
      refresh: providers.refresh,
    })
  }
  const refusalOf = ({ rights }: AdminProvider) =>
    rights.delete === 'provider_is_personal'
      ? t`A personal provider stays with its developer.`
      : rights.delete
        ? t`Delete its apps first, or transfer them.`
        : undefined
  return { remove, setEnabled, refusalOf }
}
