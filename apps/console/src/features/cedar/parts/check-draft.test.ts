import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import { checkDraft } from './check-draft.ts'
import { fromDraft, toDraft } from './translations.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en-US', messages: {} }))

const titled = (title: string) => toDraft([{ localeCode: 'en-US', title }])
const problems = (title: string) => checkDraft(titled(title), { fields: ['title'] }, i18n)

test('a title with invisible characters is refused at its field', () => {
  const said = /^Remove the invisible characters/
  for (const title of ['\u202egnp.exe', 'pay\u200bment', '\u200b'])
    expect(problems(title)['en-US.title'], JSON.stringify(title)).toMatch(said)
  for (const title of ['Тройка — пополнение', '👩‍🚀 crew', 'می‌خواهم'])
    expect(problems(title)).toEqual({})
})

test('a title is sent on one line', () => {
  expect(problems(' Tide\t clock ')).toEqual({})
  expect(fromDraft(titled(' Tide\t clock '))).toEqual([
    { localeCode: 'en-US', title: 'Tide clock' },
  ])
})
