import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { deviceSocketPath, maxMessageLength } from '@grove/device-protocol/limits'
import {
  readFromDevice,
  writeMessage,
  type FromDevice,
  type ToDevice,
} from '@grove/device-protocol/message'
import { listenForMqtt } from './mqtt-listener.ts'
import { secureOptions, showsCertificate, type ServerKeys } from './server-keys.ts'
import { inbox } from './steps.ts'

/** A connection request of a device, and how a step answers it. */
export type Asked =
  | {
      kind: 'claim'
      at: number
      body: string
      answer: (status: number, body: object) => void
      cut: () => void
    }
  | Knock

export interface Knock {
  kind: 'connect'
  at: number
  way: 'WebSocket' | 'MQTT 3.1.1' | 'MQTT 5'
  /** Its credential, if it has the form of a secret. */
  secret: string | undefined
  /** Or a certificate of any issuer. */
  hasCertificate: boolean
  hasOrigin: boolean
  /** Refused for its secret, or for lack of capacity; MQTT 3.1.1 has no retry delay. */
  refuse: (why: 'wrong' | 'busy', seconds?: number) => void
  accept: () => Promise<Connection>
}

const isWrong = { t: 'wrong' } as const
export type Said = FromDevice | { t: 'wrong'; text: string }

/** A connection of the device, with its messages; `wrong` contains invalid ones. */
export interface Connection {
  heard: Said[]
  say: (message: ToDevice | object) => void
  until: ReturnType<typeof inbox<Said>>['until']
  ended: Promise<void>
  /** Dropped without a close. */
  cut: () => void
}

interface More {
  /** Also accepts MQTT at this port. */
  mqttPort?: number | undefined
  /** Accepts only TLS. */
  tls?: ServerKeys | undefined
}

/** A platform that acts as a step requires, for one device. */
export async function openDeviceServer(port: number, host: string, { mqttPort, tls }: More = {}) {
  const asked = inbox<Asked>()
  const faults = new Set<string>()
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void take(request, response)
  const server = tls ? createSecureServer(secureOptions(tls), onRequest) : createServer(onRequest)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageLength,
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
    const answer = (status: number, seconds?: number) => {
      const retry = seconds === undefined ? '' : `retry-after: ${seconds}\r\n`
      socket.end(`HTTP/1.1 ${status} No\r\n${retry}connection: close\r\ncontent-length: 0\r\n\r\n`)
    }
    if (request.url !== deviceSocketPath) return answer(404)
    const { authorization = '', origin } = request.headers
    asked.add({
      kind: 'connect',
      at: performance.now(),
      way: 'WebSocket',
      secret: /^Bearer ([\w-]{43})$/.exec(authorization)?.[1],
      hasCertificate: showsCertificate(socket),
      hasOrigin: origin !== undefined,
      refuse: (why, seconds) => answer(why === 'wrong' ? 401 : 503, seconds),
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
  const mqtt =
    mqttPort === undefined
      ? undefined
      : await listenForMqtt({
          port: mqttPort,
          host,
          tls,
          onKnock: (knock) => asked.add(knock),
          onFault: (words) => faults.add(words),
        })
  return {
    asked,
    /** Deviations from the gateway's MQTT, as sentences. */
    faults,
    port: (server.address() as AddressInfo).port,
    mqttPort: mqtt?.port,
    close() {
      mqtt?.close()
      server.close()
      server.closeAllConnections()
      for (const each of sockets.clients) each.terminate()
    },
  }
}

function connectionOf(socket: WebSocket): Connection {
  const { items: heard, add, end, until } = inbox<Said>()
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
