import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Command } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { deleteObject, getData } from '../host/commands.ts'
import {
  dapSignature,
  isReceiptFor,
  parseReceipt,
  purposeVersions,
  putPublicKey,
  tokenData,
  withToken,
  type ReceiptSubject,
} from '../host/delegation.ts'
import {
  installForExtradition,
  installForInstall,
  installForLoad,
  installForMakeSelectable,
  installForRegistryUpdate,
} from '../host/install.ts'
import { load } from '../host/load.ts'
import { putKey } from '../host/put-key.ts'
import { loadPackage, putKeys, run } from '../host/run.ts'
import { parseKeyInformation } from '../key-information.ts'
import { publicKeyOf, type SecretKey } from '../keys/signature.ts'
import type { PrivilegeName } from '../privileges.ts'
import type { SecureChannel } from '../secure-channel/channel.ts'
import type { Protocol } from '../secure-channel/security-level.ts'
import {
  appletAid,
  domainAid,
  file,
  instance,
  newDomain,
  open,
  otherKey,
  packageOf,
} from '../testing/opened-card.ts'
import { softwareCard } from './software-card.ts'

const issuerAid = 'A000000151000000'
const hash = new Uint8Array(createHash('sha256').update(file.code).digest())
const word = async (channel: SecureChannel, command: Command) =>
  (await channel.send(command)).statusWord

const rsa = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const secret = (protocol: Protocol): SecretKey => ({
  algorithm: protocol === 'SCP03' ? 'AES' : 'DES',
  value: otherKey,
})

/** Puts a key with a purpose into the selected domain. */
async function putPurpose(
  channel: SecureChannel,
  purpose: keyof typeof purposeVersions,
  key: SecretKey | KeyObject,
) {
  const version = purposeVersions[purpose]
  if ('algorithm' in key) await putKeys(channel, { version, keys: [key] })
  else await run(channel.send, putPublicKey({ version, key: publicKeyOf(key) }))
}

/** A card with a domain with these privileges, and the keys that the issuer's domain needs. */
async function made(
  privileges: PrivilegeName[],
  { protocol = 'SCP03', seed = 'delegation' }: { protocol?: Protocol; seed?: string } = {},
) {
  const card = softwareCard({ seed, protocol })
  const channel = await open(card)
  await run(channel.send, newDomain({ privileges: ['securityDomain', ...privileges] }))
  return { card, channel }
}

const kinds: [string, Protocol, SecretKey | KeyObject][] = [
  ['AES', 'SCP03', secret('SCP03')],
  ['triple DES', 'SCP02', secret('SCP02')],
  ['RSA with 1024 bits', 'SCP03', rsa(1024)],
  ['RSA with 2048 bits', 'SCP03', rsa(2048)],
  ['P-256', 'SCP03', ec],
]

test.each(kinds)(
  'a domain verifies the signature of its load file: %s',
  async (_, protocol, key) => {
    const { card } = await made(['dapVerification'], { protocol })
    const domain = await open(card, { aid: domainAid })
    await putPurpose(domain, 'dap', key)
    const channel = await open(card, { aid: issuerAid })
    const target = { ...packageOf, securityDomainAid: domainAid }
    const signed = (signature: Uint8Array) => [{ securityDomainAid: domainAid, signature }]
    const right = dapSignature(key, hash)
    const refused = { statusWord: 0x6a80 }
    await expect(loadPackage(channel, { ...target, hash })).rejects.toMatchObject(refused)
    await expect(
      loadPackage(channel, { ...target, signatures: signed(right) }),
    ).rejects.toMatchObject(refused)
    const wrong = right.map((byte, at) => (at === 3 ? byte ^ 1 : byte))
    await expect(
      loadPackage(channel, { ...target, hash, signatures: signed(wrong) }),
    ).rejects.toMatchObject(refused)
    await expect(
      loadPackage(channel, {
        ...target,
        hash,
        signatures: [{ securityDomainAid: issuerAid, signature: right }],
      }),
    ).rejects.toMatchObject(refused)
    expect(card.snapshot().loadFiles).toHaveLength(1)
    await loadPackage(channel, { ...target, hash, signatures: signed(right) })
    expect(card.snapshot().loadFiles[1]).toMatchObject({ aid: file.aid, domainAid })
  },
)

