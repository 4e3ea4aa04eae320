import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calls } from '../packages/contract/src/calls.ts'
import { minimum } from '../packages/contract/src/minimum.ts'
import { answerShapes, shapeFiles } from './answer-shapes.ts'
import { protocolFile, withTables } from './protocols.ts'

test('the shapes of answers are those of the contract', () => {
  for (const [file, text] of Object.entries(shapeFiles()))
    expect(
      readFileSync(join(import.meta.dirname, '..', file), 'utf8'),
      'Run "npm run shapes".',
    ).toBe(text)
})

test('every answer of JSON has a shape, and every call of the minimum is one of the contract', () => {
  for (const service of ['cedar', 'maple'] as const) {
    const shaped = Object.keys(answerShapes(service).calls)
    expect(shaped.length).toBeGreaterThan(50)
    for (const call of Object.values(minimum[service]).flat()) expect(calls).toHaveProperty([call])
  }
})

test.each(['cedar', 'maple'] as const)(
  'the protocol of %s names its calls and fields',
  (service) => {
    const text = readFileSync(protocolFile(service), 'utf8')
    expect(text, 'Run "npm run shapes".').toBe(withTables(service, text))
    for (const call of Object.values<readonly string[]>(minimum[service]).flat())
      expect(text).toContain(`| \`${call}\` |`)
  },
)
