import { expect, test } from 'vitest'
import { encodeResponse, type Command } from '../apdu.ts'
import { concat, readHex, toHex } from '../bytes.ts'
import { deleteKey, getData, getStatus, select, storeData } from '../host/commands.ts'
import { putKeys } from '../host/run.ts'
import { exchange } from '../host/transport.ts'
import type { SecureChannel } from '../secure-channel/channel.ts'
import { privateKeyOf } from '../secure-channel/ec-key.ts'
import { openScp11Channel, type OpenScp11Options } from '../secure-channel/open-scp11.ts'
import { encodeTlv } from '../tlv.ts'
import { makeCertificate, pointOf } from '../testing/make-certificate.ts'
import { open, plain } from '../testing/opened-card.ts'
import { cardProfiles } from './card-profile.ts'
import { newCard, type NewCard } from './card-state.ts'
import { freeMemory } from './memory.ts'
import { scp11Example } from './scp11-example.ts'
import { softwareCard } from './software-card.ts'

const cardPoint = pointOf(scp11Example.card)
const newScp11Card = (implementation = 0x70) =>
  softwareCard({ ...cardProfiles.scp11, implementation, seed: 'scp11' })

const ofB: OpenScp11Options = { variant: 'b', keyVersion: 1, cardPoint }

/** GET DATA of the certificates of a key. */
const certificatesOf = (reference: string): Command => ({
  ...getData({ tag: 'BF21' }),
  data: encodeTlv([{ tag: 'A6', value: [{ tag: '83', value: readHex(reference) }] }]),
})

test.each([16, 24, 32] as const)(
  'SCP11b opens with session keys of %i bytes',
  async (keyLength) => {
    const card = newScp11Card()
    const channel = await openScp11Channel(card, { ...ofB, keyLength })
    const { data, statusWord } = await channel.send(getData({ tag: 'E0' }))
    expect(statusWord).toBe(0x9000)
    expect(toHex(data)).toContain('C0041301B120')
    expect(toHex((await channel.send(getData({ tag: '66' }))).data)).toMatch(/^66/)
  },
)

test('SCP11b opens with MACs of 16 bytes', async () => {
  const channel = await openScp11Channel(newScp11Card(0x71), { ...ofB, macLength: 16 })
  expect(toHex((await channel.send(getData({ tag: '66' }))).data)).toMatch(/^66/)
})

test('the MAC covers the length as it is sent: three bytes for a short command with a long answer', async () => {
  const channel = await openScp11Channel(newScp11Card(), ofB)
  const asked = { ...certificatesOf('1301'), le: 65_536, isExtended: true }
  expect(toHex((await channel.send(asked)).data)).toMatch(/^BF2182/)
  expect((await channel.send(getData({ tag: '66' }))).statusWord).toBe(0x9000)
})

test('a host that did not prove itself may read, and manages nothing', async () => {
  const channel = await openScp11Channel(newScp11Card(), ofB)
  expect(await channel.send(getStatus({ subset: 'issuer' }))).toMatchObject({ statusWord: 0x6982 })
  expect((await channel.send(getData({ tag: '66' }))).statusWord).toBe(0x9000)
})

test('each agreement has other keys, and a card with another key is found out', async () => {
  const card = newScp11Card()
  const drawn = card.snapshot().drawn
  for (const _ of [1, 2]) await openScp11Channel(card, ofB)
  expect(card.snapshot().drawn).toBe(drawn + 2)
  card.break({ hasOtherKeys: true })
  await expect(openScp11Channel(card, ofB)).rejects.toMatchObject({ code: 'wrongCardCryptogram' })
})

test('SCP11b opens in a channel of SCP03, which it ends', async () => {
  const card = newScp11Card()
  const before = await open(card, { level: 0x33 })
  await openScp11Channel(card, ofB)
  expect(await before.send(getStatus({ subset: 'issuer' }))).toMatchObject({ statusWord: 0x6982 })
})

