import type { MapleService } from '@grove/contract/maple/access/service'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { CirclePause, CirclePlay, Trash2 } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { impactQuery, services } from './service.api.ts'
import { useMayChange } from './use-may-change.ts'

/** The actions on a service provider, for those who may change it. */
export function ServiceActions({ service, onGone }: { service: MapleService; onGone: () => void }) {
  const { t } = useLingui()
  const mayChange = useMayChange()
  const confirmed = useConfirmed()
  const { data: impact, error } = useQuery(impactQuery(service.id))
  const { id, name, revision, state } = service
  const devices = impact?.devices.value ?? 0
  const accounts = impact?.accounts.value ?? 0

  const suspend = () =>
    confirmed({
      question: {
        title: t`Suspend ${name}?`,
        text: t`${plural(accounts, { one: '# account loses', other: '# accounts lose' })} all rights until you resume it, and nothing new can be added. Devices stay unchanged.`,
        action: t`Suspend`,
        isDanger: true,
      },
      change: () => setState('suspended'),
      done: () => t`${name} is suspended.`,
      refresh: services.refresh,
    })
  const resume = () =>
    confirmed({
      question: {
        title: t`Resume ${name}?`,
        text: t`Its accounts get their rights back immediately.`,
        action: t`Resume`,
      },
      change: () => setState('active'),
      done: () => t`${name} is active again.`,
      refresh: services.refresh,
    })
  const setState = (next: MapleService['state']) =>
    api.maple.put('/api/maple/service', { query: { id }, ifMatch: revision, body: { state: next } })
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete ${name}?`,
        text: impact
          ? t`No device or account belongs to it. Its events stay in the audit trail.`
          : t`The service does not say whether a device or an account belongs to it.`,
        action: t`Delete the service provider`,
        isDanger: true,
      },
      change: () => api.maple.delete('/api/maple/service', { query: { id }, ifMatch: revision }),
      done: () => t`${name} is deleted.`,
      onDone: onGone,
      refresh: services.refresh,
    })
  const isInUse = devices + accounts > 0
  if (!mayChange) return null
  return (
    <>
      {state === 'active' && (
        <PanelAction icon={CirclePause} label={t`Suspend…`} onAct={() => void suspend()} />
      )}
      {state === 'suspended' && (
        <PanelAction icon={CirclePlay} label={t`Resume…`} onAct={() => void resume()} />
      )}
      <PanelAction
        icon={Trash2}
        label={t`Delete…`}
        refusal={
          isInUse
            ? t`Devices or accounts belong to it. Move or delete them first.`
            : impact || error
              ? undefined
              : t`Counting what belongs to it`
        }
        onAct={() => void remove()}
      />
    </>
  )
}
