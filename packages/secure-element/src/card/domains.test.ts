import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import {
  deleteKey,
  deleteObject,
  getData,
  getStatus,
  select,
  setApplicationState,
  setCardState,
  setLock,
} from '../host/commands.ts'
import {
  installForExtradition,
  installForInstall,
  installForLoad,
  installForMakeSelectable,
  installForRegistryUpdate,
  installParameters,
} from '../host/install.ts'
import { loadFileHash } from '../cap/cap-file.ts'
import { loadPackage, putKeys, readRegistry, run } from '../host/run.ts'
import { parseKeyInformation } from '../key-information.ts'
import type { PrivilegeName } from '../privileges.ts'
import type { SecureChannel } from '../secure-channel/channel.ts'
import type { Protocol } from '../secure-channel/security-level.ts'
import {
  appletAid,
  domainAid,
  file,
  installApplet,
  instance,
  newDomain,
  open,
  otherKey,
  packageOf,
  plain,
  word,
} from '../testing/opened-card.ts'
import { softwareCard } from './software-card.ts'

const issuerAid = 'A000000151000000'
const manager = { privileges: ['securityDomain', 'authorizedManagement'] } as const

/** A new card with a domain that has its own keys. */
async function withDomain(more: Parameters<typeof newDomain>[0] = {}) {
  const card = softwareCard({ seed: 'domain' })
  await run((await open(card)).send, newDomain(more))
  const channel = await open(card, { aid: domainAid })
  const key = { algorithm: 'AES', value: otherKey } as const
  await putKeys(channel, { version: 0x30, keys: [key, key, key] })
  const own = { aid: domainAid, value: otherKey }
  return { card, openOwn: () => open(card, own), openIssuer: () => open(card, { aid: issuerAid }) }
}

const toHexWord = (value: number) => value.toString(16).toUpperCase()

const places = async ({ send }: SecureChannel) =>
  (await readRegistry(send, 'applications')).map((each) => [
    each.aid,
    each.state,
    each.securityDomainAid,
  ])

test.each<Protocol>(['SCP02', 'SCP03'])(
  'a new domain opens with the keys above it over %s, and then with its own alone',
  async (protocol) => {
    const card = softwareCard({ seed: 'keys', protocol })
    await run((await open(card)).send, newDomain())
    const selected = await plain(card, select({ aid: domainAid }))
    expect(toHex(selected.data)).toContain(`8409${domainAid}`)
    const { data } = await plain(card, getData({ tag: 'E0' }))
    expect(toHex(data)).toBe('E002C000')
    const channel = await open(card, { aid: domainAid })
    expect(await places(channel)).toEqual([[domainAid, 'selectable', issuerAid]])
    const algorithm = protocol === 'SCP03' ? 'AES' : 'DES'
    const key = { algorithm, value: otherKey } as const
    await putKeys(channel, { version: 0x21, keys: [key, key, key] })
    expect(await places(channel)).toEqual([[domainAid, 'personalized', issuerAid]])
    await expect(open(card, { aid: domainAid })).rejects.toMatchObject({
      code: 'wrongCardCryptogram',
    })
    const own = await open(card, { aid: domainAid, value: otherKey, keyVersion: 0x21 })
    expect(own.keyVersion).toBe(0x21)
    const keys = await plain(card, select({ aid: domainAid })).then(() =>
      plain(card, getData({ tag: 'E0' })),
    )
    expect(parseKeyInformation(keys.data).map(({ version }) => version)).toEqual([0x21, 0x21, 0x21])
    // The issuer's keys are unchanged.
    expect((await open(card, { aid: issuerAid })).state()).toBe('open')
  },
)

test('the parameters of a domain choose an option of the protocol, and only one that it has', async () => {
  const card = softwareCard({ seed: 'option' })
  const withOption = (hex: string) =>
    newDomain({ parameters: installParameters({ application: readHex(hex) }) })
  const channel = await open(card)
  expect(await channel.send(withOption('81020215'))).toMatchObject({ statusWord: 0x6a80 })
  expect(await channel.send(withOption('81020312'))).toMatchObject({ statusWord: 0x6a80 })
  // As GlobalPlatformPro sends them.
  await run(channel.send, withOption('810203608202202087022020'))
  const own = await open(card, { aid: domainAid, level: 0x33 })
  expect(own.implementation).toBe(0x60)
  await plain(card, select({ aid: domainAid }))
  expect(toHex((await plain(card, getData({ tag: '66' }))).data)).toContain('2A864886FC6B040360')
})

