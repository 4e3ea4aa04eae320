import { expect, test } from 'vitest'
import { readHex, toHex } from '../../bytes.ts'
import { archive, components } from '../../testing/cap-archive.ts'
import { readCapFile } from '../../cap/cap-file.ts'
import { select, storeData } from '../../host/commands.ts'
import {
  installForInstall,
  installForPersonalization,
  installParameters,
} from '../../host/install.ts'
import { loadPackage, run } from '../../host/run.ts'
import { installApplet, appletAid, open, plain } from '../../testing/opened-card.ts'
import { PowerCut, softwareCard, type SoftwareCard } from '../software-card.ts'

/** A card with the applet of a model selected. */
async function withApplet(aid: string, parameters = '') {
  const length = (aid.length / 2).toString(16).padStart(2, '0')
  const applet = `01 ${length} ${aid} 0008`
  const { code } = readCapFile(archive(components({ applet })))
  const card = softwareCard({ seed: 'model' })
  const channel = await open(card)
  await loadPackage(channel, { loadFileAid: '0102030405', code })
  const application = parameters === '' ? new Uint8Array() : readHex(parameters)
  const names = { loadFileAid: '0102030405', moduleAid: aid, instanceAid: aid }
  await run(
    channel.send,
    installForInstall({ ...names, parameters: installParameters({ application }) }),
  )
  await plain(card, select({ aid }))
  return { card, aid, send: async (hex: string) => toHex(await card.transmit(readHex(hex))) }
}

const restored = (card: SoftwareCard) =>
  softwareCard(JSON.parse(JSON.stringify(card.snapshot())) as object)

const label = (text: string) => toHex(new TextEncoder().encode(text))

test('an applet without a model says so, and knows no command', async () => {
  const card = softwareCard({ seed: 'stub' })
  await installApplet(await open(card))
  const { data } = await plain(card, select({ aid: appletAid }))
  expect(toHex(data)).toContain(label('software card: stub'))
  for (const command of ['80CA9F7F00', '8050000008010203040506070800', '00B0000000'])
    expect(toHex(await card.transmit(readHex(command)))).toBe('6D00')
})

test('a phone reads and writes an NDEF tag (NFC Forum Type 4 Tag 2.0)', async () => {
  const message = 'D101085402656E48656C6C6F'
  const { card, send } = await withApplet('D2760000850101', message)
  expect(await send('00B000000F')).toBe('6986')
  expect(await send('00A4000C02E103')).toBe('9000')
  expect(await send('00B000000F')).toBe('000F2000F600F60406E104040000009000')
  expect(await send('00D600000100')).toBe('6982')
  expect(await send('00A4000C02E104')).toBe('9000')
  expect(await send('00B0000002')).toBe('000C9000')
  expect(await send('00B000020C')).toBe(`${message}9000`)
  expect(await send('00D60000020000')).toBe('9000')
  expect(await send('00D6000205D101015500')).toBe('9000')
  expect(await send('00D60000020005')).toBe('9000')
  expect(await send('00B0000007')).toBe('0005D1010155009000')
  expect(await send('00B0040100')).toBe('6B00')
  expect(await send('00D603FF020000')).toBe('6A84')
  expect(await send('00A4000C02E105')).toBe('6A82')
  expect(restored(card).snapshot()).toEqual(card.snapshot())
})

test('STORE DATA personalizes an NDEF tag', async () => {
  const { card, aid, send } = await withApplet('D2760000850101')
  const channel = await open(card, { aid: 'A000000151000000' })
  await run(channel.send, installForPersonalization({ aid }))
  for (const command of storeData({ data: readHex('D10000') })) await run(channel.send, command)
  await plain(card, select({ aid }))
  await send('00A4000C02E104')
  expect(await send('00B0000005')).toBe('0003D100009000')
})

