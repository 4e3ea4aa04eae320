import { type ElementState, elementStates } from '@grove/contract/maple/fleet/element.rules'
import { checkCplc, chipId, cplcDigits, icSerial } from '@grove/secure-element/cplc'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { elements, elementsOfChip } from './element.api.ts'
import { chipName, useElementWords } from './element.labels.tsx'

interface ElementValues {
  cplc: string
  state: ElementState
  /** What a known chip ID means: `other`, or the CPLC that the new one replaces. */
  meaning: string
}

const noValues: ElementValues = { cplc: '', state: 'unknown', meaning: '' }

export function CreateElement(panel: NewItem) {
  const { t } = useLingui()
  const problemOf = useCplcProblem()
  return (
    <CreateItem
      {...panel}
      items={elements}
      title={t`New element`}
      submitLabel={t`Create`}
      savedText={() => t`The element is registered.`}
      fields={{
        cplc: {
          label: 'CPLC',
          hint: t`84 hex digits, or the whole reply to GET DATA 9F7F`,
          placeholder: '9F7F2A…',
          problemOf,
          ...codeField,
        },
      }}
      form={{
        values: noValues,
        submit: ({ cplc, state, meaning }) =>
          api.maple.post('/api/maple/se/element', {
            body: {
              cplc,
              state,
              ...(meaning === 'other'
                ? { isOtherChip: true }
                : meaning !== '' && { replaces: meaning }),
            },
          }),
      }}
    >
      {(form) => <KnownChip form={form} />}
    </CreateItem>
  )
}

/** What is wrong with a CPLC that was typed, pasted or scanned. */
function useCplcProblem() {
  const { t } = useLingui()
  return (text: string) => {
    const check = checkCplc(text)
    if (check.kind === 'complete') return undefined
    if (check.kind === 'notHex') {
      const { found } = check
      return t`“${found}” is not a hex digit.`
    }
    const { digits } = check
    return t`${digits} of ${cplcDigits} hex digits`
  }
}

/** The chip of the CPLC and, if it is already known under another one, what that means. */
function KnownChip({ form: { values, set } }: { form: Form<ElementValues> }) {
  const { t } = useLingui()
  const words = useElementWords()
  const check = checkCplc(values.cplc)
  const cplc = check.kind === 'complete' ? check.cplc : undefined
  const { data } = useQuery({
    ...elementsOfChip(cplc === undefined ? '' : chipId(cplc)),
    enabled: cplc !== undefined,
  })
  const known = data?.items.filter((each) => each.cplc !== cplc) ?? []
  const serial = cplc && icSerial(cplc)
  return (
    <>
      {cplc !== undefined && (
        <p className="field-hint">
          {chipName(cplc)} · {t`serial ${serial}`}
        </p>
      )}
      <SelectField
        label={t`State`}
        value={values.state}
        words={Object.fromEntries(elementStates.map((state) => [state, words.state[state]]))}
        onChange={(state) => set({ state })}
      />
      {cplc !== undefined && known.length > 0 && (
        <fieldset className="choice">
          <legend>{t`This chip ID is already known`}</legend>
          {known.map((each) => (
            <label key={each.cplc}>
              <input
                type="radio"
                name="meaning"
                checked={values.meaning === each.cplc}
                onChange={() => set({ meaning: each.cplc })}
              />
              <span>
                {t`The chip was personalised again: the new CPLC replaces`} <code>{each.cplc}</code>
              </span>
            </label>
          ))}
          <label>
            <input
              type="radio"
              name="meaning"
              checked={values.meaning === 'other'}
              onChange={() => set({ meaning: 'other' })}
            />
            <span>{t`It is another chip with the same ID. Both are marked as a conflict.`}</span>
          </label>
        </fieldset>
      )}
    </>
  )
}