test('a domain that verifies every load file does so for all other domains', async () => {
  const { card } = await made(['dapVerification', 'mandatedDapVerification'])
  await putPurpose(await open(card, { aid: domainAid }), 'dap', ec)
  const channel = await open(card, { aid: issuerAid })
  await expect(loadPackage(channel, { ...packageOf, hash })).rejects.toMatchObject({
    statusWord: 0x6a80,
  })
  const signatures = [{ securityDomainAid: domainAid, signature: dapSignature(ec, hash) }]
  await loadPackage(channel, { ...packageOf, hash, signatures })
  expect(card.snapshot().loadFiles[1]).toMatchObject({ domainAid: issuerAid })
})

/**
 * PUT KEY of a point of P-256 with the curve's parameters, as sent by hosts that do not name curves.
 */
const numbersOfP256 = [
  'B220FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF',
  'B320FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFC',
  'B4205AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B',
  'B541046B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296' +
    '4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5',
  'B620FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551',
]
const putPoint = (curve: string, version = 0x73): Command => {
  const key = publicKeyOf(ec)
  const point = key.algorithm === 'EC' ? toHex(key.point) : ''
  const data = readHex(`${version.toString(16)}B041${point}${curve}00`)
  return { cla: 0x80, ins: 0xd8, p1: 0, p2: 1, data, isExtended: data.length > 0xff, le: 256 }
}

test('a key of P-256 has its curve by name or in numbers', async () => {
  const { card } = await made(['dapVerification'])
  const domain = await open(card, { aid: domainAid })
  const [field = '', ...rest] = numbersOfP256
  const whole = numbersOfP256.join('')
  expect(await word(domain, putPoint([field, ...rest.slice(0, -1)].join('')))).toBe(0x6a80)
  expect(await word(domain, putPoint(whole + field))).toBe(0x6a80)
  expect(await word(domain, putPoint(whole.replace('FFFC', 'FFFD')))).toBe(0x6a81)
  expect(await word(domain, putPoint(`${whole}B70102`))).toBe(0x6a81)
  expect(await word(domain, putPoint(''))).toBe(0x6a80)
  expect(await word(domain, putPoint(whole))).toBe(0x9000)
  expect(await word(domain, putPoint(`${whole}B70101`, 0x74))).toBe(0x9000)
  const signatures = [{ securityDomainAid: domainAid, signature: dapSignature(ec, hash) }]
  const channel = await open(card, { aid: issuerAid })
  await loadPackage(channel, { ...packageOf, securityDomainAid: domainAid, hash, signatures })
})

test.each(['sha1', 'sha256', 'sha384', 'sha512'])(
  'a signature covers a hash of the load file: %s',
  async (name) => {
    const { card } = await made(['dapVerification'])
    await putPurpose(await open(card, { aid: domainAid }), 'dap', ec)
    const announced = new Uint8Array(createHash(name).update(file.code).digest())
    const signatures = [{ securityDomainAid: domainAid, signature: dapSignature(ec, announced) }]
    const target = { ...packageOf, securityDomainAid: domainAid, signatures }
    const channel = await open(card, { aid: issuerAid })
    await loadPackage(channel, { ...target, hash: announced })
    expect(card.snapshot().loadFiles).toHaveLength(2)
  },
)

test.each(['SCP02', 'SCP03'] as const)(
  'a key with a purpose may be of the other kind than those of the channel: %s',
  async (protocol) => {
    const { card } = await made(['dapVerification'], { protocol })
    const domain = await open(card, { aid: domainAid })
    const other: SecretKey = {
      algorithm: protocol === 'SCP03' ? 'DES' : 'AES',
      value: otherKey,
    }
    await putPurpose(domain, 'dap', other)
    // A complete set of them opens no channel, and the domain keeps using its parent's keys.
    await putKeys(domain, { version: 0x15, keys: [other, other, other] })
    expect(card.snapshot().applications[0]).toMatchObject({ lifeCycle: 0x07 })
    await expect(open(card, { aid: domainAid, keyVersion: 0x15 })).rejects.toMatchObject({
      statusWord: 0x6a88,
    })
    const signatures = [{ securityDomainAid: domainAid, signature: dapSignature(other, hash) }]
    const channel = await open(card, { aid: issuerAid })
    await loadPackage(channel, { ...packageOf, securityDomainAid: domainAid, hash, signatures })
  },
)

