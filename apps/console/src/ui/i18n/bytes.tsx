import { useLingui } from '@lingui/react'
import { formatBytes } from './format-bytes.ts'
import { tooltip } from '../kit/tooltip.ts'

/** A size in the reader's language; the exact count is in the tooltip. */
export function Bytes({ value }: { value: number }) {
  const { i18n } = useLingui()
  const exact = new Intl.NumberFormat(i18n.locale, {
    style: 'unit',
    unit: 'byte',
    unitDisplay: 'long',
  }).format(value)
  return <span {...tooltip(exact)}>{formatBytes(value, i18n.locale)}</span>
}
