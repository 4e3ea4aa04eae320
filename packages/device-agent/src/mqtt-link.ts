import { connect as connectPlain, isIP } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { generate, parser, writeToStream, type Packet } from 'mqtt-packet'
import { maxMessageLength, mqttTopics } from '@grove/device-protocol/limits'
import { handshakeMs, type LinkEnd, type OpenLink } from './link.ts'

// Otherwise a fleet in one process would allocate a buffer for each of 65,536 packet ids.
writeToStream.cacheNumbers = false

const version = { protocolVersion: 5 } as const
/** Reason codes of CONNACK that mean a wrong secret. */
const refusedCodes = new Set([134, 135])
const subscribeId = 1
/** The protocol's heartbeats are more frequent, so no keep-alive is needed. */
const keepalive = 60

export const isMqttAddress = (text: string): boolean =>
  URL.canParse(text) && ['mqtt:', 'mqtts:'].includes(new URL(text).protocol)

/**
 * Connects with MQTT 5 to `mqtt://host:port` or, with TLS, `mqtts://host:port`. A broker in front of
 * the platform also needs the user name, which is the id of the secret: `mqtts://<id>@host:port`.
 */
export const mqttLink: OpenLink = ({ address, secret, keys, onOpen, onText }) => {
  const { protocol, hostname, port, username } = new URL(address)
  const { up, down } = mqttTopics(username || 'me')
  const isSecure = protocol === 'mqtts:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const given = { host, port: Number(port) || (isSecure ? 8883 : 1883) }
  const socket = isSecure
    ? connectSecure({ ...given, ...(isIP(host) === 0 && { servername: host }), ...keys })
    : connectPlain(given)
  const end: LinkEnd = { reason: '', retryIn: 0, isRefused: false }
  const send = (packet: Packet) => {
    if (socket.writable) socket.write(generate(packet, version))
  }
  const fail = (reason: string) => {
    end.reason ||= reason
    socket.destroy()
  }

  const handle = (packet: Packet) => {
    if (packet.cmd === 'publish') return onText(packet.payload.toString())
    if (packet.cmd === 'connack') {
      if (packet.reasonCode === 0)
        return send({
          cmd: 'subscribe',
          messageId: subscribeId,
          subscriptions: [{ topic: down, qos: username === '' ? 0 : 1 }],
        })
      end.isRefused = refusedCodes.has(packet.reasonCode ?? 0)
      end.retryIn = Number(packet.properties?.userProperties?.['retryIn']) || 0
      fail(`the platform answered with code ${packet.reasonCode}`)
    } else if (packet.cmd === 'suback') {
      const [code] = packet.granted
      if (typeof code !== 'number' || code > 2) return fail('the platform refused the subscription')
      socket.setTimeout(0)
      onOpen()
    } else if (packet.cmd === 'disconnect')
      end.reason ||= packet.properties?.reasonString ?? `the platform says ${packet.reasonCode}`
  }

  const reader = parser(version)
    .on('packet', handle)
    .on('error', () => fail('the platform does not speak MQTT'))
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    socket.setNoDelay(true)
    send({
      cmd: 'connect',
      protocolId: 'MQTT',
      ...version,
      clientId: '',
      clean: true,
      keepalive,
      username: username || 'device',
      ...(secret !== undefined && { password: Buffer.from(secret) }),
    })
  })
  socket.on('data', (bytes) => {
    if (reader.parse(bytes) > 4 * maxMessageLength) fail('the platform sent too long a packet')
  })
  socket.on('error', (error) => (end.reason ||= error.message))
  socket.setTimeout(handshakeMs, () => fail('the platform does not answer'))
  return {
    send: (payload) =>
      send({ cmd: 'publish', topic: up, payload, qos: 0, dup: false, retain: false }),
    close() {
      send({ cmd: 'disconnect', reasonCode: 0 })
      socket.end()
      setTimeout(() => socket.destroy(), 2000).unref()
    },
    ended: new Promise((resolve) => socket.once('close', () => resolve(end))),
  }
}
