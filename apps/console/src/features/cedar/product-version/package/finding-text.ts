import type { PackageReport } from '@grove/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { formatBytes } from '../../../../ui/i18n/format-bytes.ts'
import { expectations, ruleTexts } from './package-rule-texts.ts'

export type Finding = PackageReport['findings'][number]

const countRules = new Set(['too-many-files', 'too-deep', 'compression-ratio'])
const mebibyte = 1024 * 1024

/** What a finding says, in the reader's language; a rule unknown here speaks for itself. */
export function findingText({ rule, message, fix, params = {} }: Finding, i18n: I18n) {
  const texts = ruleTexts[rule]
  if (!texts) return { message, fix }
  const values = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, shown(rule, name, value, i18n)]),
  )
  const fill = (text: MessageDescriptor) => i18n._(text.id, values, text)
  return { message: fill(texts.message), fix: fill(texts.fix) }
}

function shown(rule: string, name: string, value: string | number, i18n: I18n): string {
  if (typeof value === 'string') {
    const expectation = name === 'expected' ? expectations[value] : undefined
    return expectation ? i18n._(expectation) : value
  }
  const isBytes =
    ['bytes', 'declared'].includes(name) || (name === 'limit' && !countRules.has(rule))
  if (!isBytes) return i18n.number(value)
  // Limits are set in whole mebibytes: 20 MiB must not be shown as 21 MB.
  return name === 'limit' && value % mebibyte === 0
    ? formatBytes((value / mebibyte) * 1_000_000, i18n.locale)
    : formatBytes(value, i18n.locale)
}
