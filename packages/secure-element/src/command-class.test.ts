import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeCommand, parseCommand, type Command } from './apdu.ts'
import { readHex, toHex } from './bytes.ts'
import { softwareCard } from './card/software-card.ts'
import { newCard } from './card/card-state.ts'
import {
  classifyBytes,
  classifyCommand,
  commandClasses,
  firstPlace,
  mildestPlace,
  placeAfter,
  placeWith,
  type CardPlace,
  type Classified,
} from './command-class.ts'
import {
  deleteKey,
  deleteObject,
  getData,
  getStatus,
  select,
  setApplicationState,
  setCardState,
  setLock,
  storeData,
} from './host/commands.ts'
import { fingerprint } from './host/fingerprint.ts'
import {
  installForExtradition,
  installForInstall,
  installForLoad,
  installForPersonalization,
  installForRegistryUpdate,
} from './host/install.ts'
import { encodeGetStatus, type RegistryEntry } from './get-status.ts'
import { load } from './host/load.ts'
import { putKey } from './host/put-key.ts'
import { exchange } from './host/transport.ts'

const aid = 'D2760000850101'
const names = { loadFileAid: 'D27600008501', moduleAid: aid, instanceAid: aid }
const key = {
  algorithm: 'AES',
  length: 16,
  encrypted: new Uint8Array(16),
  checkValue: new Uint8Array(3),
} as const
const said = ({ class: name, reason }: Classified) => (reason ? `${name} ${reason}` : name)
const [loadBlock = expect.fail('no block')] = load({ code: readHex('DECAFFED'), blockSize: 200 })
/** STORE DATA with a first parameter that no builder produces. */
const storedAs = (p1: number, data: string) =>
  parseCommand(
    readHex(`80E2${p1.toString(16)}00${(data.length / 2).toString(16).padStart(2, '0')}${data}`),
  )
const stored = (data: string, more: object = {}) => storeData({ data: readHex(data), ...more })[0]

