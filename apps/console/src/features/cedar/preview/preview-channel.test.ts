import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listenToFrame, silentMs, type Answer } from './preview-channel.ts'

const page = new EventTarget()
const frame = {} as Window
let told: string[]
let opened: ReturnType<typeof listenToFrame>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  vi.stubGlobal('document', { hidden: false })
  told = []
  opened = listenToFrame({
    frame: () => frame,
    tokens: new Set(['mine']),
    isOffline: () => false,
    onState: (state) => told.push(state),
    onLines: (lines, dropped) => told.push(...lines.map(({ text }) => text), `dropped ${dropped}`),
    onAsk: (name): Answer => (name === 'camera' ? 'granted' : 'undeclared'),
    onFlood: () => told.push('flood'),
  })
})
afterEach(() => {
  opened.close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Messages a window posts to the console's window. */
function post(data: unknown, source: unknown = frame, ports: MessagePort[] = []) {
  page.dispatchEvent(Object.assign(new Event('message'), { data, source, ports }))
}

function connect(token = 'mine', source: unknown = frame) {
  const { port1, port2 } = new MessageChannel()
  post({ grove: 'preview', token }, source, [port2])
  return port1
}

const answerOf = (port: MessagePort) =>
  new Promise<unknown>((resolve) => {
    port.addEventListener('message', ({ data }) => resolve(data), { once: true })
    port.start()
  })

test('only the window with the token of this preview is heard', () => {
  connect('mine', {})
  connect('other')
  post({ grove: 'preview', token: 'mine' })
  post('text')
  post(null)
  expect(told).toEqual([])
  connect().close()
  expect(told).toEqual(['running'])
})

test('messages are treated as text, and only the console answers questions', async () => {
  const port = connect()
  const answered = answerOf(port)
  port.postMessage({ type: 'log', lines: [{ level: 'log', text: '<b>hi</b>' }], dropped: 3 })
  port.postMessage({ type: 'pong', id: 12 })
  port.postMessage({ type: 'running' })
  port.postMessage({ type: 'ask', id: 1, name: 'camera' })
  expect(await answered).toEqual({ type: 'answer', id: 1, value: 'granted' })
  // A pong without a ping is not a sign of life.
  expect(told).toEqual(['running', '<b>hi</b>', 'dropped 3'])
  port.close()
})

test('a frame that is silent is reported once, even if it never sent anything', () => {
  vi.advanceTimersByTime(silentMs + 3000)
  expect(told).toEqual(['silent'])
  connect().close()
  expect(told).toEqual(['silent', 'running'])
  vi.advanceTimersByTime(silentMs + 3000)
  expect(told).toEqual(['silent', 'running', 'silent'])
})

test('a flood closes the connection before its messages are read', () => {
  const data = {
    get grove(): string {
      told.push('read')
      return ''
    },
  }
  for (let sent = 0; sent < 1000; sent += 1) post(data)
  expect(told.filter((what) => what === 'read')).toHaveLength(200)
  expect(told.at(-1)).toBe('flood')
  expect(told.filter((what) => what === 'flood')).toHaveLength(1)
})
