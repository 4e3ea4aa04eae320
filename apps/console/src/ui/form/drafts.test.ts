import { beforeEach, expect, test, vi } from 'vitest'
import { draftKey, dropDraft, readDraft, writeDraft } from './drafts.ts'
import { dropDrafts } from './drop-drafts.ts'

let stored: Record<string, string>

beforeEach(() => {
  stored = {}
  const methods = {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, value: string) => (stored[key] = value),
    removeItem: (key: string) => delete stored[key],
  }
  // In a browser, Object.keys of the storage lists its keys.
  const storage = new Proxy(methods, {
    ownKeys: () => Object.keys(stored),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
  vi.stubGlobal('sessionStorage', storage)
})

test('a draft belongs to a person, a page and a form', () => {
  writeDraft(draftKey('ann', '/devices', 'edit'), { name: 'Gate' })
  expect(readDraft(draftKey('ann', '/devices', 'edit'))).toEqual({ name: 'Gate' })
  expect(readDraft(draftKey('bob', '/devices', 'edit'))).toBeUndefined()
  expect(readDraft(draftKey('ann', '/apps', 'edit'))).toBeUndefined()
  expect(readDraft(draftKey('ann', '/devices', 'new'))).toBeUndefined()
})

test('a secret is never stored', () => {
  writeDraft('grove.draft.ann', { values: { name: 'Ann', newPassword: 'S3cret!!', apiToken: 'x' } })
  expect(Object.values(stored).join(' ')).not.toMatch(/S3cret|apiToken/)
})

test('one draft is removed, or all except one person’s, and nothing else', () => {
  stored['grove.email'] = 'ann@grove.test'
  const keys = ['ann', 'bob'].map((owner) => draftKey(owner, '/devices', 'edit'))
  for (const key of keys) writeDraft(key, {})
  dropDrafts('bob')
  expect(keys.map(readDraft)).toEqual([undefined, {}])
  dropDraft(keys[1] ?? '')
  expect(Object.keys(stored)).toEqual(['grove.email'])
})

test('what is not a draft is not read', () => {
  stored['grove.draft.x'] = '{broken'
  stored['grove.draft.y'] = '"text"'
  expect(readDraft('grove.draft.x')).toBeUndefined()
  expect(readDraft('grove.draft.y')).toBeUndefined()
})

test('denied storage means no drafts', () => {
  vi.stubGlobal('sessionStorage', undefined)
  writeDraft('grove.draft.x', {})
  expect(readDraft('grove.draft.x')).toBeUndefined()
  dropDrafts()
})
