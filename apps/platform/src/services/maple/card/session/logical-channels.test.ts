import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RanCommand } from '@grove/contract/maple/card/session'
import { applicationOf, changeElsewhere, stateOf } from './testing/card-with-domain.ts'
import { startSessionServer, type SessionServer } from './testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

const domain = 'A0000001515350FF01'
const applet = 'D2760000850A02'

const wordsOf = ({ items }: RanCommand) => items.map(({ statusWord }) => statusWord).join()
const said = async (sent: ReturnType<SessionServer['raw']>) => {
  const { body } = await sent
  return body.problem?.code ?? wordsOf(body)
}

/**
 * A session with a card that has a wallet and a domain, with secure channels on both logical
 * channels.
 */
async function twoChannels() {
  const cplc = await server.card({ lifeCycle: 0x0f })
  await changeElsewhere(server, cplc, (state) => {
    const ofPackage = { loadFileAid: applet.slice(0, 12), moduleAid: applet, model: 'stub' }
    state.applications.push(applicationOf(state, { aid: applet, ...ofPackage }))
  })
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  await server.channel(id, '03')
  const names = { loadFileAid: 'A0000001515350', moduleAid: 'A000000151535041' }
  const privileges = ['securityDomain']
  const made = { purpose: 'install', ...names, instanceAid: domain, privileges }
  expect(wordsOf((await server.command(id, 'MplInstall', made)).body)).toBe('9000')
  expect(await said(server.raw(id, '0070000001', { isPlain: false }))).toBe('9000')
  return { id, cplc }
}

test('a session opens a logical channel, and a secure channel on it beside the basic one', async () => {
  const { id } = await twoChannels()
  expect((await server.read(id)).channel).toMatchObject({ level: '03' })
  const opened = (await server.channel(id, '33', { logicalChannel: 1 })).body
  expect(opened.items.map(({ command }) => command?.slice(0, 4))).toEqual(['8150', '8582'])
  // The session shows the one of the basic logical channel.
  expect((await server.read(id)).channel).toMatchObject({ level: '03' })
  const status = { subset: 'issuer' }
  const other = await server.command(id, 'MplGetStatus', status, { logicalChannel: 1 })
  expect(
    other.body.items.map((each) => [each.command?.slice(0, 4), each.wrapped?.command?.slice(0, 4)]),
  ).toEqual([['81F2', '85F2']])
  const basic = await server.command(id, 'MplGetStatus', status)
  expect(basic.body.items[0]?.wrapped?.command).toMatch(/^84F2/)
  expect(other.body.items[0]?.reply).toBe(basic.body.items[0]?.reply)
  // Bytes go to the logical channel in their class byte, through its secure channel.
  const raw = (await server.raw(id, '81F28002024F0000')).body.items[0]
  expect([raw?.wrapped?.command?.slice(0, 4), raw?.statusWord]).toEqual(['85F2', '9000'])
})

test('a selection on one logical channel leaves the others unchanged', async () => {
  const { id } = await twoChannels()
  await server.channel(id, '03', { logicalChannel: 1 })
  const selected = await server.command(id, 'MplSelect', { aid: domain }, { logicalChannel: 1 })
  expect(selected.body.items[0]?.command).toBe(`01A4040009${domain}00`)
  expect((await server.read(id)).channel).toMatchObject({ level: '03' })
  // The domain has no keys of its own, so its parent's secure channel is used.
  const opened = await server.channel(id, '03', { logicalChannel: 1 })
  expect(wordsOf(opened.body)).toBe('9000,9000')
  /** The domain does not see the issuer's applet. */
  const seen = async (logicalChannel: number) => {
    const status = { subset: 'applications' }
    const { items } = (await server.command(id, 'MplGetStatus', status, { logicalChannel })).body
    return items.map(({ reply }) => reply?.includes(applet))
  }
  expect([await seen(0), await seen(1)]).toEqual([[true], [false]])
  // A command without protection ends only the secure channel of its own logical channel.
  expect(await said(server.raw(id, '81CA006600', { isPlain: true }))).toBe('6982')
  expect(await seen(0)).toEqual([true])
  // So does a SELECT on the basic one.
  await server.channel(id, '03', { logicalChannel: 1 })
  await server.command(id, 'MplSelect')
  expect((await server.read(id)).channel).toBeNull()
  expect(await seen(1)).toEqual([false])
})

test('a closed logical channel has no secure channel, and starts afresh when reopened', async () => {
  const { id } = await twoChannels()
  await server.channel(id, '03', { logicalChannel: 1 })
  expect(await said(server.raw(id, '00708001', { isPlain: false }))).toBe('9000')
  const status = { subset: 'issuer' }
  expect(
    (await server.command(id, 'MplGetStatus', status, { logicalChannel: 1 })).body.items.map(
      ({ statusWord, wrapped }) => [statusWord, wrapped],
    ),
  ).toEqual([['6881', null]])
  expect(await said(server.raw(id, '0070000001', { isPlain: false }))).toBe('9000')
  expect((await server.command(id, 'MplGetStatus', status)).body.state).toBe('done')
  expect(
    wordsOf((await server.command(id, 'MplGetStatus', status, { logicalChannel: 1 })).body),
  ).toBe('6982')
})

test('a command is judged by the selection on its own logical channel', async () => {
  const { id, cplc } = await twoChannels()
  await server.command(id, 'MplGetStatus', { subset: 'applications' })
  const refused = /command_reserved|keys_need_rotation/
  const judged = async (cla: string) => [
    await said(server.raw(id, `${cla}D8000003AABBCC`, { isPlain: true })),
    await said(server.raw(id, `${cla}AA0000`, { isPlain: true })),
  ]
  const isRefused = [expect.stringMatching(refused), expect.stringMatching(refused)]
  expect([await judged('80'), await judged('81'), await judged('82')]).toEqual([
    isRefused,
    isRefused,
    isRefused,
  ])
  await server.command(id, 'MplSelect', { aid: applet }, { logicalChannel: 1 })
  expect([await judged('80'), await judged('81'), await judged('82')]).toEqual([
    isRefused,
    ['6D00', '6D00'],
    isRefused,
  ])
  // Closed and reopened, it starts with the issuer’s domain selected.
  await server.raw(id, '00708001')
  await server.raw(id, '0070000001')
  expect(await judged('81')).toEqual(isRefused)
  expect((await stateOf(server, cplc)).keySets.map(({ version }) => version)).toEqual([0x30])
})