// The sample of the Java Card development kit: its commands and status words.
test('a wallet asks for its PIN, keeps within its limits and blocks after three tries', async () => {
  const { card, aid, send } = await withApplet('A00000006203010C0601', '11223344')
  expect(await send('803000000164')).toBe('6301')
  expect(await send('80200000041122334400')).toBe('9000')
  expect(await send('803000000164')).toBe('9000')
  expect(await send('803000000180')).toBe('6A83')
  expect(await send('804000000165')).toBe('6A85')
  expect(await send('804000000114')).toBe('9000')
  expect(await send('8050000002')).toBe('00509000')
  for (let count = 0; count < 257; count++) await send('80300000017F')
  expect(await send('80300000017F')).toBe('6A84')
  // Losing power resets the PIN verification, not the balance.
  card.reset()
  await plain(card, select({ aid }))
  expect(await send('804000000101')).toBe('6301')
  expect(await send('8050000002')).toBe('7FCF9000')
  expect(await send('802000000400000000')).toBe('63C2')
  expect(await send('802000000400000000')).toBe('63C1')
  expect(await send('802000000411223344')).toBe('9000')
  for (const expected of ['63C2', '63C1', '63C0', '6983'])
    expect(await send('802000000400000000')).toBe(expected)
  expect(await send('802000000411223344')).toBe('6983')
})

test('a power cut between the two writes of VERIFY costs a try and opens nothing', async () => {
  const { card, aid, send } = await withApplet('A00000006203010C0601')
  card.break({ powerCutBeforeWrite: 2 })
  await expect(send('80200000050102030405')).rejects.toThrow(PowerCut)
  await plain(card, select({ aid }))
  expect(await send('803000000101')).toBe('6301')
  expect(await send('802000000500')).toBe('6700')
  expect(await send('80200000050000000000')).toBe('63C1')
})

test('a wallet is charged whole or not at all when power goes', async () => {
  const { card, aid, send } = await withApplet('A00000006203010C0601')
  await send('80200000050102030405')
  card.break({ powerCutBeforeWrite: 1 })
  await expect(send('80300000017F')).rejects.toThrow(PowerCut)
  await plain(card, select({ aid }))
  expect(await send('8050000002')).toBe('00009000')
})

// sentry-sdk-biometrics-ios, APDUCommand.swift and BiometricsAPI.swift.
test('a finger is enrolled sample by sample, and then matches', async () => {
  const { card, send } = await withApplet('494445585F4C5F0101')
  const status = async () => {
    const reply = readHex(await send('845904000100'))
    expect(reply).toHaveLength(42)
    return [reply[31], reply[32], reply[33], reply[39]]
  }
  expect(await status()).toEqual([2, 0, 6, 0])
  expect(await send('80B6010000')).toBe('6300')
  for (let count = 1; count <= 6; count++) {
    expect(await send('84590300020001')).toBe('9000')
    expect(await status()).toEqual([2, count, 6 - count, 0])
  }
  expect(await send('84590300020001')).toBe('6985')
  expect(await send('845900000100')).toBe('9000')
  expect(await status()).toEqual([2, 6, 0, 1])
  expect(await send('80B6010000')).toBe('9000')
  // Restarting discards the finger.
  expect(await send('84590300020201')).toBe('9000')
  expect(await status()).toEqual([2, 1, 5, 0])
  expect(await send('80B6010000')).toBe('6300')
  expect(restored(card).snapshot()).toEqual(card.snapshot())
})

test('enrolled fingers are listed, renamed and deleted', async () => {
  const { send } = await withApplet('494445585F4C5F0101')
  const enrol = async (finger: string) => {
    for (let count = 0; count < 6; count++) await send(`845903000200${finger}`)
    expect(await send('845900000100')).toBe('9000')
  }
  await enrol('02')
  await send('84590300020001')
  expect(await send('8459050000')).toBe('02009000')
  expect(await send('845909000602496E646578')).toBe('9000')
  expect(await send('84590900020141')).toBe('6A88')
  expect(await send('8459050000')).toBe('0205496E6465789000')
  // Cancelling discards the finger that was being enrolled.
  expect(await send('84590800')).toBe('9000')
  expect(await send('845906000101')).toBe('6A88')
  expect(await send('845906000102')).toBe('9000')
  expect(await send('8459050000')).toBe('9000')
  await enrol('01')
  expect(await send('84590700')).toBe('9000')
  expect(await send('80B6010000')).toBe('6300')
})