test('the certificate of a key comes in pieces, within a channel too, or whole', async () => {
  const card = newScp11Card()
  const value = readHex(scp11Example.cardCertificate)
  const wanted = toHex(encodeTlv([{ tag: 'BF21', value }]))
  const first = await plain(card, certificatesOf('1301'))
  expect(first).toMatchObject({ statusWord: 0x6100 + value.length + 5 - 256 })
  expect(first.data).toHaveLength(256)
  const asked = certificatesOf('1301')
  expect(toHex((await exchange(card, asked)).data)).toBe(wanted)
  const channel = await openScp11Channel(card, ofB)
  expect(toHex((await channel.send(asked)).data)).toBe(wanted)
  const extended = { ...asked, isExtended: true, le: 65_536 }
  expect(toHex((await plain(newScp11Card(), extended)).data)).toBe(wanted)
})

test('GET RESPONSE continues the command before it alone', async () => {
  const card = newScp11Card()
  const getResponse = { ...getData({ tag: '66' }), cla: 0, ins: 0xc0, p1: 0, p2: 0 }
  await plain(card, certificatesOf('1301'))
  await plain(card, getData({ tag: '66' }))
  expect((await plain(card, getResponse)).statusWord).not.toBe(0x9000)
  await plain(card, certificatesOf('1301'))
  card.reset()
  expect((await plain(card, getResponse)).statusWord).not.toBe(0x9000)
})

test.each([
  ['another key', '1302', 0x6a88],
  ['no version', '13', 0x6a88],
])('has no certificate of %s', async (_, reference, statusWord) => {
  expect(await plain(newScp11Card(), certificatesOf(reference))).toMatchObject({ statusWord })
})

const template = 'A60D9002110095013C800188810110'
const key = `5F4941${toHex(pointOf(scp11Example.host))}`
const internalAuthenticate = (hex: string, p1 = 1, p2 = 0x13, ins = 0x88): Command => ({
  cla: 0x80,
  ins,
  p1,
  p2,
  data: hex === '' ? new Uint8Array() : readHex(hex),
  isExtended: false,
})

test.each<[string, Command, number]>([
  ['what fits', internalAuthenticate(template + key), 0x9000],
  ['another version', internalAuthenticate(template + key, 2), 0x6a88],
  ['another id', internalAuthenticate(template + key, 1, 0x14), 0x6a88],
  ['the id of SCP11a', internalAuthenticate(template + key, 1, 0x11), 0x6a88],
  ['the instruction of SCP11a', internalAuthenticate(template + key, 1, 0x13, 0x82), 0x6a88],
  ['a key that is no private key', internalAuthenticate(template + key, 0x30, 0x01), 0x6a88],
  ['nothing', internalAuthenticate(''), 0x6a80],
  ['eight zeros', internalAuthenticate('00'.repeat(8)), 0x6a80],
  ['no key', internalAuthenticate(template), 0x6a80],
  ['a key alone', internalAuthenticate(key), 0x6a80],
  ['more behind it', internalAuthenticate(`${template}${key}8600`), 0x6a80],
  [
    'another tag within',
    internalAuthenticate(`A6109002110095013C800188810110840100${key}`),
    0x6a80,
  ],
  ['a field that lacks', internalAuthenticate(`A60A9002110095013C800188${key}`), 0x6a80],
  ['another variant', internalAuthenticate(template.replace('1100', '1101') + key), 0x6a80],
  ['another usage', internalAuthenticate(template.replace('3C', '5C') + key), 0x6a80],
  ['another key type', internalAuthenticate(template.replace('800188', '800180') + key), 0x6a80],
  ['another key length', internalAuthenticate(template.replace('810110', '810111') + key), 0x6a80],
  ['a point off the curve', internalAuthenticate(`${template}${key.slice(0, -2)}00`), 0x6a80],
  ['a short point', internalAuthenticate(`${template}5F490204AB`), 0x6a80],
  ['a point at infinity', internalAuthenticate(`${template}5F490100`), 0x6a80],
])('INTERNAL AUTHENTICATE with %s', async (_, command, statusWord) => {
  expect(await plain(newScp11Card(), command)).toMatchObject({ statusWord })
})

