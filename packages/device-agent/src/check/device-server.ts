import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { deviceSocketPath, longestMessage } from '@grove/device-protocol/limits'
import {
  readFromDevice,
  writeMessage,
  type FromDevice,
  type ToDevice,
} from '@grove/device-protocol/message'
import { inbox } from './steps.ts'

/** What a device asked for, and how a step answers. */
export type Asked =
  | {
      kind: 'claim'
      at: number
      body: string
      answer: (status: number, body: object) => void
      cut: () => void
    }
  | {
      kind: 'upgrade'
      at: number
      headers: IncomingMessage['headers']
      refuse: (status: number, retryAfter?: number) => void
      accept: () => Promise<Connection>
    }

const isWrong = { t: 'wrong' } as const

/** A connection of the device, with what it said; `wrong` is what is no message. */
export interface Connection {
  heard: (FromDevice | { t: 'wrong'; text: string })[]
  say: (message: ToDevice | object) => void
  until: ReturnType<typeof inbox<FromDevice | { t: 'wrong'; text: string }>>['until']
  ended: Promise<void>
  /** Cut, without a word. */
  cut: () => void
}

/** A platform that does as a step wants, for one device. */
export async function openDeviceServer(port: number, host: string) {
  const asked = inbox<Asked>()
  const server = createServer((request, response) => void take(request, response))
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: longestMessage,
    perMessageDeflate: false,
  })

  async function take(request: IncomingMessage, response: ServerResponse) {
    if (request.method !== 'POST' || request.url !== '/api/maple/device/claim') {
      response.writeHead(404).end()
      return
    }
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) {
      body += String(chunk)
      if (body.length > 10_000) return request.destroy()
    }
    asked.add({
      kind: 'claim',
      at: performance.now(),
      body,
      cut: () => request.socket.destroy(),
      answer: (status, given) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(given)),
    })
  }

  server.on('upgrade', (request, socket: Duplex, head) => {
    socket.on('error', () => socket.destroy())
    const refuse = (status: number, retryAfter?: number) => {
      const retry = retryAfter === undefined ? '' : `retry-after: ${retryAfter}\r\n`
      socket.end(`HTTP/1.1 ${status} No\r\n${retry}connection: close\r\ncontent-length: 0\r\n\r\n`)
    }
    if (request.url !== deviceSocketPath) return refuse(404)
    asked.add({
      kind: 'upgrade',
      at: performance.now(),
      headers: request.headers,
      refuse,
      accept: () =>
        new Promise((resolve) => {
          sockets.handleUpgrade(request, socket, head, (opened) => resolve(connectionOf(opened)))
        }),
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    asked,
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      server.closeAllConnections()
      for (const each of sockets.clients) each.terminate()
    },
  }
}

function connectionOf(socket: WebSocket): Connection {
  const { items: heard, add, end, until } = inbox<FromDevice | { t: 'wrong'; text: string }>()
  socket.on('error', () => {})
  socket.on('message', (data, isBinary) => {
    const text = Buffer.isBuffer(data) && !isBinary ? data.toString() : ''
    add(readFromDevice(text) ?? { ...isWrong, text: text.slice(0, 200) })
  })
  const ended = new Promise<void>((resolve) =>
    socket.once('close', () => {
      end('the device closed the connection')
      resolve()
    }),
  )
  return {
    heard,
    until,
    ended,
    say: (message) => socket.send(writeMessage(message as ToDevice)),
    cut: () => socket.terminate(),
  }
}