test.each([0x80, 0x81, 0x82, 0x83, 0x84])('PUT KEY takes triple DES of type %i', async (type) => {
  const card = softwareCard({ seed: 'types', protocol: 'SCP02' })
  const channel = await open(card)
  const keys = await channel.encryptKeys([{ algorithm: 'DES', value: otherKey }])
  const command = putKey({ version: 0x73, keys })
  const data = command.data.map((byte, at) => (at === 1 ? type : byte))
  expect(await word(channel, { ...command, data })).toBe(0x9000)
})

/** A card whose issuer verifies tokens and creates receipts, and a channel to a delegated domain. */
async function delegated(protocol: Protocol, token: SecretKey | KeyObject, receipt: SecretKey) {
  const { card, channel } = await made(['delegatedManagement'], { protocol })
  await putPurpose(channel, 'token', token)
  await putPurpose(channel, 'receipt', receipt)
  return { card, domain: await open(card, { aid: domainAid }) }
}

async function loaded(domain: SecureChannel, token: SecretKey | KeyObject) {
  const { loadFileAid } = packageOf
  await run(
    domain.send,
    withToken(installForLoad({ loadFileAid, securityDomainAid: domainAid, hash }), token),
  )
  let reply = new Uint8Array()
  for (const block of load({ code: file.code, blockSize: domain.longestData }))
    reply = new Uint8Array(await run(domain.send, block))
  return reply
}

test.each(kinds)(
  'a token stands for every command of a delegate: %s',
  async (_, protocol, token) => {
    const receipt = secret(protocol)
    const { card, domain } = await delegated(protocol, token, receipt)
    let counter = 0
    const check = (reply: Uint8Array, subject: ReceiptSubject) => {
      // The reply begins with its total length, which some cards omit.
      expect(reply[0]).toBe(reply.length - 1)
      const read = parseReceipt(reply)
      expect(parseReceipt(reply.slice(1))).toEqual(read)
      counter++
      expect(toHex(read?.counter ?? new Uint8Array())).toBe(counter.toString(16).padStart(4, '0'))
      expect(read && isReceiptFor(receipt, read, subject)).toBe(true)
      expect(read && isReceiptFor(receipt, read, { kind: 'delete', aid: issuerAid })).toBe(false)
    }
    const loadFileAid = file.aid
    const install = installForInstall({ ...instance, isSelectable: false })
    const select = installForMakeSelectable({ instanceAid: appletAid })
    const remove = deleteObject({ aid: appletAid })
    check(await loaded(domain, token), { kind: 'load', loadFileAid, securityDomainAid: domainAid })

    // Without a token, with one for another command, and with a modified one.
    expect(await word(domain, install)).toBe(0x6985)
    const other = withToken(installForInstall(instance), token)
    expect(await word(domain, { ...other, p1: install.p1 })).toBe(0x6982)
    const right = withToken(install, token)
    const changed = right.data.map((byte, at) => (at === right.data.length - 2 ? byte ^ 1 : byte))
    expect(await word(domain, { ...right, data: changed })).toBe(0x6982)

    const applicationAid = appletAid
    check(await run(domain.send, right), { kind: 'install', loadFileAid, applicationAid })
    expect(await word(domain, select)).toBe(0x6985)
    check(await run(domain.send, withToken(select, token)), {
      kind: 'install',
      loadFileAid,
      applicationAid,
    })
    expect(card.snapshot().applications[1]).toMatchObject({ lifeCycle: 0x07 })
    const update = installForRegistryUpdate({ aid: appletAid, privileges: ['globalService'] })
    const named = {
      kind: 'registryUpdate',
      fromDomainAid: domainAid,
      aid: appletAid,
      privileges: Uint8Array.of(0x00, 0x01, 0x00),
      parameters: new Uint8Array(),
    } as const
    check(await run(domain.send, withToken(update, token)), { ...named, toDomainAid: '' })
    const moved = installForRegistryUpdate({ aid: appletAid, securityDomainAid: domainAid })
    check(await run(domain.send, withToken(moved, token)), {
      ...named,
      toDomainAid: domainAid,
      privileges: new Uint8Array(),
    })
    expect(await word(domain, remove)).toBe(0x6985)
    check(await run(domain.send, withToken(remove, token)), { kind: 'delete', aid: appletAid })
    expect(card.snapshot().applications).toHaveLength(1)

    const away = installForExtradition({ aid: loadFileAid, securityDomainAid: issuerAid })
    check(await run(domain.send, withToken(away, token)), {
      kind: 'extradition',
      fromDomainAid: domainAid,
      aid: loadFileAid,
      toDomainAid: issuerAid,
    })
    expect(toHex(await run(domain.send, getData({ tag: 'C2' })))).toBe(
      `C202${counter.toString(16).padStart(4, '0')}`,
    )
  },
)