test('a domain without authorized management changes nothing but its own keys', async () => {
  const { openOwn, openIssuer } = await withDomain()
  await installApplet(await openIssuer())
  const { send } = await openOwn()
  const refused = { statusWord: 0x6985 }
  expect(await send(installForLoad({ loadFileAid: '0102030409' }))).toMatchObject(refused)
  expect(await send(installForInstall({ ...instance, instanceAid: '0102030499' }))).toMatchObject(
    refused,
  )
  expect(await send(deleteObject({ aid: appletAid }))).toMatchObject(refused)
  expect(await send(setLock({ aid: appletAid, isLocked: true }))).toMatchObject(refused)
  expect(await send(setCardState({ state: 'initialized' }))).toMatchObject(refused)
  expect(
    await send(installForExtradition({ aid: appletAid, securityDomainAid: domainAid })),
  ).toMatchObject(refused)
})

test('a domain with authorized management loads and installs into itself, and lists itself alone', async () => {
  const { openOwn, openIssuer } = await withDomain(manager)
  const own = await openOwn()
  await installApplet(own)
  expect(await places(own)).toEqual([
    [domainAid, 'personalized', issuerAid],
    [appletAid, 'selectable', domainAid],
  ])
  expect(await readRegistry(own.send, 'issuer')).toEqual([])
  expect(await readRegistry(own.send, 'loadFiles')).toMatchObject([
    { aid: file.aid, securityDomainAid: domainAid },
  ])
  expect(await own.send(deleteObject({ aid: domainAid, withRelated: true }))).toMatchObject({
    statusWord: 0x6985,
  })
  await run(own.send, deleteObject({ aid: file.aid, withRelated: true }))
  expect(await places(await openIssuer())).toEqual([[domainAid, 'personalized', issuerAid]])
})

test('the issuer loads a package into a domain, and its instances belong there too', async () => {
  const { openIssuer } = await withDomain()
  const channel = await openIssuer()
  await loadPackage(channel, { ...packageOf, securityDomainAid: domainAid })
  await run(channel.send, installForInstall(instance))
  expect(await places(channel)).toContainEqual([appletAid, 'selectable', domainAid])
  const unknown = installForLoad({ loadFileAid: '0102030409', securityDomainAid: appletAid })
  expect(await channel.send(unknown)).toMatchObject({ statusWord: 0x6a88 })
})

test('extradition moves an application, and never a domain into itself', async () => {
  const { openIssuer } = await withDomain(manager)
  const inner = 'A00000015153504102'
  const { send, ...channel } = await openIssuer()
  await installApplet({ send, ...channel })
  await run(send, installForExtradition({ aid: appletAid, securityDomainAid: domainAid }))
  await run(send, newDomain({ instanceAid: inner }))
  await run(send, installForExtradition({ aid: inner, securityDomainAid: domainAid }))
  expect(await places({ send, ...channel })).toEqual([
    [domainAid, 'personalized', issuerAid],
    [appletAid, 'selectable', domainAid],
    [inner, 'selectable', domainAid],
  ])
  const move = (aid: string, securityDomainAid: string) =>
    send(installForExtradition({ aid, securityDomainAid }))
  expect(await move(domainAid, inner)).toMatchObject({ statusWord: 0x6985 })
  expect(await move(domainAid, domainAid)).toMatchObject({ statusWord: 0x6985 })
  expect(await move(appletAid, appletAid)).toMatchObject({ statusWord: 0x6a88 })
  expect(await move('0102030499', domainAid)).toMatchObject({ statusWord: 0x6a88 })
  await run(send, installForExtradition({ aid: file.aid, securityDomainAid: inner }))
  expect(await readRegistry(send, 'loadFiles')).toContainEqual(
    expect.objectContaining({ aid: file.aid, securityDomainAid: inner }),
  )
})

test('a registry update grants privileges, and makes nothing a domain', async () => {
  const { openIssuer } = await withDomain()
  const { send, ...channel } = await openIssuer()
  await installApplet({ send, ...channel })
  const update = (
    aid: string,
    privileges: Parameters<typeof installForRegistryUpdate>[0]['privileges'],
  ) => send(installForRegistryUpdate({ aid, ...(privileges && { privileges }) }))
  expect(await update(appletAid, ['securityDomain'])).toMatchObject({ statusWord: 0x6a80 })
  expect(await update(domainAid, [])).toMatchObject({ statusWord: 0x6a80 })
  await update(domainAid, ['securityDomain', 'globalLock'])
  expect((await readRegistry(send, 'applications'))[0]?.privileges).toEqual([
    'securityDomain',
    'globalLock',
  ])
})

