import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { ProductionDate } from '@grove/secure-element/cplc'
import type { Meaning, Term } from '@grove/secure-element/part'
import { partLabels } from './part.labels.ts'
import { countingLabels, termLabels } from './term.labels.ts'
import { momentText } from '../../../../ui/i18n/moment-text.ts'

/** What a part means, in the reader's language. */
export function meaningText(meaning: Meaning, i18n: I18n): string {
  switch (meaning.kind) {
    case 'name':
      return meaning.text
    case 'number':
      return i18n.number(meaning.value)
    case 'object':
      return i18n._(partLabels[meaning.name])
    case 'term':
      return i18n._(termText(meaning.term, meaning.value))
    case 'terms':
      return meaning.terms.length === 0
        ? i18n._(msg`no privileges`)
        : meaning.terms.map((term) => i18n._(termText(term))).join(', ')
    case 'date':
      return dateText(meaning.date, i18n)
  }
}

const isCounting = (term: Term): term is keyof typeof countingLabels => term in countingLabels

export const termText = (term: Term, value = 0): MessageDescriptor =>
  isCounting(term) ? countingLabels[term](value) : termLabels[term]

function dateText(date: ProductionDate, i18n: I18n): string {
  if (date.kind === 'none') return i18n._(termLabels.notSet)
  if (date.kind === 'notADate') return i18n._(msg`not a date`)
  const [latest = '', earlier] = date.candidates.map((day) =>
    momentText(i18n, `${day}T00:00:00Z`, { dateStyle: 'medium', timeZone: 'UTC' }),
  )
  return earlier === undefined ? latest : i18n._(msg`${latest} or ${earlier}`)
}
