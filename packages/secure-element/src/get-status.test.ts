import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHex, toHex } from './bytes.ts'
import {
  encodeGetStatus,
  explainGetStatus,
  joinGetStatus,
  ownerOf,
  parseGetStatus,
  type RegistryEntry,
} from './get-status.ts'
import { lifeCycleState } from './life-cycle.ts'
import type { Part } from './part.ts'
import { privilegeConflicts, privilegeNames } from './privileges.ts'

const now = new Date('2026-11-21T12:00:00Z')

// martinpaljak/GlobalPlatformPro, TestParseTags.testParseISD.
const isd = 'E3144F07A00000015100009F700107C50180EA028000'
// TestParseTags.testParsePartialISD.
const partialIsd =
  'E3464F08A0000000030000009F700101C5039EFE80CF0140CF0141CF0142CF0143CF0180CF0181CF0182CF0183C40BD276000005AAFFCAFE0001CE020001CC08A000000003000000'
// kaoh/globalplatform, statusTest.c: four complete entries, and one truncated by the card's buffer.
const applications =
  'E33A4F10A0000005591010FFFFFFFF89000002009F70010FC50382FC80C40BD276000005AAFFCAFE0001CC10A0000005591010FFFFFFFF8900000200' +
  'E3304F08D276000005AA3F019F700107C50104C40BD276000005AAFFCAFE0002CC10A0000005591010FFFFFFFF8900000200' +
  'E3384F10A0000000871001F310FFFF89FFFFFF019F700107C50100C40BD276000005AAFFCAFE0002CC10A0000005591010FFFFFFFF8900000200' +
  'E3444F10A0000005591010FFFFFFFF89000001009F700107C50100C410D27600011801 00FF49102589C0028000CC10A0000005591010FFFFFFFF8900000200EA058003018000' +
  'E3304F09A00000015141434C009F700107' +
  '6310'

test('reads an issuer security domain', () => {
  expect(parseGetStatus(readHex(isd)).entries).toEqual([
    {
      aid: 'A0000001510000',
      kind: 'issuer',
      lifeCycle: 0x07,
      state: 'initialized',
      privileges: ['securityDomain'],
      implicitSelection: [],
      modules: [],
    },
  ])
})

test('reads implicit selection, version and the domain of an issuer security domain', () => {
  const [entry] = parseGetStatus(readHex(`${partialIsd}9000`), 'issuer').entries
  expect(entry).toMatchObject({
    kind: 'issuer',
    state: 'opReady',
    implicitSelection: [0x40, 0x41, 0x42, 0x43, 0x80, 0x81, 0x82, 0x83],
    loadFileAid: 'D276000005AAFFCAFE0001',
    version: '0.1',
    securityDomainAid: 'A000000003000000',
  })
  expect(entry?.privileges).toHaveLength(13)
})

describe('a list that a card cuts where its buffer ends', () => {
  const { entries, statusWord, unfinishedFrom } = parseGetStatus(readHex(applications))

  test('has its whole entries', () => {
    expect(entries).toHaveLength(4)
    expect(entries[0]).toMatchObject({
      aid: 'A0000005591010FFFFFFFF8900000200',
      kind: 'securityDomain',
      lifeCycle: 0x0f,
      state: 'personalized',
      securityDomainAid: 'A0000005591010FFFFFFFF8900000200',
    })
    expect(entries[0]?.privileges).toHaveLength(9)
    expect(entries[1]).toMatchObject({ kind: 'application', privileges: ['cardReset'] })
    expect(statusWord).toBe(0x6310)
  })

  test('says where the unfinished one begins', () => {
    const all = readHex(applications)
    expect(toHex(all.subarray(unfinishedFrom ?? 0)).slice(0, 6)).toBe('E3304F')
    expect(explainGetStatus(all, now).map(({ name }) => name)).toEqual([
      ...Array.from({ length: 4 }, () => 'registryEntry'),
      'unfinished',
      'statusWord',
    ])
  })

  test('is whole when the next reply stands behind it', () => {
    const rest = 'C50100C40BD276000005AAFFCAFE0002CC0FA0000005591010FFFFFFFF890000029000'
    const joined = joinGetStatus([readHex(applications), readHex(rest)])
    const { entries } = parseGetStatus(joined)
    expect(entries).toHaveLength(5)
    expect(entries[4]?.aid).toBe('A00000015141434C00')
  })

  test('is refused where no status word announces more', () => {
    expect(() => parseGetStatus(readHex(applications.slice(0, -4)))).toThrow(
      expect.objectContaining({ code: 'cutOff' }),
    )
  })
})