test.each([
  'cvmManagement',
  'cipheredLoadFileDataBlock',
  'finalApplication',
] as const satisfies readonly PrivilegeName[])(
  'does not grant %s, which the card does not have',
  async (name) => {
    const channel = await open(softwareCard({ seed: 'privilege' }))
    const command = newDomain({ privileges: ['securityDomain', name] })
    expect(await channel.send(command)).toMatchObject({ statusWord: 0x6a80 })
  },
)

test('a token is refused where no command needs one', async () => {
  const channel = await open(softwareCard({ seed: 'token' }))
  const token = new Uint8Array(8)
  expect(await channel.send(newDomain({ token }))).toMatchObject({ statusWord: 0x6a81 })
  const load = installForLoad({ loadFileAid: file.aid, token })
  expect(await channel.send(load)).toMatchObject({ statusWord: 0x6a81 })
})

test('an application with Card Reset is selected after power-on, and there is one at most', async () => {
  const card = softwareCard({ seed: 'default' })
  const channel = await open(card)
  await loadPackage(channel, packageOf)
  await run(channel.send, installForInstall({ ...instance, privileges: ['cardReset'] }))
  const second = installForInstall({
    ...instance,
    instanceAid: '0102030499',
    privileges: ['cardReset'],
  })
  expect(await channel.send(second)).toMatchObject({ statusWord: 0x6a80 })
  card.reset()
  // The stub rejects every command; the issuer domain would not.
  expect(await word(card, '80CA006600')).toBe('6D00')
  expect(toHex((await plain(card, select())).data)).toContain(`8408${issuerAid}`)
})

test('an installed application is selectable after INSTALL [for make selectable]', async () => {
  const card = softwareCard({ seed: 'later' })
  const channel = await open(card)
  await loadPackage(channel, packageOf)
  await run(channel.send, installForInstall({ ...instance, isSelectable: false }))
  expect(await word(card, `00A4040008${appletAid}`)).toBe('6A82')
  const again = await open(card)
  await run(again.send, installForMakeSelectable({ instanceAid: appletAid }))
  expect(await again.send(installForMakeSelectable({ instanceAid: appletAid }))).toMatchObject({
    statusWord: 0x6985,
  })
  expect(await word(card, `00A4040008${appletAid}`)).toBe('9000')
})

test('INSTALL [for make selectable] gives Card Reset to an application that is selectable', async () => {
  const card = softwareCard({ seed: 'make default' })
  const channel = await open(card)
  await installApplet(channel)
  const target = { instanceAid: appletAid }
  const makeDefault = installForMakeSelectable({ ...target, privileges: ['cardReset'] })
  expect(await channel.send(installForMakeSelectable(target))).toMatchObject({ statusWord: 0x6985 })
  await run(channel.send, makeDefault)
  expect(await channel.send(makeDefault)).toMatchObject({ statusWord: 0x6985 })
  const [made] = card.snapshot().applications
  expect(made).toMatchObject({ lifeCycle: 0x07, privileges: ['cardReset'] })
  // Only one application may have it.
  const second = { ...instance, instanceAid: '0102030499' }
  await run(channel.send, installForInstall({ ...second, isSelectable: false }))
  const { instanceAid } = second
  const refused = installForMakeSelectable({ instanceAid, privileges: ['cardReset'] })
  expect(await channel.send(refused)).toMatchObject({ statusWord: 0x6a80 })
  card.reset()
  expect(await word(card, '80CA006600')).toBe('6D00')
})

test('a domain is locked with everything in it, and unlocked again', async () => {
  const { card, openIssuer } = await withDomain(manager)
  const { send, ...channel } = await openIssuer()
  await installApplet({ send, ...channel })
  await run(send, installForExtradition({ aid: appletAid, securityDomainAid: domainAid }))
  await run(send, setLock({ aid: domainAid, isLocked: true, withApplications: true }))
  expect(await places({ send, ...channel })).toEqual([
    [domainAid, 'locked', issuerAid],
    [appletAid, 'locked', domainAid],
  ])
  expect(await word(card, `00A4040009${domainAid}`)).toBe('6A82')
  expect(await word(card, `00A4040008${appletAid}`)).toBe('6A82')
  const again = await openIssuer()
  await run(again.send, setLock({ aid: domainAid, isLocked: false, withApplications: true }))
  expect(await places(again)).toEqual([
    [domainAid, 'personalized', issuerAid],
    [appletAid, 'selectable', domainAid],
  ])
  const application = setLock({ aid: appletAid, isLocked: true, withApplications: true })
  expect(await again.send(application)).toMatchObject({ statusWord: 0x6a88 })
})

