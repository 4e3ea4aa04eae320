import { describe, expect, test } from 'vitest'
import { toHex } from './bytes.ts'
import { decode, type DecodedKind } from './decode.ts'

const now = new Date('2026-11-21T12:00:00Z')
const cplc = '47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E0000000000000000'

// Vectors of the neighbouring tests, which name their sources.
test.each<[DecodedKind, string]>([
  // The ATR of a software card.
  ['atr', '3B8B8131FE458073C00140655653453031D6'],
  ['cplcReply', `9F7F2A${cplc}`],
  ['cplcReply', `9F7F2A${cplc}9000`],
  ['cplc', cplc],
  ['cplc', `${cplc}9000`],
  ['cplc', '4790D32147000000000031800504742075150000000000000000031C2A35303437340000000000000000'],
  ['cplc', '409019154090004501008301A8186827A822000000000000000000000000000000000000000000000000'],
  ['cplc', '4750006100008303008000E692E082BE675C72877301FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'],
  ['command', '80CA9F7F00'],
  ['command', '00A4040000'],
  ['command', '00A40400'],
  ['command', '80F24002024F0000'],
  ['command', '80E4008007 4F0501020304 0500'],
  ['command', '84821100107D5F5826A993EBC89EEA24957FA0B3CE'],
  ['command', '8050300008B13E5F938FC108C400'],
  ['command', '80500000082C8130E574247B1B00'],
  ['command', '8482330010A75F1CD48F3B93DFA57E690937921F92'],
  ['command', '84E291000EBF3E035C015A558D036518A2829700'],
  ['getStatus', 'E3144F07A00000015100009F700107C50180EA028000'],
  ['getStatus', 'E3144F07A00000015100009F700107C50180EA0280009000'],
  ['keyInformation', 'E012C00401018820C00402018820C00403018820'],
  ['keyInformation', 'E012C00401018820C00402018820C004030188209000'],
  ['tlv', '6F108408A000000151000000A5049F6501FF'],
  ['response', '6F108408A000000151000000A5049F6501FF9000'],
  ['response', 'C10300001E9000'],
  ['tlv', '6724A0098001028104153555758103E5BEC082031E030083010284010285017B86010C87017B'],
  ['aid', 'A000000151000000'],
  ['aid', 'A0000003965453000000010300000000'],
  ['aid', 'D276000124'],
  ['statusWord', '9000'],
  ['statusWord', '6A88'],
  ['statusWord', '63C2'],
])('recognises %s: %s', (kind, hex) => {
  const decoded = decode(hex, { now })
  expect(decoded.kind).toBe(kind)
  expect(decoded.alternatives).not.toContain(kind)
})

test('reads hex as people paste it', () => {
  for (const text of ['9f 7f 2a', '9F:7F:2A', '0x9F 0x7F 0x2A', '9F7F\n2A'])
    expect(toHex(decode(`${text} ${cplc.toLowerCase()}`, { now }).bytes)).toBe(`9F7F2A${cplc}`)
})

test('the parts of an explanation lie inside each other and hold their own bytes', () => {
  const { bytes, parts } = decode(`9F7F2A${cplc}9000`, { now })
  const check = (list: typeof parts, from: number, to: number) => {
    for (const each of list) {
      expect(each.from).toBeGreaterThanOrEqual(from)
      expect(each.to).toBeLessThanOrEqual(to)
      expect(each.hex).toBe(toHex(bytes.subarray(each.from, each.to)))
      check(each.parts ?? [], each.from, each.to)
    }
  }
  check(parts, 0, bytes.length)
})

test('offers other readings, and takes the one that it is given', () => {
  // Six bytes that are an AID and a TLV object.
  const { kind, alternatives } = decode('D204A0000001')
  expect([kind, ...alternatives]).toEqual(expect.arrayContaining(['tlv', 'aid']))
  expect(decode('D204A0000001', { as: 'aid' }).parts[0]).toMatchObject({ name: 'aid' })
  expect(decode('D204A0000001', { as: 'tlv' }).parts[0]).toMatchObject({ name: 'dataObject' })
})

describe('says what is wrong at which byte', () => {
  test.each([
    ['', 'empty', 0, undefined],
    ['9F7F2', 'oddDigits', 2, undefined],
    ['9F7F2AZZ', 'notHex', 3, undefined],
    ['9F7F2A47', 'cutOff', 3, '42'],
    [`9F7F2A${cplc}00`, 'leftOver', 45, '0 / 2'],
    [cplc.slice(0, 80), 'wrongLength', 0, '42'],
    ['80F24002024F', 'cutOff', 5, '2'],
    ['A000000151'.slice(0, 8), 'notRecognised', 0, undefined],
    ['6F8084', 'indefiniteLength', 1, undefined],
    ['E3144F07', 'cutOff', 2, '20'],
    ['31', 'notRecognised', 0, undefined],
  ])('%j: %s at byte %i', (text, code, at, expected) => {
    expect(() => decode(text, { now })).toThrow(expect.objectContaining({ code, at }))
    if (expected !== undefined)
      expect(() => decode(text, { now })).toThrow(expect.objectContaining({ expected }))
  })
})

test('an answer to reset is explained byte by byte', () => {
  const { parts } = decode('3B8B8131FE458073C00140655653453031D6')
  expect(parts.map(({ name, hex }) => [name, hex])).toEqual([
    ['atrInitial', '3B'],
    ['atrFormat', '8B'],
    ['atrInterface', '81'],
    ['atrInterface', '31'],
    ['atrInterface', 'FE'],
    ['atrInterface', '45'],
    ['historicalBytes', '8073C00140655653453031'],
    ['checkByte', 'D6'],
  ])
  expect(parts.at(-1)?.meaning).toEqual({ kind: 'term', term: 'atr.checkRight' })
  expect(parts[2]?.meaning).toEqual({ kind: 'name', text: 'TD1: T=1' })
})
