import type { Script, ScriptRunItem } from '@grove/contract/maple/program/script'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { api } from '../../../../session/api.ts'
import { ConflictNotice } from '../../../../ui/form/conflict-notice.tsx'
import { FormShell } from '../../../../ui/form/form-shell.tsx'
import { useEditForm } from '../../../../ui/form/use-edit-form.ts'
import { ClashingCode } from '../code/clashing-code.tsx'
import { DraftEditor } from '../code/draft-editor.tsx'
import { useCodeProblem } from '../code/use-code-problem.ts'
import { path, refreshScript, runQuery } from './script.api.ts'
import { useScriptNames } from './script-names.ts'

interface ScriptDraftProps {
  script: Script
  lastRun: ScriptRunItem | undefined
  onText: (text: string) => void
  /** Requests that the draft be saved. */
  onceSaved: object | undefined
  onSaved: () => void
  /** The save was refused, so what was to follow it does not happen. */
  onRefused: () => void
}

/** The editor of the draft. Concurrent saves of others are merged, or the reader is asked. */
export function ScriptDraft(props: ScriptDraftProps) {
  const { script, lastRun, onText, onceSaved, onSaved, onRefused } = props
  const { t } = useLingui()
  const { id } = script
  const savedOf = ({ draft, revision }: Script) => ({ values: { draft }, revision })
  const params = { id }
  const form = useEditForm<{ draft: string }>({
    saved: savedOf(script),
    submit: async ({ draft }, { revision }) => {
      const ifMatch = revision === undefined ? {} : { ifMatch: revision }
      const saved = await api.maple.put(`${path}/{id}`, { params, ...ifMatch, body: { draft } })
      void refreshScript(saved)
      return savedOf(saved)
    },
    load: async () => savedOf(await api.maple.get(`${path}/{id}`, { params })),
    onSaved,
  })
  const text = form.values.draft
  const report = useEffectEvent(onText)
  useEffect(() => report(text), [text])
  const submit = useEffectEvent(() => form.props.ref.current?.requestSubmit())
  useEffect(() => {
    if (onceSaved) submit()
  }, [onceSaved])
  const isRefused = form.status === 'idle' && form.error !== undefined
  const giveUp = useEffectEvent(onRefused)
  useEffect(() => {
    if (isRefused) giveUp()
  }, [isRefused])

  const { problems, words } = useProblems(id, text, lastRun)
  return (
    <FormShell form={form} place="section" submitLabel={t`Save`} draft={`script ${id}`}>
      <DraftEditor
        text={text}
        label={t`Code of the script`}
        names={useScriptNames()}
        problems={problems}
        onChange={(draft) => form.set({ draft })}
        onSave={() => form.props.ref.current?.requestSubmit()}
        wrong={words}
      />
      <ConflictNotice
        form={form}
        labelOf={() => t({ message: 'Draft', context: 'of a script' })}
        renderWhole={(value) => <ClashingCode code={String(value)} base={form.base.draft} />}
      />
    </FormShell>
  )
}

/** The error of a text: its syntax error, or else where its last run failed. */
function useProblems(id: string, text: string, lastRun: ScriptRunItem | undefined) {
  const cause = lastRun?.version === null ? lastRun.cause : null
  const failedId = typeof cause?.line === 'number' ? lastRun?.id : undefined
  const { data: failed } = useQuery({
    ...runQuery(id, failedId ?? ''),
    enabled: failedId !== undefined,
  })
  return useCodeProblem(text, failedId !== undefined && failed?.code === text ? cause : null)
}
