import { describe, expect, test } from 'vitest'
import type { Command } from './apdu.ts'
import { readHex } from './bytes.ts'
import { onLogicalChannel } from './class-byte.ts'
import {
  firstPlaces,
  forgotten,
  managedChannel,
  placeFor,
  placesAfter,
  withPlace,
  type CardPlaces,
} from './card-places.ts'
import { classifyBytes, commandIn, mildestPlace, placeWith } from './command-class.ts'
import type { RegistryEntry } from './get-status.ts'
import { select, storeData } from './host/commands.ts'
import { installForInstall } from './host/install.ts'

const applet = 'D2760000850101'
const entry = (aid: string): RegistryEntry => ({
  aid,
  kind: 'application',
  lifeCycle: 0x07,
  privileges: [],
  implicitSelection: [],
  modules: [],
  loadFileAid: 'D27600008501',
})
const answered = (data = '', statusWord = 0x9000) => ({
  data: data === '' ? new Uint8Array() : readHex(data),
  statusWord,
})
const fci = answered(`6F098407${applet}`)
const on = (command: Command, number: number): Command => ({
  ...command,
  cla: onLogicalChannel(command.cla, number),
})
const parsed = (hex: string) => commandIn(readHex(hex)) ?? expect.fail('no command')
const after = (places: CardPlaces, ...steps: [Command, ReturnType<typeof answered>][]) =>
  steps.reduce((at, [command, response]) => placesAfter(at, command, response), places)
const judged = (places: CardPlaces, hex: string) => {
  const bytes = readHex(hex)
  const { class: name, reason } = classifyBytes(bytes, placeFor(places, bytes[0] ?? 0))
  return reason ? `${name} ${reason}` : name
}

/** The card lists the applet. */
const read = withPlace(firstPlaces, 0, placeWith(placeFor(firstPlaces, 0), [entry(applet)], true))
const opens: [Command, ReturnType<typeof answered>] = [parsed('0070000001'), answered('01')]
const selects = (number: number): [Command, ReturnType<typeof answered>] => [
  on(select({ aid: applet }), number),
  fci,
]

describe('a logical channel that the card opened', () => {
  const places = after(read, opens, selects(1))

  test.each([
    ['80D8000001AA', '81D8000001AA', 'keys putKey', 'changes'],
    ['80AA0000', '81AA0000', 'irreversible unknown', 'changes'],
    ['80F080FF', '81F080FF', 'irreversible terminate', 'irreversible terminate'],
    ['80F0807F', '81F0807F', 'keys cardState', 'keys cardState'],
    ['00FE0000', '01FE0000', 'irreversible terminate', 'irreversible terminate'],
    ['80E4000003D20130', '81E4000003D20130', 'keys deleteKey', 'keys deleteKey'],
    ['8482030000', '8582030000', 'keys authenticate', 'keys authenticate'],
    ['80F28002024F00', '81F28002024F00', 'reads', 'reads'],
  ])('judges %s by the basic one, and %s by its own', (basic, other, ofBasic, ofOther) => {
    expect([judged(places, basic), judged(places, other)]).toEqual([ofBasic, ofOther])
    // With the two exchanged, so are the verdicts.
    const exchanged = after(read, opens, selects(0))
    expect([judged(exchanged, basic), judged(exchanged, other)]).toEqual([ofOther, ofBasic])
  })

  test('begins with what nobody knows, and again after it was closed or opened anew', () => {
    expect(judged(after(read, opens), '81D8000001AA')).toBe('keys putKey')
    for (const command of ['00708001', '01708000', '0070000100'])
      expect([command, judged(after(places, [parsed(command), answered()]), '81AA0000')]).toEqual([
        command,
        'irreversible unknown',
      ])
    // A card may have closed it despite its answer.
    expect(judged(after(places, [parsed('00708001'), answered('', 0x6200)]), '81AA0000')).toBe(
      'irreversible unknown',
    )
  })

  test('reads STORE DATA over its own blocks', () => {
    const data = readHex(`007020${'00'.repeat(32)}8F0110${'11'.repeat(16)}`)
    const [first, second] = storeData({ data, format: 'dgi', blockSize: 40 })
    if (!first || !second) return expect.fail('no blocks')
    const begun = after(places, [on(first, 1), answered()])
    expect(placeFor(begun, 0x01).storing).toHaveLength(1)
    expect(placeFor(begun, 0x00).storing).toHaveLength(0)
  })

  test('does not know its applet any more once another one installs something', () => {
    const names = { loadFileAid: 'D27600008501', moduleAid: applet, instanceAid: applet }
    const made = installForInstall({ ...names, privileges: [] })
    const plain = after(places, [made, answered()])
    expect([judged(plain, '81D8000001AA'), judged(plain, '81AA0000')]).toEqual([
      'keys putKey',
      'changes',
    ])
    const domain = installForInstall({ ...names, privileges: ['securityDomain'] })
    expect(judged(after(places, [domain, answered()]), '81AA0000')).toBe('irreversible unknown')
    // No matter who installs it, it is now known as a domain on all channels.
    const taken = after(places, [on(domain, 1), answered()], selects(0))
    expect(judged(taken, '80D8000001AA')).toBe('keys putKey')
  })
})

describe('a logical channel that nobody saw opening', () => {
  test.each(['81AA0000', '82AA0000', '83D8000001AA', 'C0AA0000'])('%s is refused', (hex) => {
    const places = after(read, selects(1), selects(2))
    expect(judged(places, hex)).toMatch(/irreversible unknown|keys putKey/)
  })

  test('that answers may be the basic one, of which nothing is known any more', () => {
    const places = after(read, selects(0))
    expect(judged(places, '80D8000001AA')).toBe('changes')
    expect(judged(after(places, [on(select(), 1), answered('', 0x6881)]), '80D8000001AA')).toBe(
      'changes',
    )
    expect(judged(after(places, [on(select(), 1), answered()]), '80D8000001AA')).toBe('keys putKey')
  })
})

test('after bytes that nobody can read, nothing is known of any logical channel', () => {
  const places = forgotten(after(read, selects(0), opens))
  expect([judged(places, '80AA0000'), judged(places, '81AA0000')]).toEqual([
    'irreversible unknown',
    'irreversible unknown',
  ])
  expect(placeFor(places, 0x80).known).toHaveLength(1)
})

test('the milder place of another logical channel is not taken for the numbers above 3', () => {
  const places = new Map([
    [0, mildestPlace],
    [1, mildestPlace],
  ])
  expect(judged(places, 'C1AA0000')).toBe('irreversible unknown')
})

test.each([
  ['0070000001', '01', 0x9000, { number: 1, isOpen: true }],
  ['0070000200', '', 0x9000, { number: 2, isOpen: true }],
  ['0070000001', '', 0x6881, undefined],
  ['0070000001', '', 0x9000, undefined],
  ['0070000001', '04', 0x9000, undefined],
  ['00708003', '', 0x9000, { number: 3, isOpen: false }],
  ['02708000', '', 0x9000, { number: 2, isOpen: false }],
  ['00708000', '', 0x9000, undefined],
  ['8070000001', '01', 0x9000, undefined],
  ['00A4000001', '01', 0x9000, undefined],
])('%s answered %s %i manages %o', (hex, data, statusWord, expected) => {
  expect(managedChannel(parsed(hex), answered(data, statusWord))).toEqual(expected)
})
