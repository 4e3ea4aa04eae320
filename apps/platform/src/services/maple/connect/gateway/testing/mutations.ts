import * as fc from 'fast-check'
import { generate, type Packet } from 'mqtt-packet'

/** Every kind of device message of the protocol. */
const messages: Record<string, unknown>[] = [
  { t: 'hello', v: 1, boot: 'fuzz', agent: 'fuzz 1', elements: ['A'.repeat(84)], next: 1 },
  { t: 'heartbeat' },
  { t: 'elements', elements: [] },
  { t: 'telemetry', boot: 'fuzz', seq: 1, ts: 1_767_225_600_000, d: { temperature: 21.5 } },
  { t: 'event', boot: 'fuzz', seq: 2, d: { opened: true } },
  { t: 'reported', boot: 'fuzz', seq: 3, d: { interval: 60 }, version: 1, refused: { a: 'b' } },
  { t: 'result', boot: 'fuzz', seq: 4, id: '0', ok: true, d: 1, error: 'no' },
  { t: 'bytes', boot: 'fuzz', seq: 5, d: 'GgL/', port: 2, topic: 'x' },
  { t: 'reply', id: 1, data: '9000' },
  { t: 'failed', id: 1, code: 'lost' },
]
const hello = '{"t":"hello","v":1,"boot":"fuzz"}'

const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    '__proto__',
    -1,
    0,
    1e308,
    2 ** 53,
    '',
    '\0',
    '\ud800',
    'x'.repeat(33_000),
    Array.from({ length: 2000 }, () => 0),
  ),
)

/** A text of JSON that is a message with other values, fields or characters. */
const mutatedText: fc.Arbitrary<string> = fc
  .record({
    message: fc.constantFrom(...messages),
    changes: fc.array(fc.record({ at: fc.nat(12), value: odd, isGone: fc.boolean() }), {
      maxLength: 3,
    }),
    cut: fc.option(fc.nat(200), { freq: 4 }),
    around: fc.constantFrom('', '', '', '[', '{', '\u2028', '[[[[[[[[[[[[[[[[[[[['),
  })
  .map(({ message, changes, cut, around }) => {
    const fields = Object.entries(message)
    for (const { at, value, isGone } of changes) {
      const place = at % (fields.length + 1)
      const name = fields[place]?.[0] ?? 'more'
      if (isGone) fields.splice(place, 1)
      else fields[place] = [name, value]
    }
    const text = around + JSON.stringify(Object.fromEntries(fields))
    return cut === null ? text : text.slice(0, cut)
  })

const mutatedJson = fc.oneof(
  { weight: 6, arbitrary: mutatedText },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
)

type Version = 4 | 5

/** A packet of every kind, of both sides. */
function packetsOf(version: Version): fc.Arbitrary<Packet> {
  const topic = fc.constantFrom('d/me/up', 'd/me/up', 'd/me/down', '', '#', 'd/x/up', '$SYS')
  const messageId = fc.constantFrom(0, 1, 2, 65_535)
  const qos = fc.constantFrom<0 | 1 | 2>(0, 1, 1, 2)
  const properties = fc.constantFrom<object>(
    {},
    { topicAlias: 1 },
    { userProperties: { a: 'b' } },
    { subscriptionIdentifier: 1 },
    { reasonString: 'x', receiveMaximum: 1, maximumPacketSize: 20 },
    { sessionExpiryInterval: 100, authenticationMethod: 'x' },
  )
  const subscriptions = fc.array(fc.record({ topic, qos }), { minLength: 1, maxLength: 4 })
  const of = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields)
  const constant = (cmd: string) => fc.constant(cmd)
  const codes = fc.array(fc.constantFrom(0, 1, 128), { minLength: 1, maxLength: 3 })
  const reasonCode = fc.constantFrom(0, 4, 16, 129, 135)
  const kinds = [
    of({
      cmd: constant('publish'),
      topic,
      payload: fc.oneof(mutatedJson, fc.constant(hello)),
      qos,
      dup: fc.boolean(),
      retain: fc.constantFrom(false, false, true),
      messageId,
      properties,
    }),
    of({ cmd: constant('subscribe'), messageId, subscriptions, properties }),
    of({
      cmd: constant('unsubscribe'),
      messageId,
      unsubscriptions: fc.array(topic, { minLength: 1, maxLength: 3 }),
      properties,
    }),
    ...['puback', 'pubrec', 'pubrel', 'pubcomp'].map((cmd) =>
      of({ cmd: constant(cmd), messageId, reasonCode: fc.constant(0) }),
    ),
    of({ cmd: constant('suback'), messageId, granted: codes }),
    of({ cmd: constant('unsuback'), messageId, granted: codes }),
    of({ cmd: constant('connack'), returnCode: fc.nat(5), reasonCode: fc.nat(5) }),
    of({ cmd: constant('pingreq') }),
    of({ cmd: constant('pingresp') }),
    of({ cmd: constant('disconnect'), reasonCode, properties }),
    of({
      cmd: constant('connect'),
      clientId: fc.constantFrom('', 'a'),
      clean: fc.constant(true),
      keepalive: fc.constantFrom(0, 60, 65_535),
      protocolVersion: fc.constantFrom(4, 5),
      properties,
    }),
  ]
  const auth = of({ cmd: constant('auth'), reasonCode: fc.constantFrom(0, 24, 25), properties })
  const any: fc.Arbitrary<unknown> = fc.oneof(...kinds, ...(version === 5 ? [auth] : []))
  return any as fc.Arbitrary<Packet>
}

