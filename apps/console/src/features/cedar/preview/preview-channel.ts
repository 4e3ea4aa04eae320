import { readLines } from './preview-log.ts'

export type Answer = 'granted' | 'denied' | 'undeclared'

interface Connection {
  /** The window of the frame, undefined while there is none. */
  frame: () => Window | null | undefined
  /** The tokens whose pages may send messages: the frame's own, and those that renewed it. */
  tokens: ReadonlySet<string>
  isOffline: () => boolean
  onState: (state: 'running' | 'silent') => void
  onLines: (lines: ReturnType<typeof readLines>, dropped: number) => void
  onAsk: (permission: string) => Answer
  /** More messages than a mini-app has reason to send: the frame must be removed. */
  onFlood: () => void
}

/** How long a frame may be silent before it counts as not responding. */
export const silentMs = 5000
const pingMs = 1000
const maxPerSecond = 200

/**
 * Listens to one frame. A page in it hands over one end of a channel; everything else that a frame
 * posts is ignored. Messages are counted before they are parsed, and treated as text.
 */
export function listenToFrame(connection: Connection) {
  let port: MessagePort | undefined
  let heardAt = performance.now()
  let lastPing = 0
  let isSilent = false
  let counted = 0
  let since = 0

  const close = () => {
    removeEventListener('message', receive)
    clearInterval(timer)
    port?.close()
    port = undefined
  }
  /** Whether one more message fits into this second. */
  const count = () => {
    const now = performance.now()
    if (now - since > 1000) {
      since = now
      counted = 0
    }
    counted += 1
    if (counted <= maxPerSecond) return true
    close()
    connection.onFlood()
    return false
  }
  const hear = () => {
    heardAt = performance.now()
    isSilent = false
    connection.onState('running')
  }
  const receive = (event: MessageEvent) => {
    const frame = connection.frame()
    if (!frame || event.source !== frame || !count()) return
    const { grove, token } = fieldsOf(event.data)
    if (grove !== 'preview' || typeof token !== 'string' || !connection.tokens.has(token)) return
    if (event.ports.length !== 1) return
    port?.close()
    port = event.ports[0]
    port?.addEventListener('message', (message) => count() && read(message.data))
    port?.start()
    if (connection.isOffline()) port?.postMessage({ type: 'offline', value: true })
    hear()
  }
  const read = (data: unknown) => {
    const { type, id, lines, dropped, name } = fieldsOf(data)
    if (type === 'pong' && id === lastPing) hear()
    else if (type === 'log')
      connection.onLines(readLines(lines), Number.isSafeInteger(dropped) ? Number(dropped) : 0)
    else if (type === 'ask' && typeof id === 'number' && typeof name === 'string')
      port?.postMessage({ type: 'answer', id, value: connection.onAsk(name.slice(0, 200)) })
  }
  const ping = () => {
    // Timers are slow in a hidden page, which is not the frame's fault.
    if (document.hidden) heardAt = performance.now()
    lastPing += 1
    port?.postMessage({ type: 'ping', id: lastPing })
    if (performance.now() - heardAt < silentMs || isSilent) return
    isSilent = true
    connection.onState('silent')
  }
  const timer = setInterval(ping, pingMs)
  addEventListener('message', receive)
  return {
    close,
    setOffline: (value: boolean) => port?.postMessage({ type: 'offline', value }),
    renew: (address: string) => port?.postMessage({ type: 'renew', value: address }),
  }
}

const fieldsOf = (data: unknown): Record<string, unknown> =>
  typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
