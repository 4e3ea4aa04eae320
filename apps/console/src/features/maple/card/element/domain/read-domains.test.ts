import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import { toHex } from '@grove/secure-element/bytes'
import { encodeGetStatus } from '@grove/secure-element/get-status'
import { expect, test } from 'vitest'
import { readDomains } from './read-domains.ts'

// A card's issuer security domain: from GlobalPlatformPro, TestParseTags.
const issuerReply = 'E3144F07A00000015100009F700107C50180EA028000'
const issuer: SecurityDomain = {
  aid: 'A0000001510000',
  parent: null,
  state: 'initialized',
  privileges: ['securityDomain'],
}
const entry = (aid: string, kind: 'securityDomain' | 'application') => ({
  aid,
  kind,
  lifeCycle: 0x0f,
  privileges: ['securityDomain' as const],
  implicitSelection: [],
  modules: [],
})

test('the response of a real card yields the issuer security domain', () => {
  expect(readDomains(` ${issuerReply.toLowerCase()}9000\n`, [])).toEqual({
    kind: 'list',
    domains: [issuer],
  })
})

test('responses on several lines yield domains below the issuer, without applications', () => {
  const reply = toHex(
    encodeGetStatus([
      entry('A0000001515350410001', 'securityDomain'),
      { ...entry('A0000003965453000000010300000000', 'application'), privileges: [] },
    ]),
  )
  expect(readDomains(`${issuerReply}\n${reply}`, [])).toMatchObject({
    kind: 'list',
    domains: [
      { aid: 'A0000001510000', parent: null },
      { aid: 'A0000001515350410001', parent: 'A0000001510000', state: 'personalized' },
    ],
  })
})

test('a domain keeps its known parent if the card does not name one', () => {
  const aid = 'A0000001515350410002'
  const known: SecurityDomain = { ...issuer, aid, parent: 'A0000001515350410001' }
  const reply = toHex(encodeGetStatus([entry(aid, 'securityDomain')]))
  expect(readDomains(reply, [issuer, known])).toMatchObject({
    domains: [{ aid, parent: 'A0000001515350410001' }],
  })
})

test('a JSON list is taken as it is', () => {
  expect(readDomains(JSON.stringify([issuer]), [])).toEqual({ kind: 'list', domains: [issuer] })
  expect(readDomains('  ', [])).toEqual({ kind: 'list', domains: [] })
})

test.each([
  ['[{', 'json'],
  ['9F7F', 'reply'],
  ['hello', 'reply'],
  [issuerReply.slice(0, 20), 'reply'],
])('%j is refused as %s', (text, kind) => {
  expect(readDomains(text, [])).toEqual({ kind })
})

test('an entry that is not a security domain is reported by its position', () => {
  const list = (...entries: unknown[]) => readDomains(JSON.stringify(entries), [])
  expect(list(issuer, { ...issuer, parent: undefined })).toEqual({ kind: 'entry', place: 2 })
  expect(list({ ...issuer, privileges: ['cardLock', 'flying'] })).toEqual({
    kind: 'entry',
    place: 1,
  })
  expect(list({ ...issuer, state: 'asleep' })).toEqual({ kind: 'entry', place: 1 })
  expect(list(null)).toEqual({ kind: 'entry', place: 1 })
  // An AID is validated in its field.
  expect(list({ ...issuer, aid: '' })).toMatchObject({ kind: 'list' })
})