test('a card without such a key, one of SCP02, and one whose key is none refuse', async () => {
  const asked = internalAuthenticate(template + key)
  expect(await plain(softwareCard({ seed: 'none' }), asked)).toMatchObject({ statusWord: 0x6a88 })
  const scp02 = softwareCard({ ...cardProfiles.scp11, protocol: 'SCP02', implementation: 0x55 })
  expect(await plain(scp02, asked)).toMatchObject({ statusWord: 0x6d00 })
  const state = newCard(cardProfiles.scp11)
  const own = state.keySets[1]?.keys.find(({ id }) => id === 0x13)
  if (!own) throw new Error('The profile has a key of SCP11')
  own.value = '00'.repeat(32)
  expect(await plain(softwareCard(state), asked)).toMatchObject({ statusWord: 0x6a80 })
  own.algorithm = 'AES'
  expect(await plain(softwareCard(state), asked)).toMatchObject({ statusWord: 0x6a88 })
})

test('keys and certificates of SCP11 take memory', () => {
  const free = (card: NewCard) => freeMemory(newCard(card))
  const length = readHex(scp11Example.cardCertificate).length
  expect(free(cardProfiles.scp03) - free(cardProfiles.scp11)).toBe(4 * 64 + 3 * length)
})

test('a chain of commands is one command', async () => {
  const card = newScp11Card()
  const { data, ...asked } = internalAuthenticate(template + key)
  const first = { ...asked, cla: 0x90, data: data.slice(0, 20) }
  const last = { ...asked, data: data.slice(20) }
  expect(await plain(card, first)).toMatchObject({ statusWord: 0x9000 })
  expect(await plain(card, last)).toMatchObject({ statusWord: 0x9000 })
  await plain(card, first)
  await plain(card, getData({ tag: '66' }))
  expect(await plain(card, last)).toMatchObject({ statusWord: 0x6a80 })
  const link = { ...first, data: new Uint8Array(255) }
  for (let count = 0; count < 16; count++)
    expect(await plain(card, link)).toMatchObject({ statusWord: 0x9000 })
  expect(await plain(card, link)).toMatchObject({ statusWord: 0x6700 })
  const whole = internalAuthenticate(template + key)
  expect(await plain(card, whole)).toMatchObject({ statusWord: 0x9000 })
})

const { authority, host: ownScalar } = scp11Example
const atAuthority = { keyVersion: 1, keyId: 0x10 }
const ofHost = (variant: 'a' | 'c', certificates: readonly Uint8Array[]): OpenScp11Options => ({
  ...ofB,
  variant,
  host: { key: privateKeyOf(readHex(ownScalar)), certificates, authority: atAuthority },
})
const hostCertificate = readHex(scp11Example.hostCertificate)
const other = '11'.repeat(32)
const between = '22'.repeat(32)

const chains: [string, Uint8Array[]][] = [
  ['one as X.509', [hostCertificate]],
  ['one of GlobalPlatform', [makeCertificate({ of: ownScalar, by: authority })]],
  ['one with days as numbers', [makeCertificate({ of: ownScalar, by: authority, to: '141C0C1F' })]],
  ['one without a first day', [makeCertificate({ of: ownScalar, by: authority, from: '' })]],
  [
    'three',
    [
      makeCertificate({ of: other, by: authority, usage: '82' }),
      makeCertificate({ of: between, by: other, usage: '82' }),
      makeCertificate({ of: ownScalar, by: between }),
    ],
  ],
]

test.each(
  chains.flatMap(([name, chain]) =>
    (['a', 'c'] as const).map((each) => [each, name, chain] as const),
  ),
)('SCP11%s opens with certificates of the host: %s', async (variant, _, chain) => {
  const card = newScp11Card()
  const channel = await openScp11Channel(card, { ...ofHost(variant, chain), keyLength: 32 })
  for (const __ of [1, 2])
    expect(await channel.send(getStatus({ subset: 'issuer' }))).toMatchObject({
      statusWord: 0x9000,
    })
  expect(channel.state()).toBe('open')
})

test('SCP11a manages the card, with keys under those that were agreed on', async () => {
  const card = newScp11Card()
  const channel = await openScp11Channel(card, ofHost('a', [hostCertificate]))
  const value = readHex('00112233445566778899AABBCCDDEEFF')
  const added = { algorithm: 'AES', value } as const
  await putKeys(channel, { version: 0x31, replaces: 0x30, keys: [added, added, added] })
  expect((await open(card, { level: 0x33, value, keyVersion: 0x31 })).state()).toBe('open')
})

