import { useLingui } from '@lingui/react'
import { formatBytes } from './format-bytes.ts'
import { dash } from './moment-text.ts'
import { tooltip } from '../kit/tooltip.ts'

/** A size in the reader's language, with the exact count in a tooltip; a dash if absent. */
export function Bytes({ value }: { value: number }) {
  const { i18n } = useLingui()
  if ((value as number | undefined) === undefined) return <>{dash}</>
  const exact = new Intl.NumberFormat(i18n.locale, {
    style: 'unit',
    unit: 'byte',
    unitDisplay: 'long',
  }).format(value)
  return <span {...tooltip(exact)}>{formatBytes(value, i18n.locale)}</span>
}