const commands: [string, Command | undefined, string][] = [
  ['SELECT', select({ aid }), 'reads'],
  ['GET DATA', getData({ tag: '9F7F' }), 'reads'],
  ['GET STATUS', getStatus({ subset: 'applications' }), 'reads'],
  ['INITIALIZE UPDATE', parseCommand(readHex('80500000080102030405060708')), 'reads'],
  ['INSTALL [for load]', installForLoad({ loadFileAid: names.loadFileAid }), 'changes'],
  ['LOAD', loadBlock, 'changes'],
  ['INSTALL [for install]', installForInstall({ ...names, privileges: [] }), 'changes'],
  [
    'INSTALL of an application that can end the card',
    installForInstall({ ...names, privileges: ['cardTerminate'] }),
    'keys privileges',
  ],
  [
    'INSTALL [for registry update] to one that can lock it',
    installForRegistryUpdate({ aid, privileges: ['cardLock'] }),
    'keys privileges',
  ],
  [
    'INSTALL [for extradition]',
    installForExtradition({ aid, securityDomainAid: names.loadFileAid }),
    'changes',
  ],
  ['INSTALL [for personalization]', installForPersonalization({ aid }), 'changes'],
  ['DELETE of what may be a domain', deleteObject({ aid }), 'keys deleteDomain'],
  ['DELETE of a key', deleteKey({ version: 0x30 }), 'keys deleteKey'],
  ['DELETE of one key in every version', deleteKey({ id: 1 }), 'keys deleteKey'],
  ['PUT KEY', putKey({ version: 1, keys: [key, key, key] }), 'keys putKey'],
  [
    'PUT KEY in the place of another',
    putKey({ version: 1, replaces: 1, keys: [key] }),
    'keys putKey',
  ],
  ['lock of an application', setLock({ aid, isLocked: true }), 'changes'],
  [
    'lock of a domain with all in it',
    setLock({ aid, isLocked: true, withApplications: true }),
    'changes',
  ],
  ['state of an application', setApplicationState({ aid, state: 0x0f }), 'changes'],
  ['INITIALIZED', setCardState({ state: 'initialized' }), 'keys cardState'],
  ['SECURED', setCardState({ state: 'secured' }), 'keys cardState'],
  ['CARD_LOCKED', setCardState({ state: 'cardLocked' }), 'keys cardState'],
  ['TERMINATED', setCardState({ state: 'terminated' }), 'irreversible terminate'],
  [
    'TERMINATED with the name of the issuer',
    setCardState({ state: 'terminated', aid: 'A000000151000000' }),
    'irreversible terminate',
  ],
  ['STORE DATA', stored('42031122334503445566'), 'changes'],
  ['STORE DATA of a grouping', stored('0070064204AABBCCDD', { format: 'dgi' }), 'changes'],
  ['STORE DATA of keys', stored('8F0110'.padEnd(38, '0'), { format: 'dgi' }), 'keys storeKeys'],
  [
    'STORE DATA of keys behind something else',
    stored('0070034201008F0110'.padEnd(48, '0'), { format: 'dgi' }),
    'keys storeKeys',
  ],
  ['STORE DATA of keys in no named form', stored('8F0110'.padEnd(38, '0')), 'keys storeKeys'],
  ['STORE DATA of a key grouping in no named form', stored('00B903950110'), 'keys storeKeys'],
  ['STORE DATA in an encryption of the application', storedAs(0xa0, '0102'), 'keys storeKeys'],
  ['STORE DATA of a key object', stored('A6029001', { format: 'tlv' }), 'keys storeKeys'],
  ['STORE DATA that is encrypted', stored('0102', { encryption: 'encrypted' }), 'keys storeKeys'],
  [
    'EXTERNAL AUTHENTICATE',
    parseCommand(readHex('8482030008' + '00'.repeat(8))),
    'keys authenticate',
  ],
  ['enrolment of a finger', fingerprint({ kind: 'enrol', finger: 1 }), 'irreversible unknown'],
]

test.each(commands)('%s', (_name, command, expected) => {
  expect(said(classifyCommand(command ?? expect.fail('no command')))).toBe(expected)
})

const application = mildestPlace

test.each<[string, string, CardPlace, string]>([
  ['PUT KEY under secure messaging', '84D80081080102030405060708', firstPlace, 'keys putKey'],
  ['PUT KEY on logical channel 5', 'C1D8008100', application, 'keys putKey'],
  ['PUT KEY on a logical channel with a domain', '81D8008100', firstPlace, 'keys putKey'],
  ['PUT KEY in a chain', '90D8008101AA', application, 'keys putKey'],
  ['PUT KEY with lengths that do not fit', '80D80081FF01', firstPlace, 'keys putKey'],
  ['PUT KEY of an extended length', '80D800810000020101', firstPlace, 'keys putKey'],
  ['DELETE whose data is protected', `84E4000009${'11'.repeat(9)}`, firstPlace, 'keys deleteKey'],
  ['DELETE in a chain', '90E40000034F0101', firstPlace, 'keys deleteKey'],
  [
    'DELETE of an application and a key',
    '80E400000B4F05D276000085D20130',
    firstPlace,
    'keys deleteKey',
  ],
  ['DELETE that is no TLV', '80E40000024F09', firstPlace, 'keys deleteKey'],
  ['DELETE in pieces', '80E480000A4F05D276000085D20130', firstPlace, 'keys deleteKey'],
  ['INSTALL in pieces', '80E68C0003010203', firstPlace, 'irreversible unreadable'],
  [
    'INSTALL whose data is protected',
    `84E60C0009${'11'.repeat(9)}`,
    firstPlace,
    'irreversible unreadable',
  ],
  ['INSTALL for no purpose', '80E6000003000000', firstPlace, 'irreversible unknown'],
  ['INSTALL with cut fields', '80E60C00020501', firstPlace, 'irreversible unreadable'],
  [
    'TERMINATED of an application that may be the card',
    '80F040FF08A000000151000000',
    firstPlace,
    'irreversible terminate',
  ],
  ['CARD_LOCKED under a domain', '80F0607F08A000000151000000', firstPlace, 'keys cardState'],
  ['SET STATUS of nothing known', '80F0C00F', firstPlace, 'irreversible unknown'],
  [
    'SET STATUS without protection of its own',
    '84F080FF08' + '00'.repeat(8),
    firstPlace,
    'irreversible terminate',
  ],
  ['TERMINATE DF', '00E60000', application, 'irreversible terminate'],
  ['TERMINATE EF', '00E80000', application, 'irreversible terminate'],
  ['TERMINATE CARD USAGE', '00FE0000', application, 'irreversible terminate'],
  ['ENVELOPE', '00C2000004 80F080FF', application, 'irreversible unreadable'],
  ['a vendor’s command to a domain', '80AA0000', firstPlace, 'irreversible unknown'],
  ['a vendor’s command to an application', '80AA0000', application, 'changes'],
  ['a vendor’s command on logical channel 5', 'C1AA0000', application, 'irreversible unknown'],
  ['what is no command', '80CA', firstPlace, 'irreversible unreadable'],
  ['GET DATA with lengths that do not fit', '80CA9F7F0001', firstPlace, 'reads'],
])('%s', (_name, hex, place, expected) => {
  expect(said(classifyBytes(readHex(hex), place))).toBe(expected)
})