test('the card of SCP11c answers with its static key, and of SCP11a with a fresh one', async () => {
  const keysOf = async (variant: 'a' | 'c') => {
    const replies: string[] = []
    const card = newScp11Card()
    for (const _ of [1, 2])
      await openScp11Channel(card, {
        ...ofHost(variant, [hostCertificate]),
        onExchange: ({ received }) => replies.push(toHex(received)),
      })
    return replies.filter((each) => each.startsWith('5F49')).map((each) => each.slice(6, 136))
  }
  expect(await keysOf('c')).toEqual([toHex(cardPoint), toHex(cardPoint)])
  expect(new Set([...(await keysOf('a')), toHex(cardPoint)])).toHaveLength(3)
})

const spoiled = (bytes: Uint8Array) => {
  const changed = bytes.slice()
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  return changed
}

test.each<[string, Uint8Array[], number]>([
  ['of another issuer', [makeCertificate({ of: ownScalar, by: other })], 0x6982],
  ['with a changed signature', [spoiled(hostCertificate)], 0x6982],
  ['for signing others', [makeCertificate({ of: ownScalar, by: authority, usage: '82' })], 0x6a80],
  [
    'for no use that there is',
    [makeCertificate({ of: ownScalar, by: authority, usage: '80' })],
    0x6a80,
  ],
  [
    'below one that may not sign',
    [makeCertificate({ of: other, by: authority }), makeCertificate({ of: ownScalar, by: other })],
    0x6a80,
  ],
  [
    'below another one',
    [
      makeCertificate({ of: other, by: authority, usage: '82' }),
      makeCertificate({ of: ownScalar, by: authority }),
    ],
    0x6982,
  ],
  ['that is none', [new Uint8Array(8)], 0x6a80],
  ['that is cut off', [hostCertificate.slice(0, -1)], 0x6a80],
  [
    'with more behind it',
    [concat(makeCertificate({ of: ownScalar, by: authority }), [0x53, 0])],
    0x6a80,
  ],
  ['of no such day', [makeCertificate({ of: ownScalar, by: authority, to: '20260231' })], 0x6a80],
  ['that is too long', [new Uint8Array(2049)], 0x6700],
])('the card refuses a certificate %s', async (_, chain, statusWord) => {
  const card = newScp11Card()
  await expect(openScp11Channel(card, ofHost('a', chain))).rejects.toMatchObject({
    code: 'certificateRefused',
    statusWord,
  })
  // Everything verified before it is forgotten.
  expect(await plain(card, mutualAuthenticate)).toMatchObject({ statusWord: 0x6985 })
})

const mutualAuthenticate = internalAuthenticate(
  template.replace('1100', '1101') + key,
  1,
  0x11,
  0x82,
)
const certificateCommand = (data: Uint8Array, p1 = 1, p2 = 0x10): Command => ({
  cla: 0x80,
  ins: 0x2a,
  p1,
  p2,
  data,
  isExtended: true,
})

test('the card is asked for a key that it knows and that is one of an authority', async () => {
  const state = newCard(cardProfiles.scp11)
  state.keySets[1]?.keys.push({ id: 0x01, algorithm: 'EC', value: scp11Example.authorityPoint })
  const card = softwareCard(state)
  for (const [p1, p2] of [
    [2, 0x10],
    [1, 0x20],
    [1, 0x11],
    [1, 0x01],
    [0x30, 0x01],
  ])
    expect(await plain(card, certificateCommand(hostCertificate, p1, p2))).toMatchObject({
      statusWord: 0x6a88,
    })
  expect(await plain(card, certificateCommand(hostCertificate))).toMatchObject({
    statusWord: 0x9000,
  })
})

test('a certificate serves one agreement, and none that came after something else', async () => {
  const card = newScp11Card()
  const refused = { statusWord: 0x6985 }
  expect(await plain(card, mutualAuthenticate)).toMatchObject(refused)
  await plain(card, certificateCommand(hostCertificate))
  expect(await plain(card, mutualAuthenticate)).toMatchObject({ statusWord: 0x9000 })
  expect(await plain(card, mutualAuthenticate)).toMatchObject(refused)
  // A refused agreement consumes it too, and a refused certificate consumes the previous one.
  await plain(card, certificateCommand(hostCertificate))
  const { data } = mutualAuthenticate
  expect(await plain(card, { ...mutualAuthenticate, data: data.slice(1) })).toMatchObject({
    statusWord: 0x6a80,
  })
  expect(await plain(card, mutualAuthenticate)).toMatchObject(refused)
  await plain(card, certificateCommand(hostCertificate))
  await plain(card, certificateCommand(hostCertificate.slice(1)))
  expect(await plain(card, mutualAuthenticate)).toMatchObject(refused)
  const upper = makeCertificate({ of: other, by: authority, usage: '82' })
  await plain(card, certificateCommand(upper, 1, 0x90))
  expect(await plain(card, mutualAuthenticate)).toMatchObject(refused)
  for (const between of [select(), internalAuthenticate(template + key)]) {
    await plain(card, certificateCommand(hostCertificate))
    await plain(card, between)
    expect(await plain(card, mutualAuthenticate)).toMatchObject(refused)
  }
})

