import {
  type KeyDiversification,
  diversifications,
  type keyAlgorithms,
  maxMasterNameLength,
} from '@grove/contract/maple/card/key.rules'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../../session/api.ts'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import type { FieldTexts } from '../../../../../ui/form/form-values.ts'
import type { Form } from '../../../../../ui/form/use-form.ts'
import { mastersQuery, refreshKeys } from './key.api.ts'
import { sentKeys, type KeyValues } from './key-fields.tsx'

type KeyAlgorithm = (typeof keyAlgorithms)[number]

/** Master keys, by ID or typed, and how a card's keys are derived from them. */
export interface MasterValues extends KeyValues {
  /** An ID; none for master keys typed here. */
  masterId: string
  masterName: string
  diversification: KeyDiversification
}

/** The initial values, apart from the keys. */
export const noMaster = (algorithm: KeyAlgorithm) =>
  ({
    masterId: '',
    masterName: '',
    diversification: algorithm === 'AES' ? 'KDF3' : 'EMV',
  }) as const

interface MasterFieldsProps<V extends MasterValues> {
  form: Form<V>
  algorithm: KeyAlgorithm
}

/** Chooses master keys, or names new ones; the keys themselves are typed in `KeyFields`. */
export function MasterFields<V extends MasterValues>({ form, algorithm }: MasterFieldsProps<V>) {
  const { t } = useLingui()
  const { data } = useQuery(mastersQuery())
  const { values } = form
  const set = (change: Partial<MasterValues>) => form.set(change as Partial<V>)
  const masters = data?.items.filter((master) => master.algorithm === algorithm) ?? []
  const methods = diversifications.filter((method) => algorithm === 'DES' || method === 'KDF3')
  return (
    <>
      {methods.length > 1 && (
        <SelectField
          label={t`Diversification`}
          value={values.diversification}
          words={Object.fromEntries(methods.map((method) => [method, method]))}
          onChange={(diversification) => set({ diversification })}
        />
      )}
      <SelectField
        label={t`Master keys`}
        value={values.masterId}
        words={{
          ...Object.fromEntries(masters.map(({ id, name }) => [id, name])),
          '': t`New master keys`,
        }}
        onChange={(masterId) => set({ masterId })}
      />
      {values.masterId === '' && (
        <Field
          label={t`Name of the master keys`}
          maxLength={maxMasterNameLength}
          autoComplete="off"
          name="masterName"
          value={values.masterName}
          error={form.errors['masterName']}
          onChange={({ target }) => set({ masterName: target.value })}
        />
      )}
    </>
  )
}

/** What is wrong with the name of new master keys. */
export function useMasterProblems() {
  const { t } = useLingui()
  const { data } = useQuery(mastersQuery())
  return ({ masterId, masterName }: Pick<MasterValues, 'masterId' | 'masterName'>): FieldTexts => {
    if (masterId !== '') return {}
    const name = masterName.trim().toLowerCase()
    if (name === '') return { masterName: t`Enter a name.` }
    return data?.items.some((master) => master.name.toLowerCase() === name)
      ? { masterName: t`Other master keys have this name.` }
      : {}
  }
}

/** The ID of the chosen master keys; new ones are added first, and `onAdded` gets their ID. */
export async function masterOf(
  values: MasterValues,
  algorithm: KeyAlgorithm,
  onAdded: (id: string) => void,
): Promise<string> {
  if (values.masterId !== '') return values.masterId
  const { id } = await api.maple.post('/api/maple/se/masters', {
    body: { name: values.masterName, algorithm, ...sentKeys(values, algorithm) },
  })
  onAdded(id)
  void refreshKeys()
  return id
}