// kaoh/globalplatform, scp03Test.c:345: a real card sends two bytes of life cycle.
test('reads a life cycle of two bytes', () => {
  const hex = 'E3114F07A00000015100009F70020F00C50180'
  const [entry] = parseGetStatus(readHex(hex)).entries
  expect(entry).toMatchObject({ lifeCycle: 0x0f, lifeCycleExtra: 0, state: 'secured' })
  const life = find(explainGetStatus(readHex(hex), now), 'lifeCycle')
  expect(life?.meaning).toEqual({ kind: 'term', term: 'state.secured' })
})

// martinpaljak/GlobalPlatformPro, TestZeroLengthAID: some cards send an empty AID.
test('reads an empty AID', () => {
  expect(parseGetStatus(readHex('E3094F009F700107C50100')).entries[0]?.aid).toBe('')
})

test('tells load files from applications, with their modules', () => {
  const hex = 'E3224F07A00000015153509F700101CE0201008408A000000151535041CC05A000000151'
  const [entry] = parseGetStatus(readHex(hex)).entries
  expect(entry).toEqual({
    aid: 'A0000001515350',
    kind: 'loadFile',
    lifeCycle: 1,
    state: 'loaded',
    implicitSelection: [],
    version: '1.0',
    modules: ['A000000151535041'],
    securityDomainAid: 'A000000151',
  })
})

test.each([
  ['4F05A000000151', 'wrongTag', 0],
  ['E3049F700107', 'missingTag', 0],
  ['E3074F05A000000151', 'missingTag', 0],
  ['E3094F03A000009F700107', 'wrongLength', 4],
  ['E30D4F05A0000001519F7003070000', 'wrongLength', 12],
  [`${isd}1234`, 'wrongTag', 22],
])('refuses %s: %s at byte %i', (hex, code, at) => {
  expect(() => parseGetStatus(readHex(hex))).toThrow(expect.objectContaining({ code, at }))
})

const find = (parts: readonly Part[], name: string): Part | undefined => {
  for (const each of parts) {
    const found = each.name === name ? each : find(each.parts ?? [], name)
    if (found) return found
  }
  return undefined
}

const byte = fc.integer({ min: 0, max: 255 })
const aid = fc.uint8Array({ minLength: 5, maxLength: 16 }).map(toHex)
const entry: fc.Arbitrary<RegistryEntry> = fc
  .record(
    {
      aid,
      lifeCycle: byte,
      lifeCycleExtra: byte,
      privileges: fc
        .subarray([...privilegeNames])
        .filter((names) => privilegeConflicts(names).length === 0),
      implicitSelection: fc.array(byte, { maxLength: 3 }),
      loadFileAid: aid,
      securityDomainAid: aid,
      version: fc.tuple(byte, byte).map((pair) => pair.join('.')),
      modules: fc.array(aid, { maxLength: 2 }),
    },
    { requiredKeys: ['aid', 'lifeCycle', 'implicitSelection', 'modules'] },
  )
  .map((fields) => {
    const kind = fields.privileges?.includes('securityDomain') ? 'securityDomain' : 'application'
    const state = lifeCycleState(ownerOf(kind), fields.lifeCycle)
    return { ...fields, kind, ...(state && { state }) }
  })

test('any registry survives its bytes', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
      expect(parseGetStatus(encodeGetStatus(entries), 'applications').entries).toEqual(entries)
    }),
  )
})