test('the key of a host signs no other certificate', async () => {
  const card = newScp11Card()
  const ofOther = makeCertificate({ of: other, by: authority })
  const below = makeCertificate({ of: ownScalar, by: other })
  expect(await plain(card, certificateCommand(ofOther))).toMatchObject({ statusWord: 0x9000 })
  expect(await plain(card, certificateCommand(below))).toMatchObject({ statusWord: 0x6982 })
})

test('another key of the host than that of its certificate is not believed', async () => {
  const card = newScp11Card()
  const options = ofHost('a', [makeCertificate({ of: other, by: authority })])
  await expect(openScp11Channel(card, options)).rejects.toMatchObject({
    code: 'wrongCardCryptogram',
  })
})

const privateKeyBlock = async (channel: SecureChannel, scalar: string) => {
  const [block] = await channel.encryptKeys([{ algorithm: 'AES', value: readHex(scalar) }])
  return `B120${toHex(block?.encrypted ?? new Uint8Array())}F0010000`
}
const putKeyCommand = (hex: string, p1: number, p2: number): Command => ({
  ...internalAuthenticate(hex, p1, p2, 0xd8),
  le: 256,
})

test('PUT KEY adds keys of SCP11 to a version, and STORE DATA their certificates', async () => {
  const card = softwareCard({ seed: 'own keys' })
  const channel = await open(card, { level: 0x33 })
  const send = async (command: Command) => toHex(encodeResponse(await channel.send(command)))
  const authorityBlock = `B041${scp11Example.authorityPoint}F0010000`
  expect(await send(putKeyCommand(`02${authorityBlock}`, 0, 0x10))).toBe('029000')
  for (const id of [0x11, 0x13]) {
    const block = await privateKeyBlock(channel, scp11Example.card)
    expect(await send(putKeyCommand(`02${block}`, 0, id))).toBe('029000')
  }
  const block = await privateKeyBlock(channel, scp11Example.card)
  expect(await send(putKeyCommand(`02${block}`, 0, 0x11))).toBe('6A80')
  expect(await send(putKeyCommand(`03${block.replace('F00100', 'F00101')}`, 0, 0x11))).toBe('6A81')
  expect(await send(putKeyCommand(`03${block.replace(/F001.*/, '')}`, 0, 0x11))).toBe('6A80')
  const withLength = block.replace('B120', 'B12120')
  expect(await send(putKeyCommand(`02${withLength}`, 0, 0x15))).toBe('029000')
  const keysOf = () => card.snapshot().keySets[1]?.keys.map(({ id, value }) => [id, value])
  expect(keysOf()).toEqual([
    [0x10, scp11Example.authorityPoint],
    [0x11, scp11Example.card],
    [0x13, scp11Example.card],
    [0x15, scp11Example.card],
  ])
  expect(await send(putKeyCommand(`02${block}`, 0x30, 0x16))).toBe('6A80')
  expect(await send(putKeyCommand(`03${block.replace('F00100', 'A00100')}`, 0, 0x11))).toBe('6A80')
  expect(await send(putKeyCommand(`03B10F${'00'.repeat(15)}F0010000`, 0, 0x11))).toBe('6A80')
  const zero = await privateKeyBlock(channel, '00'.repeat(32))
  expect(await send(putKeyCommand(`03${zero}`, 0, 0x11))).toBe('6A80')
  expect(await send(putKeyCommand('03B110' + '00'.repeat(16) + 'F0010000', 0, 0x11))).toBe('6A80')

  const stored = async (reference: string, certificates: string) => {
    const template = encodeTlv([{ tag: 'A6', value: [{ tag: '83', value: readHex(reference) }] }])
    const value = certificates === '' ? new Uint8Array() : readHex(certificates)
    const data = concat(template, encodeTlv([{ tag: 'BF21', value }]))
    const words: string[] = []
    for (const command of storeData({ data, format: 'tlv', blockSize: 200 }))
      words.push(await send(command))
    return words.at(-1)
  }
  expect(await stored('1302', scp11Example.cardCertificate)).toBe('9000')
  const ofCard = makeCertificate({ of: scp11Example.card, by: authority })
  expect(await stored('1102', toHex(ofCard))).toBe('9000')
  expect((await channel.send(certificatesOf('1102'))).data).toEqual(
    encodeTlv([{ tag: 'BF21', value: ofCard }]),
  )
  expect(await stored('1202', scp11Example.cardCertificate)).toBe('6A88')
  expect(await stored('1002', scp11Example.cardCertificate)).toBe('6A88')
  expect(await stored('1102', '53020000')).toBe('6A80')
  const found = await exchange(newScp11Card(), certificatesOf('1301'))
  expect((await channel.send(certificatesOf('1302'))).data).toEqual(found.data)
  const opened = await openScp11Channel(card, {
    ...ofHost('a', [hostCertificate]),
    keyVersion: 2,
    host: {
      key: privateKeyOf(readHex(ownScalar)),
      certificates: [hostCertificate],
      authority: { keyVersion: 2, keyId: 0x10 },
    },
  })
  expect(await opened.send(deleteKey({ version: 2, id: 0x13 }))).toMatchObject({
    statusWord: 0x9000,
  })
  expect(Object.keys(card.snapshot().certificates ?? {})).toEqual(['1102'])
  expect(card.snapshot().keySets[1]?.keys.map(({ id }) => id)).toEqual([0x10, 0x11, 0x15])
})