describe('whatever the class byte', () => {
  const rank = ({ class: name }: Classified) => commandClasses.indexOf(name)
  const places = fc.constantFrom(firstPlace, application)

  test('a command is never taken for less than it is', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...commands.flatMap(([, command]) => (command ? [command] : []))),
        fc.integer({ min: 0, max: 0xff }),
        places,
        (command, cla, place) => {
          const plain = classifyCommand({ ...command, cla: 0x80 }, place)
          const found = classifyCommand({ ...command, cla }, place)
          expect(rank(found)).toBeGreaterThanOrEqual(rank(plain))
          if (plain.reason) expect(found.reason).toBeDefined()
          const bytes = encodeCommand({ ...command, cla, isExtended: true })
          expect(classifyBytes(bytes, place)).toEqual(found)
        },
      ),
    )
  })

  test('only known commands read, and keys and the end of a card are found by the header', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 40 }), places, (bytes, place) => {
        const found = classifyBytes(bytes, place)
        const [, ins = 0, p1, p2] = bytes
        if (ins === 0x82) expect(found.class).toBe('keys')
        const isListed = place.isListed && place.selected !== 'domain'
        if (ins === 0xd8 && !isListed) expect(found.class).toBe('keys')
        if (ins === 0xf0 && (p1 === 0x80 || p2 === 0xff)) expect(rank(found)).toBeGreaterThan(1)
        if (
          (found.class === 'keys' || found.class === 'irreversible') !==
          (found.reason !== undefined)
        )
          expect.fail(JSON.stringify(found))
      }),
    )
  })
})

test('STORE DATA is read over its blocks, and a block out of order is not', () => {
  const data = readHex(`007020${'00'.repeat(32)}8F0110${'11'.repeat(16)}`)
  const blocks = storeData({ data, format: 'dgi', blockSize: 10 })
  let place = firstPlace
  const found = blocks.map((block) => {
    const classified = said(classifyCommand(block, place))
    place = placeAfter(place, block, { data: new Uint8Array(), statusWord: 0x9000 })
    return classified
  })
  expect(found.slice(0, 3)).toEqual(['changes', 'changes', 'changes'])
  expect(found.at(-1)).toBe('keys storeKeys')
  const later = storeData({ data, format: 'dgi', blockSize: 40 })[1]
  expect(said(classifyCommand(later ?? expect.fail(), firstPlace))).toBe('keys storeKeys')
})

