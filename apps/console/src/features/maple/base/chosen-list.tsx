import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import type { ComboboxOption } from '../../../ui/kit/combobox-options.ts'
import styles from './chosen-list.module.css'

interface ChosenListProps {
  chosen: readonly ComboboxOption[]
  onRemove: (id: string) => void
}

/** Items chosen from a list one by one; each can be removed. */
export function ChosenList({ chosen, onRemove }: ChosenListProps) {
  const { t } = useLingui()
  if (chosen.length === 0) return null
  return (
    <ul className={styles.chosen}>
      {chosen.map(({ id, label }) => (
        <li key={id}>
          <bdi>{label}</bdi>
          <button type="button" aria-label={t`Remove ${label}`} onClick={() => onRemove(id)}>
            <X size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
