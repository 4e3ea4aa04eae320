import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { Combobox } from '../../../ui/kit/combobox.tsx'
import type { ComboboxOption } from '../../../ui/kit/combobox-options.ts'
import { api } from '../../../session/api.ts'
import { Link } from '../../../ui/link/link.tsx'
import styles from './element-choice.module.css'

interface ElementChoiceProps {
  chosen: readonly ComboboxOption[]
  onChange: (chosen: ComboboxOption[]) => void
}

/** Elements by the beginning of a CPLC, a chip id or a serial. */
const search = async (query: string, signal: AbortSignal): Promise<ComboboxOption[]> => {
  const { items } = await api.maple.get('/api/maple/se/element', {
    query: { limit: 20, ...(query && { q: query }) },
    signal,
  })
  return items.map(({ cplc, device }) => ({
    id: cplc,
    label: device ? `${device.name} · ${icSerial(cplc)}` : icSerial(cplc),
    note: cplc,
  }))
}

/** The elements of an operation: searched, and added one by one. */
export function ElementChoice({ chosen, onChange }: ElementChoiceProps) {
  const { t } = useLingui()
  const add = (option: ComboboxOption | null) => {
    if (option && !chosen.some(({ id }) => id === option.id)) onChange([...chosen, option])
  }
  return (
    <div className="field">
      <strong>
        <Trans>Elements</Trans>
      </strong>
      {chosen.length > 0 && (
        <ul className={styles.chosen}>
          {chosen.map((option) => (
            <li key={option.id}>
              {option.label}
              <button
                type="button"
                aria-label={t`Remove ${option.label}`}
                onClick={() => onChange(chosen.filter(({ id }) => id !== option.id))}
              >
                <X size={14} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        label={t`Add an element`}
        placeholder={t`Add an element`}
        value={null}
        options={search}
        onChange={add}
      />
      {chosen.length === 0 && (
        <div className="field-hint">
          <Trans>
            No element at hand?{' '}
            <Link to="/dashboard/maple/software_cards" search={{ create: true }}>
              Make a software card
            </Link>
            , which costs no chip.
          </Trans>
        </div>
      )}
    </div>
  )
}
