import { expect, test } from 'vitest'
import { readAnswer, type Shape } from './answer-reader.rules.ts'

const item: Shape = [
  'o',
  {
    'id!': 's',
    'name=@id': 's',
    'state=@enabled?live:ready': ['e', 'live', 'ready'],
    enabled: 'b',
    count: 'n',
    createdAt: 't',
    tags: ['a', 's'],
    owner: ['u', 'z', ['o', { id: 's' }]],
    'expiresAt~': ['u', 't', 'z'],
    'note?': 's',
  },
]
const list: Shape = ['o', { 'items!': ['a', 0], next: ['u', 's', 'z'] }]
const read = (shape: Shape, answer: unknown) => readAnswer({ shapes: [item] }, shape, answer)
const needed = (shape: Shape, answer: unknown) =>
  read(shape, answer).findings.filter(({ isNeeded }) => isNeeded)

test('absent fields of an item show as absent', () => {
  expect(read(0, { id: 'a' }).value).toEqual({
    id: 'a',
    name: 'a',
    state: 'ready',
    enabled: false,
    count: undefined,
    createdAt: '',
    tags: [],
    owner: null,
    expiresAt: '',
  })
  expect(needed(0, { id: 'a' })).toEqual([])
})

test('a list may come with or without items', () => {
  const value = read(list, [{ id: 1 }]).value
  expect(value).toMatchObject({ items: [{ id: '1' }], next: null })
  expect(read(['a', 0], { items: [{ id: 1 }] }).value).toMatchObject([{ id: '1' }])
})

test.each([
  [{ items: [{ id: 'a' }, {}] }, 'items[1].id', true, 'text'],
  [{ items: [{ id: {} }] }, 'items[0].id', false, 'text'],
  [{ items: ['a', ['b']] }, 'items[1]', false, 'object'],
  [{ items: 'none' }, 'items', false, 'list'],
  [{ devices: [] }, 'items', true, 'list'],
  ['hello', '', false, 'object'],
  [null, '', false, 'object'],
])('%j lacks a needed field at “%s”', (answer, path, isMissing, kind) => {
  expect(needed(list, answer)).toEqual([{ path, isMissing, isNeeded: true, kind }])
})

test('an optional field is absent when it is invalid', () => {
  const given = { id: 'a', createdAt: 'yesterday', count: '7', tags: 'x', state: 'lost', owner: 5 }
  const { value, findings } = read(0, given)
  expect(value).toMatchObject({ createdAt: '', count: undefined, tags: [], owner: null })
  expect(findings.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['createdAt', 'count', 'tags', 'state', 'owner']),
  )
})

test('a time without a zone is UTC', () => {
  const moment = (createdAt: unknown) =>
    (read(0, { id: 'a', createdAt }).value as { createdAt: string }).createdAt
  expect(moment('2026-03-01 09:30:00')).toBe('2026-03-01T09:30:00Z')
  expect(moment('2026-03-01T09:30:00.5+03:00')).toBe('2026-03-01T09:30:00.5+03:00')
  expect(moment('2026-03-01')).toBe('2026-03-01')
  expect(moment(1_772_000_000)).toBe('')
})

test('a list of names is read as one of objects with only a name', () => {
  const role: Shape = ['o', { 'role!': 's', 'isKnown=true': 'b' }]
  expect(read(['a', role], ['operator']).value).toEqual([{ role: 'operator', isKnown: true }])
})

test('of several shapes the best match is read', () => {
  const either: Shape = [
    'u',
    ['o', { kind: ['e', 'a'], size: 'n' }],
    ['o', { kind: ['e', 'b'], name: 's' }],
  ]
  expect(read(either, { kind: 'b', name: 'x' }).value).toEqual({ kind: 'b', name: 'x' })
  expect(read(either, { kind: 'b' }).value).toEqual({ kind: 'b', name: '' })
})
