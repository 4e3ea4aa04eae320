import { useLingui } from '@lingui/react/macro'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { Combobox } from '../../../../ui/kit/combobox.tsx'
import { appletOptions } from '../rollout.api.ts'
import { useRolloutWords } from '../rollout.labels.tsx'
import type { RolloutValues } from './rollout-values.ts'

interface ProgramStepProps {
  form: Form<RolloutValues>
  /** It takes another rollout back: what it does follows from that one. */
  isFixed: boolean
}

/** What is brought to the devices, and what the rollout is called. */
export function ProgramStep({ form, isFixed }: ProgramStepProps) {
  const { t } = useLingui()
  const { actions } = useRolloutWords()
  const { program, action } = form.values
  const error = form.errors['program']
  return (
    <>
      <Field
        label={t`Name`}
        hint={t`What it is for, such as “NDEF 1.2 for the north”.`}
        autoComplete="off"
        {...form.input('name')}
      />
      {!isFixed && (
        <>
          <div className="field">
            <span>{t`Applet`}</span>
            <Combobox
              label={t`Applet`}
              value={program}
              options={appletOptions}
              placeholder={t`Search by name or AID`}
              onChange={(chosen) => form.set({ program: chosen })}
              button={{ 'aria-invalid': error ? true : undefined }}
            />
            <div className="field-hint">
              {t`Only a released applet reaches real cards; software cards take any.`}
            </div>
            {error && <div className="field-error">{error}</div>}
          </div>
          <SelectField
            label={t`What to do`}
            value={action}
            words={actions}
            onChange={(next) => form.set({ action: next })}
          />
        </>
      )}
    </>
  )
}
