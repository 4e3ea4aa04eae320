import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { maxProviderNameLength, maxFares } from '@grove/contract/cedar/provider.rules'
import { locales, type LocaleCode } from '@grove/contract/locale.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus, Trash2 } from 'lucide-react'
import { Fragment, useId, useState } from 'react'
import { api } from '../../../session/api.ts'
import { Field } from '../../../ui/field/field.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { codeField } from '../../../ui/form/fields.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useNewest } from '../../../ui/form/use-newest.ts'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import {
  amountOf,
  fareState,
  fareValues,
  isAmount,
  isCurrency,
  newFare,
  type Fare,
  type FareState,
  type FareValues,
} from './fare-values.ts'
import { providers } from './provider.api.ts'
import styles from './provider-fares.module.css'
import parts from './provider-users.module.css'

const toFare = ({ amount, validFrom, validTo, ...fare }: FareValues): Fare => ({
  id: fare.id,
  names: locales.flatMap((localeCode) =>
    fare[localeCode].trim() === '' ? [] : [{ localeCode, name: fare[localeCode] }],
  ),
  amountMinor: amountOf(amount, fare.currency),
  currency: fare.currency,
  period: fare.period,
  validFrom: validFrom || null,
  validTo: validTo || null,
})

/** What the provider charges: shown to people, never collected by the platform. */
export function ProviderFares({ provider }: { provider: AdminProvider }) {
  const heading = useId()
  const mayChange = provider.rights.change === null
  if (!mayChange && provider.fares.length === 0) return null
  return (
    <section className={parts.users} aria-labelledby={heading}>
      <h3 id={heading}>
        <Trans>Fares</Trans>
      </h3>
      {mayChange ? <FaresForm provider={provider} /> : <FareFacts {...provider} />}
    </section>
  )
}

function FareFacts({ fares }: Pick<AdminProvider, 'fares'>) {
  const { i18n } = useLingui()
  const periods = usePeriodWords()
  const [today] = useState(() => new Date())
  return (
    <PanelFacts
      facts={fares.map((fare) => {
        const { amount, currency, ...values } = fareValues(fare)
        const price = i18n.number(Number(amount), { style: 'currency', currency })
        return [
          nameIn(fare.names, currentLocale()),
          <Fragment key={fare.id}>
            {price} · {periods[fare.period]} <Validity state={fareState(values, today)} />
          </Fragment>,
        ]
      })}
    />
  )
}

const nameIn = (names: Fare['names'], locale: string) =>
  (names.find(({ localeCode }) => localeCode === locale) ?? names[0])?.name ?? ''

function FaresForm({ provider }: { provider: AdminProvider }) {
  const { t } = useLingui()
  // Before the form, which validates a draft as it is restored.
  const problemsOf = (fare: FareValues, index: number): [string, string | undefined][] => [
    [
      `fares.${index}.en-US`,
      locales.some((code) => fare[code].trim() !== '') ? undefined : t`Enter a name.`,
    ],
    [
      `fares.${index}.currency`,
      isCurrency(fare.currency) ? undefined : t`Enter a currency of three letters, such as EUR.`,
    ],
    [
      `fares.${index}.amount`,
      isAmount(fare.amount, fare.currency) ? undefined : t`Enter an amount, such as 49.00.`,
    ],
    [
      `fares.${index}.validTo`,
      fare.validTo !== '' && fare.validFrom > fare.validTo
        ? t`The last day is before the first.`
        : undefined,
    ],
  ]
  const form = useForm({
    values: { fares: provider.fares.map(fareValues) },
    needsChange: true,
    check: ({ fares }) => Object.fromEntries(fares.flatMap(problemsOf)),
    submit: ({ fares }) =>
      api.cedar.put('/api/cedar/provider', {
        ifMatch: provider.revision,
        body: { provider: provider.id, fares: fares.map(toFare) },
      }),
    onSaved: (saved) => {
      notify({ text: t`Saved.` })
      void providers.refresh(saved)
    },
  })
  useNewest(form, provider.revision, { fares: provider.fares.map(fareValues) })
  const { fares } = form.values
  const change = (index: number, given: Partial<FareValues>) =>
    form.set((now) => ({
      fares: now.fares.map((fare, at) => (at === index ? { ...fare, ...given } : fare)),
    }))
  return (
    <FormShell
      form={form}
      place="section"
      submitLabel={t`Save`}
      draft={`provider fares ${provider.id}`}
    >
      <p className="muted">
        <Trans>Fares are shown to people. The platform charges nothing.</Trans>
      </p>
      {fares.map((fare, index) => (
        <FareFields
          key={fare.id}
          fare={fare}
          number={index + 1}
          errorOf={(field) => form.errors[`fares.${index}.${field}`]}
          onChange={(given) => change(index, given)}
          onRemove={() => form.set({ fares: fares.filter((_, at) => at !== index) })}
        />
      ))}
      {fares.length < maxFares && (
        <p>
          <button
            type="button"
            className="button"
            onClick={() => form.set({ fares: [...fares, newFare()] })}
          >
            <Plus size={16} aria-hidden />
            <Trans>Add a fare</Trans>
          </button>
        </p>
      )}
    </FormShell>
  )
}

interface FareFieldsProps {
  fare: FareValues
  number: number
  errorOf: (field: string) => string | undefined
  onChange: (given: Partial<FareValues>) => void
  onRemove: () => void
}

function FareFields({ fare, number, errorOf, onChange, onRemove }: FareFieldsProps) {
  const { t } = useLingui()
  const [today] = useState(() => new Date())
  const languages: Record<LocaleCode, string> = {
    'en-US': t`Name in English`,
    'ru-RU': t`Name in Russian`,
  }
  const periods = usePeriodWords()
  const text = (field: Exclude<keyof FareValues, 'id' | 'period'>) => ({
    value: fare[field],
    error: errorOf(field),
    onChange: ({ target }: { target: { value: string } }) => onChange({ [field]: target.value }),
  })
  return (
    <fieldset className={styles.fare}>
      <legend>
        <Trans>Fare {number}</Trans> <Validity state={fareState(fare, today)} />
      </legend>
      {locales.map((code) => (
        <Field
          key={code}
          label={languages[code]}
          maxLength={maxProviderNameLength}
          autoComplete="off"
          {...text(code)}
        />
      ))}
      <div className={styles.row}>
        <Field label={t`Amount`} inputMode="decimal" autoComplete="off" {...text('amount')} />
        <Field label={t`Currency`} maxLength={3} {...codeField} {...text('currency')} />
      </div>
      <SelectField
        label={t`Period`}
        value={fare.period}
        words={periods}
        onChange={(period) => onChange({ period })}
      />
      <div className={styles.row}>
        <Field label={t`Valid from`} type="date" {...text('validFrom')} />
        <Field label={t`Valid to`} type="date" {...text('validTo')} />
      </div>
      <p>
        <button type="button" className="button small" onClick={onRemove}>
          <Trash2 size={14} aria-hidden />
          <Trans>Remove the fare</Trans>
        </button>
      </p>
    </fieldset>
  )
}

function usePeriodWords(): Record<Fare['period'], string> {
  const { t } = useLingui()
  return { once: t`Once`, month: t`Each month`, year: t`Each year` }
}

function Validity({ state }: { state: FareState }) {
  const { t } = useLingui()
  const words: Record<FareState, string> = {
    valid: t`Valid now`,
    future: t`Not valid yet`,
    ended: t`No longer valid`,
  }
  return (
    <StateBadge
      kind={state === 'valid' ? 'good' : state === 'future' ? 'waiting' : 'ended'}
      text={words[state]}
    />
  )
}
