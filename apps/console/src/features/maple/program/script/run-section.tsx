import type { Script } from '@grove/contract/maple/program/script'
import { inputNamesOf, maxInputValueLength } from '@grove/contract/maple/program/script.rules'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Play, StepForward } from 'lucide-react'
import { useState } from 'react'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'
import { tooltip } from '../../../../ui/kit/tooltip.ts'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { useWork } from '../../../../ui/toast/use-work.ts'
import { ElementChoice } from '../../card/element-choice/element-choice.tsx'
import { useHandedElements } from '../../card/element-choice/handed-elements.ts'
import { startRun, versionQuery, versionsQuery } from './script.api.ts'

interface RunSectionProps {
  script: Script
  /** The draft as typed. */
  text: string
  isSaved: boolean
  onSave: (once: () => void) => void
}

const draft = 'draft'

/** Chooses which version to run, on which elements and with what input. */
export function RunSection({ script, text, isSaved, onSave }: RunSectionProps) {
  const { t } = useLingui()
  const handed = useHandedElements()
  const [chosen, setChosen] = useState<ComboboxOption[]>([...handed])
  const [wanted, setWanted] = useState<string>(draft)
  const [input, setInput] = useState<Record<string, string>>({})
  const { isBusy, start } = useWork()
  const version = wanted === draft ? undefined : Number(wanted.slice(1))
  const { data: versions } = useQuery(versionsQuery(script.id))
  const { data: published } = useQuery({
    ...versionQuery(script.id, version ?? 0),
    enabled: version !== undefined,
  })
  const names = inputNamesOf(version === undefined ? text : (published?.code ?? ''))

  const saves = version === undefined && !isSaved
  const run = (isStepped: boolean) => {
    if (chosen.length === 0 || (isStepped && chosen.length > 1)) return
    const choice = {
      version,
      elements: chosen.map(({ id }) => id),
      input: Object.fromEntries(names.map((name) => [name, input[name] ?? ''])),
      isStepped,
    }
    const begin = () => void start(() => startRun(script.id, choice))
    if (saves) onSave(begin)
    else begin()
  }
  const words = {
    [draft]: t({ message: 'Draft', context: 'of a script' }),
    ...Object.fromEntries(
      versions?.items.map(({ number }) => [
        `v${number}`,
        t({ message: `Version ${number}`, context: 'of a script' }),
      ]) ?? [],
    ),
  }
  return (
    <Section title={t({ message: 'Run', context: 'a section of a script' })}>
      <SelectField label={t`What runs`} value={wanted} words={words} onChange={setWanted} />
      <ElementChoice chosen={chosen} onChange={setChosen} />
      {names.map((name) => (
        <Field
          key={name}
          label={name}
          value={input[name] ?? ''}
          maxLength={maxInputValueLength}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setInput({ ...input, [name]: target.value })}
        />
      ))}
      <div className="actions">
        <button
          type="button"
          className="button primary"
          aria-disabled={isBusy || chosen.length === 0}
          {...tooltip(chosen.length === 0 ? t`Choose an element first.` : undefined)}
          onClick={() => run(false)}
        >
          <Play size={16} aria-hidden />
          {saves ? t`Save and run` : t({ message: 'Run', context: 'a script' })}
        </button>
        <PanelAction
          icon={StepForward}
          label={t`Step through`}
          refusal={
            chosen.length === 1
              ? undefined
              : t`A script can be stepped through on only one element at a time.`
          }
          onAct={() => run(true)}
        />
      </div>
    </Section>
  )
}
