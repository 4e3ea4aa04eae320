import type { Applet } from '@grove/contract/maple/card/applet'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { BadgeCheck, Ban, Download, Rocket, Trash2 } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { useSave } from '../../../../ui/file/use-save.ts'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { useAttempt } from '../../../../ui/toast/use-attempt.ts'
import { RollOut } from '../../base/roll-out.tsx'
import { applets, impactQuery } from './applet.api.ts'

/** Changes the state of an applet, downloads its file, and deletes it. */
export function AppletActions({ applet }: { applet: Applet }) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const save = useSave()
  const confirmed = useConfirmed()
  const navigate = useNavigate()
  const { data: impact } = useQuery(impactQuery(applet.id))
  const { id, name, version, revision, rights } = applet
  const params = { id }
  const what = `${name} ${version}`

  const move = (state: 'verified' | 'released' | 'revoked') =>
    api.maple.post('/api/maple/applets/{id}/state', { params, ifMatch: revision, body: { state } })
  const verify = () =>
    attempt(async () => {
      await applets.refresh(await move('verified'))
      notify({ text: t`A software card accepted ${what}.` })
    })
  const release = () =>
    confirmed({
      question: {
        title: t`Release ${what}?`,
        text: t`It can then be installed on elements in use. Only one file of a version can be released.`,
        action: t({ message: 'Release', context: 'an image or an applet' }),
      },
      change: () => move('released'),
      done: () => t`${what} is released.`,
      refresh: applets.refresh,
    })
  const revoke = () =>
    confirmed({
      question: {
        title: t`Revoke ${what}?`,
        text: t`It can no longer be installed, only uninstalled. This is final; the file can be uploaded again.`,
        action: t`Revoke`,
        isDanger: true,
      },
      change: () => move('revoked'),
      done: () => t`${what} is revoked.`,
      refresh: applets.refresh,
    })
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete ${what}?`,
        text: t`The file and the history of its operations are deleted. Its events stay in the audit trail.`,
        action: t`Delete the applet`,
        isDanger: true,
      },
      change: () => api.maple.delete('/api/maple/applets/{id}', { params, ifMatch: revision }),
      done: () => t`${what} is deleted.`,
      onDone: () => void navigate({ to: '/dashboard/maple/applets' }),
      refresh: applets.refresh,
    })
  const download = () =>
    save(() => api.maple.download('/api/maple/applets/{id}/file', { params }), applet.fileName)
  const users = impact?.elements.value ?? 0
  return (
    <div className="actions">
      {rights.verify === null && (
        <PanelAction icon={BadgeCheck} label={t`Verify`} onAct={() => void verify()} />
      )}
      {rights.release === null && (
        <PanelAction icon={Rocket} label={t`Release…`} onAct={() => void release()} />
      )}
      {rights.revoke === null && (
        <PanelAction icon={Ban} label={t`Revoke…`} onAct={() => void revoke()} />
      )}
      <RollOut
        kind="applet"
        id={id}
        refusal={applet.state === 'revoked' ? t`It is revoked.` : undefined}
      />
      <PanelAction icon={Download} label={t`Download`} onAct={() => void download()} />
      <PanelAction
        icon={Trash2}
        label={t`Delete…`}
        refusal={
          users > 0
            ? t`Elements have the applet. Uninstall it there first.`
            : impact
              ? undefined
              : t`Counting the elements that have it`
        }
        onAct={() => void remove()}
      />
    </div>
  )
}
