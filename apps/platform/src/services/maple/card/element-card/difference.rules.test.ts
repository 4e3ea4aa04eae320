import { expect, test } from 'vitest'
import type { CardContents } from '../applet/card-contents.ts'
import { differenceOfContents, differenceOfKeys, type RecordedKey } from './difference.rules.ts'

const application = {
  aid: 'A1',
  loadFileAid: 'F1',
  moduleAid: null,
  state: 'selectable',
  isDomain: false,
  domainAid: 'D1',
}
const loadFile = { aid: 'F1', version: '1.0', modules: ['M1'], domainAid: 'D1' }
const contents = (
  more: Partial<typeof application | { state: string; loadFileAid: null }> = {},
  file: Partial<CardContents['loadFiles'][number]> = {},
): CardContents => ({
  applications: [{ ...application, ...more }],
  loadFiles: [{ ...loadFile, ...file }],
  freeMemory: null,
})
const changed = (after: CardContents) => {
  const { applications, loadFiles } = differenceOfContents(contents(), after)
  return [...applications.changed, ...loadFiles.changed]
}

test('only facts that both the card and Grove state can differ', () => {
  expect(changed(contents())).toEqual([])
  expect(changed(contents({ loadFileAid: null, state: '' }))).toEqual([])
  expect(changed(contents({}, { version: null, modules: [], domainAid: null }))).toEqual([])
  expect(changed(contents({ domainAid: 'D2' }))).toEqual(['A1'])
  expect(changed(contents({ state: 'locked' }))).toEqual(['A1'])
  expect(changed(contents({}, { version: '1.1' }))).toEqual(['F1'])
  expect(changed(contents({}, { modules: ['M2'] }))).toEqual(['F1'])
})

test('a state that an application gives itself is not a difference', () => {
  expect(changed(contents({ state: '3F' }))).toEqual([])
  expect(changed(contents({ state: 'installed' }))).toEqual(['A1'])
})

const [before, later] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
const said = (version: number, length = 16) =>
  [1, 2, 3].map((id) => ({ id, version, components: [{ type: 0x88, length }] }))
const recorded = (version: number, more: Partial<RecordedKey> = {}): RecordedKey => ({
  domain: null,
  version,
  isActive: true,
  isOpen: false,
  isPut: false,
  changedAt: before,
  ...more,
})
const keys = (
  one: number[] | undefined,
  other: number[],
  own: RecordedKey[] = [],
  length?: number,
) =>
  differenceOfKeys({
    domain: null,
    before: one && { keys: one.flatMap((version) => said(version)), readAt: before },
    now: other.flatMap((version) => said(version, length)),
    recorded: own,
  })
const parts = (more: object) => [{ domain: null, added: [], changed: [], removed: [], ...more }]

test('keys are compared with the card’s earlier statement', () => {
  expect(keys([0x30], [0x30])).toEqual([])
  expect(keys([0x30], [0x31])).toEqual(parts({ added: [0x31], removed: [0x30] }))
  expect(keys([0x30], [0x30], [], 32)).toEqual(parts({ changed: [0x30] }))
})

test('on a first reading keys are compared only with those that Grove put there', () => {
  expect(keys(undefined, [0x31], [recorded(0x30)])).toEqual([])
  expect(keys(undefined, [0x31], [recorded(0x30, { isPut: true })])).toEqual(
    parts({ removed: [0x30] }),
  )
})

test('changes that Grove made since, or is making, are no difference', () => {
  const replaced = recorded(0x30, { isActive: false, changedAt: later })
  const put = recorded(0x31, { isPut: true, changedAt: later })
  expect(keys([0x30], [0x31], [replaced, put])).toEqual([])
  expect(keys([0x30], [0x30], [recorded(0x30, { isPut: true, changedAt: later })], 32)).toEqual([])
  expect(keys([0x30], [0x42], [recorded(0x31, { isActive: false, isOpen: true })])).toEqual([])
  // Grove knows these keys but did not put them there.
  expect(keys([0x30], [0x30, 0x32], [recorded(0x32)])).toEqual([])
})
