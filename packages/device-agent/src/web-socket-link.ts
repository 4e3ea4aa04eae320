import { WebSocket, type RawData } from 'ws'
import { deviceSocketPath, maxMessageLength } from '@grove/device-protocol/limits'
import { handshakeMs, type LinkEnd, type OpenLink } from './link.ts'

export const webSocketLink: OpenLink = ({ address, secret, keys, onOpen, onText }) => {
  const url = new URL(deviceSocketPath, address)
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:'
  const socket = new WebSocket(url, {
    headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
    ...keys,
    maxPayload: maxMessageLength,
    perMessageDeflate: false,
    handshakeTimeout: handshakeMs,
  })
  const end: LinkEnd = { reason: '', retryIn: 0, isRefused: false }
  socket.once('open', onOpen)
  socket.on('message', (data) => onText(textOf(data)))
  socket.once('unexpected-response', (_, response) => {
    end.isRefused = response.statusCode === 401
    end.reason = `the platform answered ${response.statusCode}`
    end.retryIn = (Number(response.headers['retry-after']) || 0) * 1000
    socket.terminate()
  })
  socket.on('error', (error) => (end.reason ||= error.message))
  return {
    send(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: () => socket.close(1000),
    ended: new Promise((resolve) => socket.once('close', () => resolve(end))),
  }
}

const textOf = (data: RawData) => (Buffer.isBuffer(data) ? data.toString() : '')