test('keys have identifiers of their authorities, which GET DATA tells', async () => {
  const card = newScp11Card()
  const channel = await openScp11Channel(card, ofHost('a', [hostCertificate]))
  const stored = async (hex: string) => {
    const [command] = storeData({ data: readHex(hex), format: 'tlv' })
    return command && toHex(encodeResponse(await channel.send(command)))
  }
  const read = async (tag: string) => toHex(encodeResponse(await channel.send(getData({ tag }))))
  expect([await read('FF33'), await read('FF34')]).toEqual(['6A88', '6A88'])
  expect(await stored('A60842020A0B83021001')).toBe('9000')
  // Some hosts state which side the authority certifies.
  expect(await stored('A60B80010142020C0D83021101')).toBe('9000')
  expect(await read('FF33')).toBe('FF330842020A0B830210019000')
  expect(await read('FF34')).toBe('FF340842020C0D830211019000')
  expect(await stored('A60842020E0F83021001')).toBe('9000')
  expect(await read('FF33')).toBe('FF330842020E0F830210019000')
  for (const [hex, word] of [
    ['A6064200 83021001', '6A80'],
    ['A60842020A0B83021002', '6A88'],
    ['A60842020A0B83020130', '6A88'],
    ['A604 83021001', '6A80'],
    ['A60842020A0B83021001 BF2100', '6A80'],
    ['A60B81010142020A0B83021001', '6A80'],
    ['A60C42020A0B42020A0B83021001', '6A80'],
  ] as const)
    expect(await stored(hex.replaceAll(' ', ''))).toBe(word)
  // They are deleted with their key.
  expect(await channel.send(deleteKey({ version: 1, id: 0x11 }))).toMatchObject({
    statusWord: 0x9000,
  })
  expect(await read('FF34')).toBe('6A88')
  expect(card.snapshot().authorities).toEqual({ '1001': '0E0F' })
})

test('a certificate comes in pieces that b8 of P1 marks', async () => {
  const card = newScp11Card()
  const whole = certificateCommand(hostCertificate)
  const first = { ...whole, p1: 0x81, data: hostCertificate.slice(0, 0xff) }
  const last = { ...whole, data: hostCertificate.slice(0xff) }
  expect(last.data.length).toBeGreaterThan(0)
  expect(await plain(card, first)).toMatchObject({ statusWord: 0x9000 })
  expect(await plain(card, last)).toMatchObject({ statusWord: 0x9000 })
  // Another command discards the piece, and the rest alone is not a certificate.
  await plain(card, first)
  await plain(card, select())
  expect(await plain(card, last)).toMatchObject({ statusWord: 0x6a80 })
})

