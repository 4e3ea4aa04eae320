import type { Finding } from '@grove/contract/cedar/package-report'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { formatBytes } from '../../../../ui/i18n/format-bytes.ts'
import { expectations, ruleTexts } from './package-rule-texts.ts'

type Place = Finding['places'][number]

const countRules = new Set(['too-many-files', 'too-deep', 'compression-ratio', 'manifest-too-deep'])
const mebibyte = 1024 * 1024

export interface FindingText {
  message: string
  fix: string
  /** Where this was found, if the report says. */
  paths: string[]
}

/** The texts of a finding in the reader's language, without repeats, each with its paths. */
export function findingTexts({ rule, places }: Finding, i18n: I18n): FindingText[] {
  const texts = new Map<string, FindingText>()
  for (const place of places) {
    const { message, fix } = placeText(rule, place, i18n)
    const key = `${message}\n${fix}`
    const text = texts.get(key) ?? { message, fix, paths: [] }
    texts.set(key, text)
    if (place.path !== null && !text.paths.includes(place.path)) text.paths.push(place.path)
  }
  return [...texts.values()]
}

/** An unknown rule keeps the platform's own text. */
function placeText(rule: string, { message, fix, params }: Place, i18n: I18n) {
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
  // Limits are set in whole mebibytes: 20 MiB must not appear as 21 MB.
  return name === 'limit' && value % mebibyte === 0
    ? formatBytes((value / mebibyte) * 1_000_000, i18n.locale)
    : formatBytes(value, i18n.locale)
}
