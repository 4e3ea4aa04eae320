import { isCheckValue, type keyAlgorithms } from '@grove/contract/maple/card/key.rules'
import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { Field } from '../../../../../ui/field/field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import type { FieldTexts } from '../../../../../ui/form/form-values.ts'
import type { Form } from '../../../../../ui/form/use-form.ts'
import { checkValueOf, readKey, readThreeKeys } from './check-value.ts'
import styles from './key.module.css'

type KeyAlgorithm = (typeof keyAlgorithms)[number]

/** Three keys, and their expected check values. */
export interface KeyValues {
  enc: string
  mac: string
  dek: string
  encCheck: string
  macCheck: string
  dekCheck: string
}

export const noKeys: KeyValues = {
  enc: '',
  mac: '',
  dek: '',
  encCheck: '',
  macCheck: '',
  dekCheck: '',
}

const names = ['enc', 'mac', 'dek'] as const
type KeyName = (typeof names)[number]
const checkOf = { enc: 'encCheck', mac: 'macCheck', dek: 'dekCheck' } as const
const labels = { enc: 'ENC', mac: 'MAC', dek: 'DEK' } as const

interface KeyFieldsProps<V extends KeyValues> {
  form: Form<V>
  algorithm: KeyAlgorithm
  /** The check values computed by the browser, which the form compares. */
  made: Made
}

export type Made = Partial<Record<KeyName, string>>

/**
 * ENC, MAC and DEK with their check values, updated while typing; all three can be pasted into the
 * first.
 */
export function KeyFields<V extends KeyValues>({ form, algorithm, made }: KeyFieldsProps<V>) {
  const { t } = useLingui()
  const digitsText = useDigitsText()
  const set = (change: Partial<KeyValues>) => form.set(change as Partial<V>)
  return (
    <div className={styles.keyFields}>
      {names.map((name) => (
        <div key={name} className={styles.keyRow}>
          <Field
            label={labels[name]}
            hint={
              made[name] === undefined
                ? name === 'enc' && form.values.enc === ''
                  ? t`Paste one key, or all three`
                  : digitsText(readKey(algorithm, form.values[name]))
                : `KCV ${made[name]}`
            }
            {...codeField}
            name={name}
            value={form.values[name]}
            error={form.errors[name]}
            onChange={({ target }) => set({ [name]: target.value })}
            onPaste={(event) => {
              const three = readThreeKeys(event.clipboardData.getData('text'))
              if (!three) return
              event.preventDefault()
              const [enc, mac, dek] = three
              set({ enc, mac, dek })
            }}
          />
          <Field
            label={t`Expected KCV`}
            placeholder="504A77"
            maxLength={8}
            {...codeField}
            name={checkOf[name]}
            value={form.values[checkOf[name]]}
            error={form.errors[checkOf[name]]}
            onChange={({ target }) => set({ [checkOf[name]]: target.value })}
          />
        </div>
      ))}
    </div>
  )
}

/** How many digits of a key have been typed, while they are too few or too many. */
function useDigitsText() {
  const { t } = useLingui()
  return (read: ReturnType<typeof readKey>): string | undefined => {
    if (read.kind !== 'length' || read.digits === 0) return undefined
    const { digits } = read
    return t`${digits} hex digits`
  }
}

/** Computes the check values of the complete keys while typing. */
export function useCheckValues(
  { enc, mac, dek }: KeyValues,
  algorithm: KeyAlgorithm,
  onMade: (made: Made) => void,
): void {
  useEffect(() => {
    let isCurrent = true
    const keys = { enc, mac, dek }
    const make = async (name: KeyName) => {
      const read = readKey(algorithm, keys[name])
      return [name, read.kind === 'key' ? await checkValueOf(algorithm, read.key) : undefined]
    }
    const makeAll = async () => {
      const entries = await Promise.all(names.map(make))
      if (isCurrent) onMade(Object.fromEntries(entries) as Made)
    }
    void makeAll()
    return () => {
      isCurrent = false
    }
  }, [enc, mac, dek, algorithm, onMade])
}

/** What is wrong with three keys, before they are sent. */
export function useKeyProblems() {
  const { t } = useLingui()
  return (values: KeyValues, algorithm: KeyAlgorithm, made: Made): FieldTexts => {
    const problems: FieldTexts = {}
    const lengths = names.map((name) => {
      const read = readKey(algorithm, values[name])
      if (read.kind === 'key') return read.key.length
      problems[name] =
        read.kind === 'notHex'
          ? t`Enter hex digits only.`
          : algorithm === 'AES'
            ? t`Enter 32, 48 or 64 hex digits.`
            : t`Enter 32 or 48 hex digits.`
      return undefined
    })
    const [first] = lengths
    for (const [index, name] of names.entries()) {
      if (first !== undefined && lengths[index] !== undefined && lengths[index] !== first)
        problems[name] = t`The three keys must have the same length.`
      const expected = values[checkOf[name]].trim().toUpperCase()
      const found = made[name]
      if (expected === '') continue
      if (!isCheckValue(expected)) problems[checkOf[name]] = t`Enter 6 hex digits.`
      else if (found !== undefined && found !== expected)
        problems[checkOf[name]] = t`This key has ${found}: it contains a typo, or is another key.`
    }
    return problems
  }
}

/** Keys as the service takes them, with check values if all three are given. */
export function sentKeys(values: KeyValues, algorithm: KeyAlgorithm) {
  const keyOf = (name: KeyName) => {
    const read = readKey(algorithm, values[name])
    return read.kind === 'key' ? read.key : ''
  }
  const [enc, mac, dek] = names.map((name) => values[checkOf[name]].trim().toUpperCase())
  return {
    keys: { enc: keyOf('enc'), mac: keyOf('mac'), dek: keyOf('dek') },
    ...(enc && mac && dek && { checkValues: { enc, mac, dek } }),
  }
}

/** Maps the service's path of a key in the request to its field. */
export function keyFieldOf(path: string): string {
  const [group, name] = path.split('.')
  const known = names.find((each) => each === name)
  if (known && group === 'keys') return known
  return known && group === 'checkValues' ? checkOf[known] : path
}