test('an empty store removes certificates, and a reset forgets those of the host', async () => {
  const card = newScp11Card()
  const channel = await openScp11Channel(card, ofHost('a', [hostCertificate]))
  const [command] = storeData({ data: readHex('A60483021301BF2100'), format: 'tlv' })
  if (!command) throw new Error('storeData() answers at least one command')
  expect(await channel.send(command)).toMatchObject({ statusWord: 0x9000 })
  expect(Object.keys(card.snapshot().certificates ?? {})).toEqual(['1101', '1501'])
  await plain(card, certificateCommand(hostCertificate))
  card.reset()
  expect(await plain(card, mutualAuthenticate)).toMatchObject({ statusWord: 0x6985 })
})

test('a key that is replaced takes its certificate with it', async () => {
  const card = newScp11Card()
  const channel = await openScp11Channel(card, ofHost('a', [hostCertificate]))
  const replace = async (version: string, id: number) => {
    const block = await privateKeyBlock(channel, other)
    expect(await channel.send(putKeyCommand(version + block, 1, id))).toMatchObject({
      statusWord: 0x9000,
    })
    return Object.keys(card.snapshot().certificates ?? {})
  }
  expect(await replace('01', 0x11)).toEqual(['1301', '1501'])
  expect(await replace('02', 0x13)).toEqual([])
})

test('an authority lets in the hosts of its list alone, until the list is empty', async () => {
  const card = newScp11Card()
  const certificate = makeCertificate({ of: ownScalar, by: authority })
  const x509 = [hostCertificate]
  const store = async (hex: string) => {
    const [command] = storeData({ data: readHex(hex), format: 'tlv' })
    if (!command) throw new Error('storeData() answers at least one command')
    card.reset()
    return (await (await open(card, { level: 0x33 })).send(command)).statusWord
  }
  const refused = { code: 'certificateRefused', statusWord: 0x6982 }
  // The serial number of the X.509 certificate, with a leading zero.
  expect(await store('A6048302100170059303004801')).toBe(0x9000)
  expect((await openScp11Channel(card, ofHost('a', x509))).state()).toBe('open')
  await expect(openScp11Channel(card, ofHost('a', [certificate]))).rejects.toMatchObject(refused)
  expect(await store('A604830210017003930101')).toBe(0x9000)
  expect((await openScp11Channel(card, ofHost('c', [certificate]))).state()).toBe('open')
  await expect(openScp11Channel(card, ofHost('c', x509))).rejects.toMatchObject(refused)
  const above = makeCertificate({ of: other, by: authority, usage: '82', serial: '02' })
  const below = makeCertificate({ of: ownScalar, by: other })
  expect((await openScp11Channel(card, ofHost('a', [above, below]))).state()).toBe('open')
  expect(await store('A604830210017000')).toBe(0x9000)
  expect((await openScp11Channel(card, ofHost('a', x509))).state()).toBe('open')
  expect(await store('A604830211017003930101')).toBe(0x6a88)
  expect(await store('A604830220017003930101')).toBe(0x6a88)
  expect(await store('A604830210017003940101')).toBe(0x6a80)
  expect(await store('A604830210017103930101')).toBe(0x6a80)
  expect(await store('A6048302100170029300')).toBe(0x6a80)
  expect(await store('A6038301107003930101')).toBe(0x6a80)
  expect(await store('A60483021001')).toBe(0x6a80)
})

test('a list of hosts takes memory, and goes with the key of its authority', async () => {
  const card = newScp11Card()
  const channel = await open(card)
  const before = freeMemory(card.snapshot())
  const [command] = storeData({ data: readHex('A6048302100170059303102030'), format: 'tlv' })
  if (!command) throw new Error('storeData() answers at least one command')
  expect(await channel.send(command)).toMatchObject({ statusWord: 0x9000 })
  expect(before - freeMemory(card.snapshot())).toBe(3)
  expect(await channel.send(deleteKey({ version: 1, id: 0x10 }))).toMatchObject({
    statusWord: 0x9000,
  })
  expect(card.snapshot().allowed).toEqual({})
})
