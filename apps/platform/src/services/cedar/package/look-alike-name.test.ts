import { expect, it } from 'vitest'
import { checkZip } from './testing/check-zip.ts'
import { buildZip } from './testing/zip-builder.ts'

async function warnings(...names: string[]) {
  const page = { name: 'index.html', data: '<!doctype html>' }
  const files = names.map((name) => ({ name, data: name }))
  const { ok, findings } = await checkZip(buildZip([page, ...files]))
  expect(ok).toBe(true)
  return findings.flatMap(({ rule, places }) =>
    places.map(({ path, params }) => ({ rule, path, ...params })),
  )
}

it.each([
  ['Cyrillic', '\u0430pp.js', '\u0430', 'U+0430', 'a'],
  ['Cyrillic, a capital', 'img/LOG\u041e.png', '\u041e', 'U+041E', 'O'],
  ['Greek', 'c\u03bfre.js', '\u03bf', 'U+03BF', 'o'],
  ['Armenian', 'b\u057dild.js', '\u057d', 'U+057D', 'u'],
])(
  'warns of a %s letter that looks like the Latin ones around it',
  async (_, path, letter, code, latin) => {
    expect(await warnings(path)).toEqual([
      { rule: 'name-mixed-scripts', path, letter, code, latin },
    ])
  },
)

it('warns of a name that looks like another one, though all of its letters are of one script', async () => {
  const path = '\u0430\u0440\u0440.js'
  expect(await warnings('app.js', path)).toEqual([
    { rule: 'name-look-alike', path, other: 'app.js' },
  ])
})

it('does not mind whole words of another script beside Latin ones', async () => {
  const names = ['картинки/кот.svg', 'отчёт-report.html', 'логотип_v2.png', 'λόγος.txt', 'µm.js']
  expect(await warnings(...names)).toEqual([])
})