const entry = (more: Partial<RegistryEntry> & { aid: string }): RegistryEntry => ({
  kind: 'application',
  lifeCycle: 0x07,
  privileges: [],
  implicitSelection: [],
  modules: [],
  ...more,
})
const domain = 'D2760000850D01'
const { privileges: __, ...untold } = entry({ aid: 'D27600008599', loadFileAid: 'D27600008502' })
const withDomain = [
  entry({ aid: 'A000000151000000', kind: 'issuer' }),
  entry({ aid, loadFileAid: names.loadFileAid }),
  entry({ aid: domain, kind: 'securityDomain', loadFileAid: 'D27600008502' }),
  untold,
]

describe('a DELETE', () => {
  const whole = placeWith(firstPlace, withDomain, true)
  const part = placeWith(firstPlace, withDomain.slice(1), false)
  const older = [...withDomain, entry({ aid: 'D27600008504', kind: 'securityDomain' })]
  test.each<[string, string, CardPlace, boolean, string]>([
    ['an application', aid, whole, false, 'changes'],
    ['an application with what is related', aid, whole, true, 'changes'],
    ['its package', names.loadFileAid, whole, true, 'changes'],
    ['what is not on the card', 'D27600008577', whole, true, 'changes'],
    ['a domain', domain, whole, false, 'keys deleteDomain'],
    ['the beginning of a domain', domain.slice(0, 12), whole, false, 'keys deleteDomain'],
    ['the domain of the issuer', 'A000000151000000', whole, true, 'keys deleteDomain'],
    ['a package with a domain', 'D27600008502', whole, true, 'keys deleteDomain'],
    ['a package with a domain, alone', 'D27600008502', whole, false, 'keys deleteDomain'],
    ['what has untold privileges', 'D27600008599', whole, false, 'keys deleteDomain'],
    [
      'a package where a domain is of an untold one',
      'D27600008503',
      placeWith(firstPlace, older, true),
      true,
      'keys deleteDomain',
    ],
    [
      'a package where a domain is of an untold one, alone',
      'D27600008503',
      placeWith(firstPlace, older, true),
      false,
      'changes',
    ],
    ['an application in sight', aid, part, false, 'changes'],
    ['what is out of sight', 'D27600008577', part, false, 'keys deleteDomain'],
    ['an application of an unread card', aid, firstPlace, false, 'keys deleteDomain'],
  ])('of %s', (_name, name, place, withRelated, expected) => {
    expect(said(classifyCommand(deleteObject({ aid: name, withRelated }), place))).toBe(expected)
  })

  test('of a package that the card listed deletes nothing else, unless what it made goes too', () => {
    const file = 'D27600008588'
    const listed = encodeGetStatus([entry({ aid: file, kind: 'loadFile' })])
    const place = placeAfter(part, getStatus({ subset: 'loadFiles' }), {
      data: listed,
      statusWord: 0x9000,
    })
    const asked = (withRelated: boolean) =>
      said(classifyCommand(deleteObject({ aid: file, withRelated }), place))
    expect([asked(false), asked(true)]).toEqual(['changes', 'keys deleteDomain'])
    const again = placeWith(place, [entry({ aid })], false)
    expect(said(classifyCommand(deleteObject({ aid: file }), again))).toBe('changes')
  })

  test('of no name at all, or of two with a domain', () => {
    expect(said(classifyBytes(readHex('80E40000024F00'), whole))).toBe('keys deleteDomain')
    const two = `80E40000124F07${aid}4F07${domain}`
    expect(said(classifyBytes(readHex(two), whole))).toBe('keys deleteDomain')
  })

  test('after an INSTALL, the registry has to say it again', () => {
    const answered = { data: new Uint8Array(), statusWord: 0x9000 }
    const install = installForInstall({ ...names, privileges: ['securityDomain'] })
    const place = placeAfter(whole, install, answered)
    expect(place.registry).toBe('unread')
    expect(said(classifyCommand(deleteObject({ aid }), place))).toBe('keys deleteDomain')
  })

  test('of what is out of sight is none of an application, whoever said so before', () => {
    const refused = { data: new Uint8Array(), statusWord: 0x6985 }
    const taken = installForInstall({ ...names, privileges: [] })
    const read = placeWith(firstPlace, [entry({ aid })], true)
    for (const before of [
      placeAfter(firstPlace, taken, refused),
      { ...read, registry: 'unread' },
    ]) {
      const place = placeWith(
        before as CardPlace,
        [entry({ aid: domain, kind: 'securityDomain' })],
        false,
      )
      expect(said(classifyCommand(deleteObject({ aid }), place))).toBe('keys deleteDomain')
    }
  })
})

