import { describe, expect, test } from 'vitest'
import { readHex } from './bytes.ts'
import { chipId } from './cplc.ts'
import { explainCplc, explainCplcReply } from './explain-cplc.ts'
import { platformName } from './platform.ts'

const now = new Date('2026-11-21T12:00:00Z')

/** Replies of real cards, and field values according to their source. */
const replies = [
  {
    source: 'fidesmo/fdsm, FidesmoCardTest.java',
    hex: '9F7F2A47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E00000000000000009000',
    fields: { icFabricator: '4790', icType: '6B64', osId: '4700', icSerial: '00485399' },
    platform: 'JCOP 3 EMV',
  },
  {
    source: 'martinpaljak/GlobalPlatformPro #221',
    hex: '9F7F2A4790D32147000000000083456E6E6E50524300000000000000005758594E4E4E4E4E00000000000000009000',
    fields: {
      icType: 'D321',
      icFabricationDate: '8345',
      icSerial: '6E6E6E50',
      icBatch: '5243',
      prePersonalizer: '5758',
      prePersonalizationDate: '594E',
    },
  },
  {
    source: 'martinpaljak/GlobalPlatformPro #383',
    hex: '9F7F2A4790D32147000000000031800504742075150000000000000000031C2A353034373400000000000000009000',
    fields: { icFabricationDate: '3180', icSerial: '05047420', prePersonalizationDate: '2A35' },
  },
  {
    source: 'kaoh/globalplatform, getDataTest.c, vector 1',
    hex: '9F7F2A4790D6004700000000003244342952208448000000000000000015278234323935320000000000000000',
    fields: {
      icType: 'D600',
      osId: '4700',
      icFabricationDate: '3244',
      icSerial: '34295220',
      icBatch: '8448',
      prePersonalizer: '1527',
      prePersonalizationDate: '8234',
      prePersonalizationEquipment: '32393532',
    },
  },
  {
    source: 'kaoh/globalplatform, getDataTest.c, vector 2',
    hex: '9F7F2A409019154090004501008301A8186827A822000000000000000000000000000000000000000000000000',
    fields: {
      icFabricator: '4090',
      osReleaseDate: '0045',
      osReleaseLevel: '0100',
      icSerial: 'A8186827',
      icBatch: 'A822',
    },
  },
  {
    source: 'kaoh/globalplatform, getDataTest.c, vector 3',
    hex: '9F7F2A4750006100008303008000E692E082BE675C72877301FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF',
    fields: {
      icFabricator: '4750',
      icFabricationDate: '00E6',
      icSerial: '92E082BE',
      moduleFabricator: '7287',
      modulePackagingDate: '7301',
      iccManufacturer: 'FFFF',
      personalizationEquipment: 'FFFFFFFF',
    },
  },
]

describe.each(replies)('the reply of $source', ({ hex, fields, platform }) => {
  const [cplc, status] = explainCplcReply(readHex(hex), now)

  test('has the fields that the source names', () => {
    const found = Object.fromEntries(cplc?.parts?.map(({ name, hex }) => [name, hex]) ?? [])
    expect(found).toMatchObject(fields)
    expect(platformName(hex.slice(6))).toBe(platform)
  })

  test('is covered by its parts without gaps', () => {
    expect(cplc?.parts?.map(({ hex }) => hex).join('')).toBe(hex.slice(0, 90))
    let end = 0
    for (const { from, to } of cplc?.parts ?? []) {
      expect(from).toBe(end)
      end = to
    }
    expect(status?.meaning).toEqual(
      hex.endsWith('9000') ? { kind: 'term', term: 'status.success' } : undefined,
    )
  })
})

test('explains fabricator, type, dates, and values that are not set or not dates', () => {
  const bytes = readHex(replies[2]?.hex.slice(6, 90) ?? '')
  const meanings = Object.fromEntries(explainCplc(bytes, now).map((each) => [each.name, each]))
  expect(meanings['icFabricator']?.meaning).toEqual({ kind: 'name', text: 'NXP' })
  expect(meanings['icType']?.meaning).toEqual({ kind: 'name', text: 'SE05x' })
  expect(meanings['icFabricationDate']).toMatchObject({
    from: 10,
    to: 12,
    meaning: {
      kind: 'date',
      date: { kind: 'date', candidates: ['2023-06-29', '2013-06-29'] },
    },
  })
  expect(meanings['prePersonalizationDate']?.meaning).toEqual({
    kind: 'date',
    date: { kind: 'notADate' },
  })
  expect(meanings['personalizer']?.meaning).toEqual({ kind: 'term', term: 'notSet' })
  expect(meanings['icSerial']?.meaning).toBeUndefined()
})

test('a chip that is personalized again keeps its chip id', () => {
  const before = replies[0]?.hex.slice(6, 90) ?? ''
  const after = `${before.slice(0, 68)}1234${before.slice(72)}`
  expect(after).not.toBe(before)
  expect(chipId(after)).toBe(chipId(before))
})

test.each([
  // martinpaljak/GlobalPlatformPro, TestParseTags.testCPLCTagless: not a CPLC.
  ['FF401AE218E116C1144434050D9648B771CB3500D5398D36CE3F1C23A4', 'wrongTag', 0, '9F'],
  ['9F7F2947906B', 'wrongLength', 2, '2A'],
  ['9F7F2A47906B', 'cutOff', 3, '42'],
  ['9F7F', 'cutOff', 2, '1'],
  [`${replies[3]?.hex}00`, 'leftOver', 45, '0 / 2'],
  [`${replies[3]?.hex}1234`, 'wrongValue', 45, '61xx–6Fxx, 9xxx'],
])('refuses %s: %s at byte %i', (hex, code, at, expected) => {
  expect(() => explainCplcReply(readHex(hex), now)).toThrow(
    expect.objectContaining({ code, at, expected }),
  )
})
