import type { Script, ScriptRunItem } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { api } from '../../../session/api.ts'
import { ConflictNotice } from '../../../ui/form/conflict-notice.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useEditForm } from '../../../ui/form/use-edit-form.ts'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import type { CodeProblem } from '../parts/code/code-api.ts'
import { checkQuery, path, refreshScript, runQuery } from './script.api.ts'
import { useCauseText } from './script.labels.tsx'
import styles from './script.module.css'
import { useScriptNames } from './script-names.ts'

const CodeEditor = onDemand(() =>
  import('../parts/code/code-editor.tsx').then((file) => file.CodeEditor),
)

interface ScriptDraftProps {
  script: Script
  lastRun: ScriptRunItem | undefined
  onText: (text: string) => void
  /** Asks for the draft to be saved, and is done then. */
  onceSaved: object | undefined
  onSaved: () => void
}

/** The editor of the draft. What others save meanwhile is merged or asked about. */
export function ScriptDraft({ script, lastRun, onText, onceSaved, onSaved }: ScriptDraftProps) {
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

  const { problems, words } = useProblems(id, text, lastRun)
  return (
    <FormShell form={form} place="section" submitLabel={t`Save`} draft={`script ${id}`}>
      <div className={styles.editor}>
        <CodeEditor
          text={text}
          label={t`Code of the script`}
          names={useScriptNames()}
          problems={problems}
          onChange={(draft) => form.set({ draft })}
          onSave={() => form.props.ref.current?.requestSubmit()}
        />
      </div>
      <output className={styles.problem}>{words}</output>
      <ConflictNotice
        form={form}
        labelOf={() => t({ message: 'Draft', context: 'of a script' })}
        show={shownCode}
      />
    </FormShell>
  )
}

const shownCode = (value: unknown) => <pre className={styles.code}>{String(value)}</pre>

const typingPauseMs = 500

/** What is wrong with a text: as JavaScript, or else where its last run failed. */
function useProblems(id: string, text: string, lastRun: ScriptRunItem | undefined) {
  const causeText = useCauseText()
  const paused = usePaused(useDeferredValue(text), typingPauseMs)
  const { data } = useQuery({ ...checkQuery(paused), enabled: paused.trim() !== '' })
  const cause = lastRun?.version === null ? lastRun.cause : null
  const failedId = typeof cause?.line === 'number' ? lastRun?.id : undefined
  const { data: failed } = useQuery({
    ...runQuery(id, failedId ?? ''),
    enabled: failedId !== undefined,
  })
  const syntax = paused === text ? (data?.problem ?? null) : null
  const thrown = failedId !== undefined && failed?.code === text ? cause : null
  const found = syntax ? { ...syntax, code: 'threw' as const } : thrown
  const words = found ? causeText(found) : ''
  const { line = null, column = null, message = '' } = found ?? {}
  const problems = useMemo(
    (): CodeProblem[] => (line === null ? [] : [{ line, column, message }]),
    [line, column, message],
  )
  return { problems, words }
}

/** A value that has stayed for a while. */
function usePaused<Value>(value: Value, ms: number): Value {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return paused
}