test('what is selected follows the answers of a card', async () => {
  const state = newCard({ seed: 'place' })
  state.applications.push({
    aid,
    loadFileAid: names.loadFileAid,
    moduleAid: aid,
    domainAid: state.issuerAid,
    lifeCycle: 0x07,
    privileges: [],
    parameters: '',
    quota: {},
    reserved: {},
    model: 'stub',
    data: {},
  })
  const card = softwareCard(state)
  let place = firstPlace
  const selects = async (command: Command) => {
    place = placeAfter(place, command, await exchange(card, command))
    return place.selected
  }
  expect(await selects(select({ aid }))).toBe('application')
  expect(await selects(select({ aid: 'A000000999' }))).toBe('application')
  expect(await selects(select())).toBe('domain')
  expect(await selects(select({ aid }))).toBe('application')
  expect(await selects(select({ aid: 'A000000151' }))).toBe('domain')
})

test.each([
  ['D2760000850101', '', 0x9000, 'silent'],
  ['A0000001510000', '', 0x9000, 'domain'],
  ['A000', '', 0x9000, 'domain'],
  ['', '', 0x9000, 'domain'],
  ['D2760000850101', '', 0x6110, 'domain'],
  ['D2760000850101', '6F098407D2760000850101', 0x9000, 'application'],
  ['D2760000850101', '6F108407D2760000850101A5057303060100', 0x9000, 'domain'],
  ['D2760000850101', '6F0A8408A000000151000000', 0x9000, 'domain'],
  ['D2760000850101', '6F', 0x9000, 'domain'],
])('SELECT of %s that answers %s %i is %s', (name, data, statusWord, expected) => {
  const command = select(name === '' ? {} : { aid: name })
  const reply = { data: data === '' ? new Uint8Array() : readHex(data), statusWord }
  expect(placeAfter(firstPlace, command, reply).selected).toBe(expected)
  const other = placeAfter(firstPlace, { ...command, cla: 0x41 }, reply)
  expect([toHex(command.data), other.selected]).toEqual([toHex(command.data), 'domain'])
})

