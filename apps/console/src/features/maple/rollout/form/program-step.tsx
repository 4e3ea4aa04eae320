import type { ProgramKind } from '@grove/contract/maple/rollout/rollout.rules'
import { maxInputValueLength } from '@grove/contract/maple/program/script.rules'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { Combobox } from '../../../../ui/kit/combobox.tsx'
import { ValuesForm } from '../../program/template-values/values-form.tsx'
import { useRolloutWords } from '../rollout.labels.tsx'
import { ProductField } from './product-field.tsx'
import { imagesFor, programOptions, programQuery } from './program.api.ts'
import type { RolloutValues } from './rollout-values.ts'

interface ProgramStepProps {
  form: Form<RolloutValues>
  /** It rolls another rollout back, which determines its program. */
  isFixed: boolean
  /** It follows another rollout, with the same program or a corrected version. */
  isKindFixed: boolean
}

/** The program to roll out, and the name of the rollout. */
export function ProgramStep({ form, isFixed, isKindFixed }: ProgramStepProps) {
  const { t } = useLingui()
  const { kinds } = useRolloutWords()
  return (
    <>
      <Field
        label={t`Name`}
        hint={t`Its purpose, such as “NDEF 1.2 for the north”.`}
        autoComplete="off"
        {...form.input('name')}
      />
      {!isFixed && (
        <>
          {!isKindFixed && (
            <SelectField
              label={t`What to roll out`}
              value={form.values.kind}
              words={kinds}
              onChange={(kind) => form.set({ kind, program: null, domain: '', input: {} })}
            />
          )}
          <ProgramFields form={form} />
        </>
      )}
    </>
  )
}

/** One program of the kind, and its parameters. */
function ProgramFields({ form }: { form: Form<RolloutValues> }) {
  const { t } = useLingui()
  const { kinds, actions } = useRolloutWords()
  const { kind, program, action, input } = form.values
  const { data } = useQuery({ ...programQuery(kind, program?.id ?? ''), enabled: program !== null })
  const error = form.errors['program']
  const label = kinds[kind]
  const version = data?.version ?? null
  const newest =
    version === null
      ? t`It runs on each element of a device.`
      : t`Version ${version} runs on each element of a device. Later versions do not affect this rollout.`
  const hints: Record<ProgramKind, string> = {
    applet: t`Real cards accept only a released applet; software cards accept any.`,
    template: newest,
    script: newest,
    image: t`Devices of a product in development accept verified images, all others only released ones.`,
  }
  const productId = form.values.product?.id
  // A search function must keep its identity between renders.
  const options = useMemo(
    () => (kind === 'image' ? imagesFor(productId) : programOptions[kind]),
    [kind, productId],
  )
  return (
    <>
      {kind === 'image' && (
        <ProductField
          form={form}
          hint={t`Its images and those for any product are listed.`}
          onChange={() => {
            // An image for any product stays when another product is chosen.
            if (data?.product !== null) form.set({ program: null })
          }}
        />
      )}
      <div className="field">
        <span>{label}</span>
        <Combobox
          key={`${kind} ${productId}`}
          label={label}
          value={program && { ...program, label: data?.label ?? program.label }}
          options={options}
          placeholder={kind === 'applet' ? t`Search by name or AID` : t`Search by name`}
          onChange={(chosen) => form.set({ program: chosen, input: {} })}
          button={{ 'aria-invalid': error ? true : undefined }}
        />
        <div className="field-hint">{hints[kind]}</div>
        {error && <div className="field-error">{error}</div>}
      </div>
      {kind === 'applet' && (
        <SelectField
          label={t`What to do`}
          value={action}
          words={actions}
          onChange={(next) => form.set({ action: next })}
        />
      )}
      {kind === 'applet' && (
        <Field
          label={t`Security domain`}
          hint={t`Its AID, to act in its name: if it needs tokens, another person approves the rollout and Grove signs them. Empty: the domain of the issuer.`}
          {...codeField}
          {...form.input('domain')}
        />
      )}
      {data && (
        <ValuesForm
          parameters={data.parameters}
          input={input}
          isTried={form.errors['input'] !== undefined}
          onChange={(next) => form.set({ input: next })}
        />
      )}
      {data?.inputs.map((name) => (
        <Field
          key={name}
          label={name}
          value={input[name] ?? ''}
          maxLength={maxInputValueLength}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => form.set({ input: { ...input, [name]: target.value } })}
        />
      ))}
      {form.errors['input'] && <div className="field-error">{form.errors['input']}</div>}
    </>
  )
}
