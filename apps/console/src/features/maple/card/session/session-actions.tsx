import type { ElementSession } from '@grove/contract/maple/card/session'
import {
  exportFormats,
  isLive,
  traceForms,
  type ExportFormat,
  type TraceForm,
} from '@grove/contract/maple/card/session.rules'
import { useLingui } from '@lingui/react/macro'
import {
  Braces,
  CirclePlay,
  CircleSlash,
  Download,
  FileText,
  Hand,
  Network,
  ScrollText,
} from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { useSave } from '../../../../ui/file/use-save.ts'
import { Menu } from '../../../../ui/kit/menu.tsx'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { Person } from '../../../../people/person.tsx'
import { path, sessions, storeSession } from './session.api.ts'

const ReplayDialog = onDemand(() => import('./replay-dialog.tsx').then((file) => file.ReplayDialog))

const exportIcons = { text: FileText, json: Braces, script: ScrollText } as const

/** The actions on a session as a whole. */
export function SessionActions({ session }: { session: ElementSession }) {
  const { t } = useLingui()
  const save = useSave()
  const [isReplaying, setReplaying] = useState(false)
  const takeOver = useTakeOver(session)
  const end = useEnd(session)
  const { rights, exchanges, id } = session
  const isOpen = isLive(session.state)
  const words: Record<ExportFormat, string> = {
    text: t`As text`,
    json: t`As JSON`,
    script: t`As a script of commands`,
  }
  const exportAs = (format: ExportFormat) =>
    save(
      () => api.maple.download(`${path}/{id}/export`, { params: { id }, query: { format } }),
      `session-${id}.${format === 'json' ? 'json' : 'txt'}`,
    )
  const traceWords: Record<TraceForm, string> = {
    plain: t`For Wireshark`,
    sent: t`For Wireshark, as sent`,
  }
  const saveTrace = (form: TraceForm) =>
    save(
      () => api.maple.download(`${path}/{id}/pcap`, { params: { id }, query: { form } }),
      `session-${id}.pcap`,
    )
  return (
    <div className="actions">
      {isOpen && rights.takeOver !== 'already_yours' && (
        <PanelAction
          icon={Hand}
          label={t`Take over…`}
          refusal={
            rights.takeOver === 'session_runs_itself'
              ? t`Grove sends the commands of this session itself.`
              : rights.takeOver === 'forbidden'
                ? t`Your role can watch sessions but not send commands.`
                : undefined
          }
          onAct={() => void takeOver()}
        />
      )}
      <Menu
        label={t`Export`}
        align="end"
        items={[
          ...exportFormats.map((format) => ({
            id: format,
            label: words[format],
            icon: exportIcons[format],
            onSelect: () => void exportAs(format),
          })),
          ...traceForms.map((form) => ({
            id: `pcap-${form}`,
            label: traceWords[form],
            icon: Network,
            onSelect: () => void saveTrace(form),
          })),
        ]}
      >
        <Download size={16} aria-hidden />
        {t`Export`}
      </Menu>
      <PanelAction
        icon={CirclePlay}
        label={t`Replay…`}
        refusal={exchanges === 0 ? t`There is nothing to replay yet.` : undefined}
        onAct={() => setReplaying(true)}
      />
      {isOpen && (
        <PanelAction
          icon={CircleSlash}
          label={t`End…`}
          refusal={
            rights.end === 'forbidden'
              ? t`Your role can watch sessions but not end them.`
              : undefined
          }
          onAct={() => void end()}
        />
      )}
      {isReplaying && <ReplayDialog session={session} onClose={() => setReplaying(false)} />}
    </div>
  )
}

function useTakeOver({ id, heldBy }: ElementSession) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return () =>
    confirmed({
      question: {
        title: t`Take over the session?`,
        text: (
          <>
            {t`The commands are now sent by:`} <Person id={heldBy} />.{' '}
            {t`They will see that you took over, and can then only watch. An open secure channel stays open.`}
          </>
        ),
        action: t`Take over`,
      },
      change: async () =>
        storeSession(await api.maple.post(`${path}/{id}/takeOver`, { params: { id } })),
      done: () => t`You send the commands now.`,
      refresh: () => sessions.refresh(),
    })
}

export function useEnd({ id, heldBy }: ElementSession) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return () =>
    confirmed({
      question: {
        title: t`End the session?`,
        text:
          heldBy === null
            ? t`Grove is using it. Commands not sent yet won’t run.`
            : t`The log stays. An open secure channel is lost.`,
        action: t`End the session`,
        isDanger: heldBy === null,
      },
      change: async () =>
        storeSession(await api.maple.post(`${path}/{id}/end`, { params: { id } })),
      done: () => t`The session has ended.`,
      refresh: () => sessions.refresh(),
    })
}