describe('a SELECT that answers nothing', () => {
  const nothing = { data: new Uint8Array(), statusWord: 0x9000 }
  const command = select({ aid })
  const read = (entries: RegistryEntry[]): CardPlace => ({
    ...placeWith(firstPlace, entries, true),
    selected: 'application',
  })
  const { le: _, ...unasked } = command

  test.each<[string, Command, CardPlace, CardPlace['selected']]>([
    ['because it was asked for nothing', { ...command, p2: 0x0c }, firstPlace, 'domain'],
    ['because no length was given', unasked, firstPlace, 'domain'],
    ['of a known application', unasked, read([entry({ aid })]), 'application'],
    ['of a known domain', command, read([entry({ aid, kind: 'securityDomain' })]), 'domain'],
    [
      'of the beginning of a known domain',
      select({ aid: aid.slice(0, -2) }),
      read([entry({ aid, kind: 'securityDomain' })]),
      'domain',
    ],
    [
      'of a known application under the name of an issuer',
      select({ aid: 'A00000015141434C00' }),
      read([entry({ aid: 'A00000015141434C00' })]),
      'application',
    ],
    ['of what nobody knows', command, firstPlace, 'silent'],
  ])('%s', (_name, sent, place, expected) => {
    const { selected } = placeAfter(place, sent, nothing)
    expect(selected).toBe(expected)
    const vendors = said(classifyBytes(readHex('80AA0000'), { ...place, selected }))
    expect(vendors).toBe(expected === 'domain' ? 'irreversible unknown' : 'changes')
  })

  test('of a domain that somebody has read or installed in between', () => {
    const reply = encodeGetStatus([entry({ aid, privileges: ['securityDomain'] })])
    const listing = getStatus({ subset: 'applications' })
    const listed = placeAfter(firstPlace, listing, { data: reply, statusWord: 0x9000 })
    expect(placeAfter(listed, command, nothing).selected).toBe('domain')
    const install = installForInstall({ ...names, privileges: ['securityDomain'] })
    const installed = placeAfter(firstPlace, install, nothing)
    expect(placeAfter(installed, command, nothing).selected).toBe('domain')
  })
})

describe('PUT KEY', () => {
  const silent = { data: new Uint8Array(), statusWord: 0x9000 }
  const fciOf = (name: string, more = '') =>
    ({
      data: readHex(
        `6F${hexLength(`84${hexLength(name)}${name}${more}`)}84${hexLength(name)}${name}${more}`,
      ),
      statusWord: 0x9000,
    }) as const
  const hexLength = (text: string) => (text.length / 2).toString(16).padStart(2, '0').toUpperCase()
  const listed = placeWith(firstPlace, withDomain, true)
  const sent = (place: CardPlace, bytes = '80D8000001AA') =>
    said(classifyBytes(readHex(bytes), place))
  const other = 'D27600008599'

  test.each<[string, CardPlace, Command, { data: Uint8Array; statusWord: number }, string]>([
    ['a listed application', listed, select({ aid }), fciOf(aid), 'changes'],
    ['a listed one that answers nothing', listed, select({ aid }), silent, 'changes'],
    ['one that the card does not list', firstPlace, select({ aid }), fciOf(aid), 'keys putKey'],
    ['one of which nothing is told', listed, select({ aid: other }), fciOf(other), 'keys putKey'],
    ['a domain', listed, select({ aid: domain }), fciOf(domain), 'keys putKey'],
    ['a domain that answers nothing', listed, select({ aid: domain }), silent, 'keys putKey'],
    [
      'what answers as a domain does',
      listed,
      select({ aid }),
      fciOf(aid, 'A5049F650100'),
      'keys putKey',
    ],
    ['another than the one asked for', listed, select({ aid }), fciOf(other), 'keys putKey'],
    ['the next that matches', listed, { ...select({ aid }), p2: 0x02 }, silent, 'keys putKey'],
    [
      'what was not selected',
      listed,
      select({ aid }),
      { ...silent, statusWord: 0x6a82 },
      'keys putKey',
    ],
    [
      'one on logical channel 5',
      listed,
      { ...select({ aid }), cla: 0x41 },
      fciOf(aid),
      'keys putKey',
    ],
  ])('to %s', (_name, place, command, reply, expected) => {
    expect(sent(placeAfter(place, command, reply))).toBe(expected)
  })

  test('in another form, or once a domain took the AID, is refused', () => {
    const place = placeAfter(listed, select({ aid }), fciOf(aid))
    for (const bytes of ['84D8000001AA', '90D8000001AA', '85D8000001AA', 'C0D8000001AA'])
      expect([bytes, sent(place, bytes)]).toEqual([bytes, 'keys putKey'])
    const install = installForInstall({ ...names, privileges: ['securityDomain'] })
    const taken = placeAfter(placeAfter(listed, install, silent), select({ aid }), fciOf(aid))
    expect(sent(taken)).toBe('keys putKey')
  })
})