test('a delegate loads for itself alone, and without keys for tokens not at all', async () => {
  const { domain } = await delegated('SCP03', ec, secret('SCP03'))
  const elsewhere = installForLoad({ loadFileAid: file.aid, securityDomainAid: issuerAid, hash })
  expect(await word(domain, withToken(elsewhere, ec))).toBe(0x6985)
  const { card } = await made(['delegatedManagement'])
  const without = await open(card, { aid: domainAid })
  expect(await word(without, withToken(installForInstall(instance), ec))).toBe(0x6985)
})

test('without a key for receipts the reply to a delegated command has none', async () => {
  const { card, channel } = await made(['delegatedManagement'])
  await putPurpose(channel, 'token', ec)
  const reply = await loaded(await open(card, { aid: domainAid }), ec)
  expect([toHex(reply), parseReceipt(reply)]).toEqual(['00', undefined])
})

test('public keys are listed with their components, replaced and deleted', async () => {
  const { card, channel } = await made([])
  await putPurpose(channel, 'token', ec)
  await putPurpose(channel, 'dap', rsa(1024))
  const version = purposeVersions.token
  const information = parseKeyInformation(await run(channel.send, getData({ tag: 'E0' })))
  expect(information.filter((each) => each.version >= 0x70)).toEqual([
    { id: 1, version: 0x70, components: [{ type: 0xb0, length: 65 }] },
    {
      id: 1,
      version: 0x73,
      components: [
        { type: 0xa1, length: 128 },
        { type: 0xa0, length: 3 },
      ],
    },
  ])
  await run(
    channel.send,
    putPublicKey({ version: 0x73, replaces: 0x73, key: publicKeyOf(rsa(2048)) }),
  )
  const long = parseKeyInformation(await run(channel.send, getData({ tag: 'E0' })))
  expect(long.at(-1)?.components).toEqual([
    { type: 0xa1, length: 256 },
    { type: 0xa0, length: 3 },
  ])
  const next = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  await run(channel.send, putPublicKey({ version, replaces: version, key: publicKeyOf(next) }))
  const [, stored] = card.snapshot().keySets
  expect(stored?.keys[0]).toMatchObject({ algorithm: 'EC' })
  const off = putPublicKey({
    version: 0x72,
    key: { algorithm: 'EC', point: new Uint8Array(65).fill(4) },
  })
  expect(await word(channel, off)).toBe(0x6a80)
})

// The layout signed by martinpaljak/GlobalPlatformPro 236a610 (DMTokenizer.dtbs): P1, P2, Lc, data.
test('a token covers the parameters, the length and the fields of its command', () => {
  const command = installForMakeSelectable({ instanceAid: appletAid })
  expect(toHex(tokenData(command))).toBe(`08000E000008${appletAid}010000`)
  expect(toHex(tokenData(deleteObject({ aid: appletAid, withRelated: true })))).toBe(
    `00800A4F08${appletAid}`,
  )
  const long = installForLoad({ loadFileAid: appletAid, parameters: new Uint8Array(300) })
  expect(toHex(tokenData(long)).slice(0, 10)).toBe('020000013A')
  expect(() => tokenData({ ...command, ins: 0xf0 })).toThrow('INSTALL')
})
