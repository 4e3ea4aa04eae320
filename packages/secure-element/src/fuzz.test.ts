import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explainAid } from './aid.ts'
import { parseCommand, parseResponse } from './apdu.ts'
import { maxInputLength, readHex, toHex } from './bytes.ts'
import { decode, decodedKinds } from './decode.ts'
import { DecodeError } from './decode-error.ts'
import { explainAtr } from './explain-atr.ts'
import { explainCommand, explainResponse } from './explain-apdu.ts'
import { explainCplc, explainCplcReply } from './explain-cplc.ts'
import { explainKeyInformationReply } from './explain-key-information.ts'
import { explainTlv } from './explain-tlv.ts'
import { explainGetStatus, joinGetStatus, parseGetStatus } from './get-status.ts'
import { parseKeyInformation } from './key-information.ts'
import { parseOid } from './object-identifier.ts'
import { explainPrivileges } from './privileges.ts'
import { explainStatusWord } from './status-word.ts'
import { parseTlv } from './tlv.ts'

const now = new Date('2026-11-21T12:00:00Z')

const decoders: Record<string, (bytes: Uint8Array) => unknown> = {
  parseTlv,
  explainTlv: (bytes) => explainTlv(bytes, now),
  parseCommand,
  explainCommand: (bytes) => explainCommand(bytes, now),
  parseResponse,
  explainResponse: (bytes) => explainResponse(bytes, now),
  parseGetStatus,
  explainGetStatus: (bytes) => explainGetStatus(bytes, now),
  joinGetStatus: (bytes) => joinGetStatus([bytes, bytes]),
  parseKeyInformation,
  explainKeyInformationReply: (bytes) => explainKeyInformationReply(bytes, now),
  explainCplc: (bytes) => explainCplc(bytes, now),
  explainCplcReply: (bytes) => explainCplcReply(bytes, now),
  explainAid,
  explainAtr,
  explainPrivileges,
  explainStatusWord,
  parseOid,
  decode: (bytes) => decode(toHex(bytes), { now }),
  ...Object.fromEntries(
    decodedKinds.map((as) => [`decode as ${as}`, (b: Uint8Array) => decode(toHex(b), { now, as })]),
  ),
}

/** Valid input to mutate: one of each kind. */
const seeds = [
  '9F7F2A47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E00000000000000009000',
  '80E60C001E05010203040508010203040506070808010203040506070801000 2C9000000',
  '80E602001205010203040508A00000015100000000000000',
  '80D8008117018811 10ABABABABABABABABABABABABABABABAB03504A77',
  '84E291000EBF3E035C015A558D036518A2829700',
  'E3464F08A0000000030000009F700101C5039EFE80CF0140CF0141CF0142CF0143CF0180CF0181CF0182CF0183C40BD276000005AAFFCAFE0001CE020001CC08A000000003000000',
  'E304E3304F096310',
  '3B8B8131FE458073C00140655653453031D6',
  'E021C00401018010C00402018010C00403018010C00D0173FFA10080A0000301840100',
  '6F658408A000000018434D00A559734A06072A864886FC6B01600C060A2A864886FC6B02020101630906072A864886FC6B03640B06092A864886FC6B040310650B06092B8510864864020103660C060A2B060104012A026E01029F6E061291535602009F6501FF9000',
].map((hex) => readHex(hex.replaceAll(' ', '')))

const spoiled = fc
  .tuple(
    fc.constantFrom(...seeds),
    fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
    fc.nat(12),
    fc.uint8Array({ maxLength: 6 }),
  )
  .map(([seed, changes, cut, tail]) => {
    const bytes = Uint8Array.from([...seed.subarray(0, Math.max(0, seed.length - cut)), ...tail])
    for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
    return bytes
  })

describe.each(Object.entries(decoders))('%s', (_, decoder) => {
  const survives = (bytes: Uint8Array) => {
    try {
      decoder(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(DecodeError)
      const { at } = error as DecodeError
      expect(at).toBeGreaterThanOrEqual(0)
      expect(at).toBeLessThanOrEqual(bytes.length)
    }
  }

  test('refuses random bytes with a typed error at most', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), survives), { numRuns: 150 })
  })

  test('refuses spoiled bytes with a typed error at most', () => {
    fc.assert(fc.property(spoiled, survives), { numRuns: 250 })
  })
})

/** The largest inputs, built to be as expensive as possible. */
const costly: Record<string, () => Uint8Array> = {
  'empty objects': () => new Uint8Array(maxInputLength).map((_, at) => (at % 2 === 0 ? 0x4f : 0)),
  'objects inside each other': () =>
    new Uint8Array(maxInputLength).map((_, at) => [0xe3, 0x83, 0x00, 0xff][at % 4] ?? 0),
  'tags without an end': () => new Uint8Array(maxInputLength).fill(0xff),
  'registry entries': () =>
    new Uint8Array(maxInputLength).map(
      (_, at) => [0xe3, 0x07, 0x4f, 0x00, 0x9f, 0x70, 0x01, 0x07, 0x00][at % 9] ?? 0,
    ),
  zeros: () => new Uint8Array(maxInputLength),
}

describe.each(Object.entries(costly))('%s in the longest input', (_, make) => {
  const bytes = make()
  test.each(Object.entries(decoders))('%s stays within its bounds', (_name, decoder) => {
    const before = process.cpuUsage()
    try {
      const text = JSON.stringify(decoder(bytes)) ?? ''
      // Each level repeats its bytes in hex, and there are sixteen levels.
      expect(text.length).toBeLessThan(maxInputLength * 60)
    } catch (error) {
      expect(error).toBeInstanceOf(DecodeError)
    }
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(2000)
  })
})

test('refuses text that is not hex with a typed error at most', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc
      .array(fc.constantFrom(...'0123456789ABCDEFabcdefxX :,'.split('')), { maxLength: 200 })
      .map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (pasted) => {
      try {
        decode(pasted, { now })
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError)
      }
    }),
    { numRuns: 500 },
  )
})