test('SET STATUS personalizes a selectable domain, and no application', async () => {
  const channel = await open(softwareCard({ seed: 'personalized' }))
  await installApplet(channel)
  await run(channel.send, newDomain())
  await run(channel.send, setApplicationState({ aid: domainAid, state: 0x0f }))
  expect(await channel.send(setApplicationState({ aid: appletAid, state: 0x0f }))).toMatchObject({
    statusWord: 0x6985,
  })
  expect(await places(channel)).toContainEqual([domainAid, 'personalized', issuerAid])
})

test('locking and terminating the card need their privileges', async () => {
  const { card, openOwn, openIssuer } = await withDomain({
    privileges: ['securityDomain', 'cardLock'],
  })
  const { send } = await openIssuer()
  await run(send, setCardState({ state: 'initialized' }))
  await run(send, setCardState({ state: 'secured' }))
  const own = await openOwn()
  expect(await own.send(setCardState({ state: 'terminated' }))).toMatchObject({
    statusWord: 0x6985,
  })
  await run(own.send, setCardState({ state: 'cardLocked' }))
  expect(await own.send(installForLoad({ loadFileAid: file.aid }))).toMatchObject({
    statusWord: 0x6985,
  })
  // Only the issuer domain can be selected now.
  expect(await word(card, `00A4040009${domainAid}`)).toBe('6A82')
  expect(await word(card, '00A4040000')).toBe('6283')
})

test('a domain goes with everything in it, and only when asked to', async () => {
  const { openIssuer } = await withDomain(manager)
  const { send, ...channel } = await openIssuer()
  await loadPackage({ send, ...channel }, { ...packageOf, securityDomainAid: domainAid })
  await run(send, installForInstall(instance))
  expect(await send(deleteObject({ aid: domainAid }))).toMatchObject({ statusWord: 0x6985 })
  await run(send, deleteObject({ aid: domainAid, withRelated: true }))
  expect(await places({ send, ...channel })).toEqual([])
  expect((await readRegistry(send, 'loadFiles')).map(({ aid }) => aid)).toEqual(['A0000001515350'])
})

test('what others need stays: the load file of an instance elsewhere, the maker’s package, the issuer', async () => {
  const { openIssuer } = await withDomain(manager)
  const { send, ...channel } = await openIssuer()
  await loadPackage({ send, ...channel }, { ...packageOf, securityDomainAid: domainAid })
  await run(send, installForInstall(instance))
  await run(send, installForExtradition({ aid: appletAid, securityDomainAid: issuerAid }))
  for (const aid of [domainAid, 'A0000001515350', issuerAid])
    expect(await send(deleteObject({ aid, withRelated: true }))).toMatchObject({
      statusWord: 0x6985,
    })
})

test('global delete reaches what belongs to others', async () => {
  const { openOwn, openIssuer } = await withDomain({
    privileges: ['securityDomain', 'globalDelete'],
  })
  await installApplet(await openIssuer())
  const { send } = await openOwn()
  await run(send, deleteObject({ aid: appletAid }))
  expect(await send(deleteObject({ aid: appletAid }))).toMatchObject({ statusWord: 0x6a88 })
})

test('keys are deleted by version and by id, but never the last complete set', async () => {
  const { card, openOwn } = await withDomain()
  const { send, ...channel } = await openOwn()
  const key = { algorithm: 'AES', value: otherKey } as const
  await putKeys({ send, ...channel }, { version: 0x31, keys: [key, key, key] })
  expect(await send(deleteKey({ version: 0x40 }))).toMatchObject({ statusWord: 0x6a88 })
  await run(send, deleteKey({ version: 0x30, id: 2 }))
  expect(await send(deleteKey({ version: 0x31 }))).toMatchObject({ statusWord: 0x6985 })
  await run(send, deleteKey({ version: 0x30 }))
  expect(card.snapshot().applications[0]?.domain?.keySets.map(({ version }) => version)).toEqual([
    0x31,
  ])
})