const bytesOf = (packet: Packet, protocolVersion: Version): Buffer => {
  try {
    return generate(packet, { protocolVersion })
  } catch {
    // Values that the writer cannot encode.
    return Buffer.from([0xc0, 0])
  }
}

/** Where and how bytes are mutated. */
const change = fc.record({
  kind: fc.constantFrom('set', 'flip', 'cut', 'insert', 'drop', 'twice', 'length'),
  at: fc.nat(400),
  value: fc.nat(255),
})

function mutate(bytes: Buffer, { kind, at, value }: { kind: string; at: number; value: number }) {
  const place = at % Math.max(bytes.length, 1)
  const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place)]
  if (kind === 'cut') return Buffer.from(head)
  if (kind === 'insert') return Buffer.concat([head, Buffer.of(value), tail])
  if (kind === 'drop') return Buffer.concat([head, tail.subarray(1)])
  if (kind === 'twice') return Buffer.concat([bytes, bytes])
  const changed = Buffer.from(bytes)
  if (kind === 'length' && changed.length > 1) changed[1] = value & 0x7f
  else if (changed.length > 0)
    changed[place] = kind === 'set' ? value : (changed[place] ?? 0) ^ (1 << (value & 7))
  return changed
}

/** The length after the first byte of a packet, corrected for a short body. */
function repaired(bytes: Buffer): Buffer {
  const body = bytes.length - 2
  if (body < 0 || body > 127) return bytes
  const right = Buffer.from(bytes)
  right[1] = body
  return right
}

const bytesOfMqtt = (version: Version) =>
  fc
    .array(
      fc.record({
        packet: packetsOf(version),
        changes: fc.array(change, { maxLength: 3 }),
        isRepaired: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map((packets) =>
      Buffer.concat(
        packets.map(({ packet, changes, isRepaired }) => {
          const changed = changes.reduce(mutate, bytesOf(packet, version))
          return isRepaired ? repaired(changed) : changed
        }),
      ),
    )

export const carriers = ['socket', 'web socket', 'tls', 'json'] as const

/** When a connection starts misbehaving: immediately, after CONNACK or after the welcome. */
export const stages = ['at once', 'connected', 'greeted'] as const

/** One misbehaving connection. */
export const attack = fc
  .record({
    carrier: fc.constantFrom(...carriers),
    version: fc.constantFrom<Version>(4, 5),
    stage: fc.constantFrom(...stages),
    isHeld: fc.constantFrom(false, false, true),
    isReset: fc.boolean(),
  })
  .chain((way) =>
    fc.record({
      way: fc.constant(way),
      says:
        way.carrier === 'json'
          ? fc.array(
              fc.oneof(
                { weight: 8, arbitrary: mutatedJson },
                { weight: 1, arbitrary: bytesOfMqtt(4) },
              ),
              { minLength: 1, maxLength: 4 },
            )
          : fc.tuple(bytesOfMqtt(way.version)),
    }),
  )

export type Attack = typeof attack extends fc.Arbitrary<infer Found> ? Found : never
