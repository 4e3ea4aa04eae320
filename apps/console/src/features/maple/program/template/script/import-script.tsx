import { maxSteps } from '@grove/contract/maple/program/template.rules'
import {
  scriptTool,
  templateOfScript,
  type ScriptTool,
} from '@grove/contract/maple/program/template-script.rules'
import type { TemplateStep } from '@grove/contract/maple/program/template-step.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { FileText } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Dialog } from '../../../../../ui/dialog/dialog.tsx'
import { AreaField } from '../../../../../ui/field/area-field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { useFileChoice } from '../../../../../ui/file/use-file-choice.tsx'
import { useFileDrop } from '../../../../../ui/file/use-file-drop.ts'
import { Combobox } from '../../../../../ui/kit/combobox.tsx'
import type { ComboboxOption } from '../../../../../ui/kit/combobox-options.ts'
import { appletOptions } from '../template.api.ts'
import { ScriptPreview } from './script-preview.tsx'
import { toolNames } from './tool-names.ts'
import styles from './script.module.css'

/** Scripts are typed by people: anything larger is some other file. */
const largestScript = 200_000

interface ImportScriptProps {
  steps: readonly TemplateStep[]
  onTake: (steps: TemplateStep[]) => void
  onClose: () => void
}

/** Converts a pasted or chosen script of `gp` or GPShell to steps, and shows what each line becomes. */
export function ImportScript({ steps, onTake, onClose }: ImportScriptProps) {
  const { t } = useLingui()
  const area = useRef<HTMLTextAreaElement>(null)
  // A dialog focuses its first button when it opens.
  useEffect(() => area.current?.focus(), [])
  const [text, setText] = useState('')
  const [chosen, setTool] = useState<ScriptTool>()
  const [applets, setApplets] = useState<Record<string, ComboboxOption>>({})
  const [place, setPlace] = useState<'end' | 'instead'>('end')
  const [problem, setProblem] = useState<string>()
  const typed = useDeferredValue(text)
  const tool = chosen ?? scriptTool(typed)
  const rows = useMemo(
    () =>
      templateOfScript(
        tool,
        typed,
        Object.fromEntries(Object.entries(applets).map(([file, { id }]) => [file, id])),
      ),
    [tool, typed, applets],
  )
  const read = async ([file]: File[]) => {
    if (!file) return
    const isTooLarge = file.size > largestScript
    setProblem(isTooLarge ? t`This file is too large for a script.` : undefined)
    if (!isTooLarge) setText(await file.text())
  }
  const onFiles = (files: File[]) => void read(files)
  const { choose, input } = useFileChoice({ accept: '.sh,.txt,.gp,.gpsh,text/plain', onFiles })
  const { isOver, dropProps } = useFileDrop({ onFiles })

  const made = rows.flatMap((row) => row.steps)
  const files = [...new Set(rows.flatMap((row) => row.files))]
  const kept = place === 'end' ? steps.length : 0
  const isTooLong = kept + made.length > maxSteps
  const take = () => {
    if (made.length === 0 || isTooLong) return
    onTake([...steps.slice(0, kept), ...made])
    onClose()
  }
  return (
    <Dialog title={t`Import a script`} size="content" closeLabel={t`Close`} onClose={onClose}>
      {/* Not a form element, since it is inside the template's form. */}
      <div className={styles.content}>
        <div {...dropProps} data-over={isOver || undefined} className={styles.drop}>
          <AreaField
            label={t`Commands of gp or a script of GPShell`}
            hint={t`Paste it here, or drop a file. Keys in it are not stored: the steps use the keys that Grove has for an element.`}
            error={problem}
            className="mono"
            ref={area}
            rows={6}
            value={text}
            autoComplete="off"
            autoCapitalize="none"
            placeholder="gp --install wallet.cap"
            onChange={({ target }) => setText(target.value.slice(0, largestScript))}
          />
        </div>
        <div className="actions">
          <button type="button" className="button" onClick={choose}>
            <FileText size={16} aria-hidden />
            <Trans>Choose a file…</Trans>
          </button>
          {input}
        </div>
        {rows.length > 0 && (
          <>
            <div className={styles.choices}>
              <SelectField label={t`Tool`} value={tool} words={toolNames} onChange={setTool} />
              {steps.length > 0 && (
                <SelectField
                  label={t`Current steps`}
                  value={place}
                  words={{ end: t`Keep and add to the end`, instead: t`Replace` }}
                  onChange={setPlace}
                />
              )}
              {files.map((file) => (
                <div key={file} className="field">
                  <strong className={styles.file}>{file}</strong>
                  <Combobox
                    label={t`Applet for ${file}`}
                    placeholder={t`Choose an applet`}
                    value={applets[file] ?? null}
                    options={appletOptions}
                    onChange={(option) =>
                      setApplets((before) =>
                        Object.fromEntries([
                          ...Object.entries(before).filter(([each]) => each !== file),
                          ...(option ? [[file, option] as const] : []),
                        ]),
                      )
                    }
                  />
                </div>
              ))}
            </div>
            <ScriptPreview rows={rows} />
          </>
        )}
        {isTooLong && <p className="field-error">{t`A template has ${maxSteps} steps at most.`}</p>}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            <Trans>Cancel</Trans>
          </button>
          <button
            type="button"
            className="button primary"
            aria-disabled={made.length === 0 || isTooLong}
            onClick={take}
          >
            {made.length === 0
              ? t`Add steps`
              : t`${plural(made.length, { one: 'Add # step', other: 'Add # steps' })}`}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