test('searches the registry by state, privilege, load file and domain, and returns the tags asked for', async () => {
  const { openIssuer } = await withDomain(manager)
  const { send, ...channel } = await openIssuer()
  await installApplet({ send, ...channel })
  const search = async (hex: string) => {
    const command = { ...getStatus({ subset: 'applications' }), data: readHex(`4F00${hex}`) }
    const { data, statusWord } = await send(command)
    return statusWord === 0x9000 ? toHex(data) : statusWord.toString(16)
  }
  const onlyAid = '5C014F'
  expect(await search(`9F700107${onlyAid}`)).toBe(`E30A4F08${appletAid}`)
  expect(await search(`C503800000${onlyAid}`)).toBe(`E30B4F09${domainAid}`)
  expect(await search(`C405${file.aid}${onlyAid}`)).toBe(`E30A4F08${appletAid}`)
  expect(await search(`CC09${domainAid}${onlyAid}`)).toBe('6a88')
  expect(await search('9F0100')).toBe('6a80')
  // As pySim requests it.
  expect(await search('5C054F9F70C5CC')).toBe(
    `E31E4F09${domainAid}9F70010FC503804000CC08${issuerAid}E31D4F08${appletAid}9F700107C503000000CC08${issuerAid}`,
  )
})

test.each([
  ['42', '6A88'],
  ['45', '6A88'],
  ['5F50', '6A88'],
  // One channel was opened with the parent's keys.
  ['C1', 'C103000001'],
])('a new domain answers GET DATA %s with its own object, %s', async (tag, expected) => {
  const card = softwareCard({ seed: 'objects' })
  const channel = await open(card)
  await run(channel.send, newDomain())
  await plain(card, select({ aid: domainAid }))
  const { data, statusWord } = await plain(card, getData({ tag }))
  expect(statusWord === 0x9000 ? toHex(data) : toHexWord(statusWord)).toBe(expected)
})

test('GET DATA of the issuer’s domain has every object that hosts read', async () => {
  const card = softwareCard({ seed: 'objects' })
  const read = async (tag: string) => toHex((await plain(card, getData({ tag }))).data)
  for (const tag of ['9F7F', '42', '45', 'CF', 'C1', 'C2', '66', '67', 'E0', 'FF21'])
    expect(await read(tag)).toMatch(new RegExp(`^${tag}`))
  expect(await read('67')).toBe(
    '6726A014800103810C0001101120213031606170718201078103FDFDB082031C1D30830401020304',
  )
})

test('a card of SCP02 has a counter of three bytes, and takes option 00 for that of the parent', async () => {
  const card = softwareCard({ seed: 'two', protocol: 'SCP02', implementation: 0x55 })
  const channel = await open(card)
  expect(toHex(await run(channel.send, getData({ tag: 'C1' })))).toBe('C103000001')
  const parameters = installParameters({ application: readHex('81020200') })
  await run(channel.send, newDomain({ parameters }))
  expect(card.snapshot().applications.at(-1)?.domain?.implementation).toBe(0x55)
  const of = (hex: string) =>
    newDomain({
      instanceAid: 'A00000015153504102',
      parameters: installParameters({ application: readHex(hex) }),
    })
  expect(await channel.send(of('81020201'))).toMatchObject({ statusWord: 0x6a80 })
})

test('a domain with global delete does not delete itself', async () => {
  const { openOwn } = await withDomain({ privileges: ['securityDomain', 'globalDelete'] })
  const { send } = await openOwn()
  expect(await send(deleteObject({ aid: domainAid }))).toMatchObject({ statusWord: 0x6985 })
})

test('a load file must have the hash that INSTALL announced', async () => {
  const channel = await open(softwareCard({ seed: 'hash' }))
  const hash = readHex(await loadFileHash(file.code))
  const wrong = hash.map((byte) => byte ^ 1)
  await expect(loadPackage(channel, { ...packageOf, hash: wrong })).rejects.toMatchObject({
    statusWord: 0x6a80,
  })
  await loadPackage(channel, { ...packageOf, hash })
})

test('a whole AID selects before the beginning of another, and a locked default is passed over', async () => {
  const card = softwareCard({ seed: 'select' })
  const { send, ...channel } = await open(card)
  await loadPackage({ send, ...channel }, packageOf)
  const longer = `${appletAid}01`
  await run(
    send,
    installForInstall({ ...instance, instanceAid: longer, privileges: ['cardReset'] }),
  )
  await run(send, installForInstall(instance))
  await run(send, setLock({ aid: longer, isLocked: true }))
  card.reset()
  expect(await word(card, '80CA006600')).toBe('9000')
  await run((await open(card)).send, setLock({ aid: longer, isLocked: false }))
  const { data } = await plain(card, select({ aid: appletAid }))
  expect(toHex(data)).toContain(`8408${appletAid}`)
})
