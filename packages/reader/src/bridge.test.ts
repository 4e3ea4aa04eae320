import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import { toHex } from '@grove/secure-element/bytes'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { openNative } from '@grove/secure-element/pcsc/native-pcsc'
import { PcscError, type Pcsc } from '@grove/secure-element/pcsc/pcsc'
import { typeScriptFlags } from '../../../scripts/workspace.mjs'
import { offerReader, ReaderRefused } from './bridge.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A fake platform whose answers the test sets. */
async function platform(accepts = true) {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    verifyClient: (_, answer) => answer(accepts, 401),
  })
  await once(server, 'listening')
  closers.push(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const heard: Record<string, unknown>[] = []
  const links: WebSocket[] = []
  const textOf = (data: RawData) => (Buffer.isBuffer(data) ? data.toString() : '')
  server.on('connection', (socket) => {
    links.push(socket)
    socket.on('message', (data) => {
      const message = JSON.parse(textOf(data)) as Record<string, unknown>
      heard.push(message)
      if (message['type'] === 'hello') socket.send(JSON.stringify({ type: 'welcome', id: '1' }))
    })
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard, links }
}

/** PC/SC with one software card. */
function machine() {
  const card = softwareCard({ seed: 'bridge' })
  const sent: string[] = []
  const state = { events: 1, isHeld: false }
  const pcsc: Pcsc = {
    readers: async () => [{ name: 'Desk 00', events: state.events, atr: Uint8Array.of(0x3b, 0) }],
    async connect() {
      if (state.isHeld) throw new PcscError('inUse', 'Another program uses the card')
      state.isHeld = true
      return {
        transmit: (command) => {
          sent.push(toHex(command))
          return card.transmit(command)
        },
        disconnect: async () => {
          state.isHeld = false
          card.reset()
        },
      }
    },
    close() {},
  }
  return { pcsc, sent, state, cplc: card.snapshot().cplc }
}

const pace = { lookMs: 20, least: 20, most: 40, silenceMs: 2000 }

function offer(address: string, pcsc: Pcsc) {
  const ending = new AbortController()
  closers.push(() => ending.abort())
  const said: string[] = []
  const ended = offerReader({
    platform: address,
    key: 'key',
    reader: undefined,
    pcsc,
    say: (line) => said.push(line),
    signal: ending.signal,
    isForGood: true,
    pace,
  })
  return { said, ended, stop: () => ending.abort() }
}

test('a reader announces its card, and reconnects after a connection ends', async () => {
  const { address, heard, links } = await platform()
  const { pcsc, cplc, sent } = machine()
  const { ended, stop, said } = offer(address, pcsc)
  const cards = () => heard.filter(({ type }) => type === 'card')
  await vi.waitFor(() => expect(cards()).toEqual([{ type: 'card', atr: '3B00', cplc }]))
  links[0]?.terminate()
  await vi.waitFor(() => expect(cards()).toHaveLength(2))
  expect(said.some((line) => line.includes('Trying again'))).toBe(true)
  expect(sent).toEqual(['80CA9F7F00', '80CA9F7F00'])
  stop()
  await ended
  await vi.waitFor(() => expect(heard.at(-1)).toEqual({ type: 'leave' }))
})

test('a session has the card to itself until it ends, and each command is sent once', async () => {
  const { address, heard, links } = await platform()
  const { pcsc, cplc, sent, state } = machine()
  offer(address, pcsc)
  await vi.waitFor(() => expect(heard.some(({ type }) => type === 'card')).toBe(true))
  const [link] = links
  const transmit = (id: number, session: string, isFirst: boolean) =>
    link?.send(JSON.stringify({ type: 'transmit', id, session, isFirst, data: '80CA9F7F00' }))
  const answer = (id: number) => vi.waitUntil(() => heard.find((each) => each['id'] === id))
  transmit(1, 'a', true)
  expect(await answer(1)).toMatchObject({ type: 'reply', data: `9F7F2A${cplc}9000` })
  expect(state.isHeld).toBe(true)
  transmit(2, 'b', false)
  expect(await answer(2)).toEqual({ type: 'failed', id: 2, code: 'absent' })
  expect(sent).toHaveLength(2)
  transmit(3, 'a', true)
  await answer(3)
  link?.send(JSON.stringify({ type: 'end', session: 'a' }))
  await vi.waitFor(() => expect(state.isHeld).toBe(false))
  state.isHeld = true
  transmit(4, 'c', true)
  expect(await answer(4)).toEqual({ type: 'failed', id: 4, code: 'inUse' })
  expect(sent).toHaveLength(3)
})

test('a reader whose key is refused stops, and says what to do', async () => {
  const { address } = await platform(false)
  const { ended } = offer(address, machine().pcsc)
  await expect(ended).rejects.toThrow(ReaderRefused)
})

test('without the library the command says what to install', async () => {
  await expect(openNative()).rejects.toThrow('npm install --no-save smartcard@')
})

test.skipIf(process.platform !== 'linux')(
  'without pcscd the command says what to install',
  { timeout: 30_000 },
  async () => {
    const main = fileURLToPath(new URL('main.ts', import.meta.url))
    const child = spawn(
      process.execPath,
      [...typeScriptFlags(), main, '--platform', 'http://127.0.0.1:1'],
      {
        env: { ...process.env, PCSCLITE_CSOCK_NAME: '/nowhere' },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    expect(await once(child, 'close')).toEqual([1, null])
    expect(said).toContain('apt-get install pcscd')
  },
)
