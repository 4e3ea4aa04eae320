import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { namesOf, reference, written } from './program-reference.ts'

test('the reference of programs says what the code says', () => {
  const text = readFileSync(reference, 'utf8')
  expect(text, 'Run "npm run guide".').toBe(written(text))
})

test('every name that an editor completes is in the reference', () => {
  for (const file of ['cloud-handler/handler-names.ts', 'script/script-names.ts']) {
    const names = readFileSync(
      new URL(`../apps/console/src/features/maple/program/${file}`, import.meta.url),
      'utf8',
    ).match(/text: t`|(?:ofEvent|option)\('/g)
    expect(namesOf(file).split('\n').length - 2, file).toBe(names?.length)
  }
})
