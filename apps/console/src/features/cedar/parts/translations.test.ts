import { expect, test } from 'vitest'
import { missingLocales, titleIn } from './titles.ts'
import {
  countCharacters,
  fromDraft,
  isSameDraft,
  toDraft,
  type Translation,
} from './translations.ts'

const english: Translation = { localeCode: 'en-US', title: 'Tides', description: 'High and low.' }
const russian: Translation = { localeCode: 'ru-RU', title: 'Приливы' }

test('unchanged texts are sent back as they were read', () => {
  expect(fromDraft(toDraft([english, russian]))).toEqual([english, russian])
})

test('a locale without any text is not sent', () => {
  expect(fromDraft(toDraft([russian]))).toEqual([russian])
})

test('an emptied field is left out, and a title is trimmed', () => {
  const draft = toDraft([english])
  draft['en-US'].description = '  '
  draft['en-US'].title = ' Tides '
  expect(fromDraft(draft)).toEqual([{ localeCode: 'en-US', title: 'Tides' }])
})

test('a locale with a description but no title is sent, so that it is refused rather than lost', () => {
  const draft = toDraft([english])
  draft['ru-RU'].description = 'Описание'
  expect(fromDraft(draft)[1]).toEqual({ localeCode: 'ru-RU', title: '', description: 'Описание' })
})

test('two drafts are equal if every text is', () => {
  expect(isSameDraft(toDraft([english]), toDraft([{ ...english, whatsNew: '' }]))).toBe(true)
  expect(isSameDraft(toDraft([english]), toDraft([english, russian]))).toBe(false)
})

test('a title falls back to the default locale, then to any', () => {
  expect(titleIn([english, russian], 'ru-RU')).toMatchObject({ title: 'Приливы' })
  expect(titleIn([english], 'ru-RU')).toMatchObject({ title: 'Tides', localeCode: 'en-US' })
  expect(titleIn([russian], 'en-US')).toMatchObject({ title: 'Приливы', localeCode: 'ru-RU' })
  expect(missingLocales([russian])).toEqual(['en-US'])
})

test('an emoji counts as one character', () => expect(countCharacters('🌊!')).toBe(2))
