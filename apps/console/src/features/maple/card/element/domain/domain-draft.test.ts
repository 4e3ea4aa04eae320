import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import { expect, test } from 'vitest'
import {
  below,
  changed,
  domainsOf,
  draftsOf,
  missingFrom,
  placed,
  withNew,
  without,
} from './domain-draft.ts'

const domain = (aid: string, parent: string | null): SecurityDomain => ({
  aid,
  parent,
  state: parent === null ? 'secured' : 'selectable',
  privileges: ['securityDomain'],
})
const domains = [
  domain('A000000151000000', null),
  domain('A00000000201', 'A00000000101'),
  domain('A00000000101', 'A000000151000000'),
  domain('A00000000301', 'A000000151000000'),
]
const drafts = draftsOf(domains)
const aidsOf = (list: readonly { aid: string }[]) => list.map(({ aid }) => aid)

test('converting a list to a tree and back changes nothing', () => {
  const odd = [...domains, domain('A00000000401', 'A0000000FF01')]
  expect(domainsOf(draftsOf(odd))).toEqual(odd)
})

test('each domain comes after its parent, and one that is its own ancestor is not lost', () => {
  expect(placed(drafts).map(({ domain: { aid }, depth }) => [depth, aid])).toEqual([
    [0, 'A000000151000000'],
    [1, 'A00000000101'],
    [2, 'A00000000201'],
    [1, 'A00000000301'],
  ])
  const cycle = draftsOf([
    domain('A00000000501', 'A00000000601'),
    domain('A00000000601', 'A00000000501'),
  ])
  expect(placed(cycle)).toHaveLength(2)
  expect(below(cycle, 0)).toHaveLength(1)
})

test('a domain is removed together with its descendants', () => {
  expect(aidsOf(below(drafts, 2))).toEqual(['A00000000201'])
  expect(aidsOf(without(drafts, 2))).toEqual(['A000000151000000', 'A00000000301'])
})

test('a renamed domain keeps its children, even while its AID is empty', () => {
  const empty = changed(drafts, 2, { aid: '' })
  expect(aidsOf(below(empty, 2))).toEqual(['A00000000201'])
  expect(domainsOf(changed(empty, 2, { aid: 'A00000000102' }))).toContainEqual(
    domain('A00000000201', 'A00000000102'),
  )
})

test('a new domain has a key of its own, below its parent', () => {
  const made = withNew(without(drafts, 3), 2)
  expect(new Set(made.drafts.map(({ key }) => key)).size).toBe(4)
  expect(domainsOf(made.drafts).at(-1)).toMatchObject({ aid: '', parent: 'A00000000101' })
  expect(domainsOf(withNew([], null).drafts)).toEqual([
    { ...domain('A000000151000000', null), state: 'opReady' },
  ])
})

test('domains missing from a list are found regardless of letter case', () => {
  const list = [domain('a000000151000000', null)]
  expect(aidsOf(missingFrom(list, domains))).toEqual([
    'A00000000201',
    'A00000000101',
    'A00000000301',
  ])
})
